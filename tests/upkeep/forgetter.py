"""A process that forgets, to be killed: ``python -m tests.upkeep.forgetter DB QUERY``."""

from __future__ import annotations

import sys

import recollect


def main(path: str, query: str) -> None:
    mind = recollect.open(path, worker="none", preset="openakita")
    print("begin", flush=True)
    mind.forget(query=query)
    print("done", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
