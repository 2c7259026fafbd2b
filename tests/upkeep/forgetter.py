"""A process that forgets, to be killed."""

from __future__ import annotations

import mnemic
from tests.torture.nursery import Say


def forget(say: Say, path: str, query: str) -> None:
    mind = mnemic.open(path, worker="none", preset="openakita")
    say("begin")
    mind.forget(query=query)
    say("done")
