"""Where memory is kept: one contract (base.py) and the databases that keep it."""
