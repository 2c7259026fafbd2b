"""Pure functions: the arithmetic and the judgements of Mnemic, with no I/O."""
