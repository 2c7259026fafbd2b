"""Pure functions: the arithmetic and the judgements of Recollect, with no I/O."""
