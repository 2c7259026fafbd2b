"""Waiting for what a thread will do, without guessing how long it takes."""

from __future__ import annotations

import time
from collections.abc import Callable

DEADLINE = 30.0


def wait_for(condition: Callable[[], object]) -> None:
    """Return as soon as the condition holds; fail when it never does."""
    end = time.monotonic() + DEADLINE
    while not condition():
        assert time.monotonic() < end, "it never came true"
        time.sleep(0.005)
