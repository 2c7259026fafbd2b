"""The doors of a mind, by subject; each checks nothing and decides nothing, it leads to a room."""
