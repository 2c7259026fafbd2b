"""The memories of one database, opened when they are first asked for."""

from __future__ import annotations

import threading
from collections.abc import Callable

from recollect.mind import Mind


class OpenSpaces:
    """One mind for each space that was asked for."""

    def __init__(self, open_: Callable[[str], Mind], default: str) -> None:
        self._open = open_
        self._lock = threading.Lock()
        self._minds: dict[str, Mind] = {}
        self._default = default
        self.mind(default)

    def mind(self, space: str) -> Mind:
        with self._lock:
            if space not in self._minds:
                self._minds[space] = self._open(space)
            return self._minds[space]

    def spaces(self) -> list[str]:
        return sorted({*self.mind(self._default)._store.spaces(), self._default})

    def close(self) -> None:
        with self._lock:
            for mind in self._minds.values():
                mind.close()
            self._minds.clear()
