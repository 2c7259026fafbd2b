"""One program a peer, run in an environment of its own: `-m bench.compare.runners.NAME`."""
