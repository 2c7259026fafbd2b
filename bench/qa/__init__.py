"""Questions answered by a model from the contexts of a memory, scored as the benchmarks publish."""
