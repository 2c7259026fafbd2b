"""Pure functions: the arithmetic and the judgments of Mnemic, with no I/O."""
