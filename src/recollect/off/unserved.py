"""What plain files cannot do says so, and names the switch."""

from __future__ import annotations

from typing import NoReturn

from recollect.errors import MemoryOff


class Unserved:
    """A room that refuses whatever it has no method for."""

    def __getattr__(self, name: str) -> NoReturn:
        if name.startswith("__"):
            raise AttributeError(name)
        raise MemoryOff(
            "Memory is switched off (memory.enabled), and plain files cannot do this",
            remedy="Set memory.enabled = true, or RECOLLECT_ENABLED=true",
        )
