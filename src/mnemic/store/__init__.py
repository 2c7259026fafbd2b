"""Where memory is kept: one contract (contract.py) and the databases that keep it."""
