"""Benchmarks that ship with the engine: speed and recall, beside baselines."""
