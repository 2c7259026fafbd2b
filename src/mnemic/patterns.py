"""Regular expressions that are compiled when they are first used: most processes need few."""

from __future__ import annotations

import re
from typing import Any, cast


class LatePattern:
    """Has the methods of a compiled pattern, each a plain attribute once it was used."""

    def __init__(self, pattern: str, flags: int) -> None:
        self.pattern = pattern
        self._flags = flags

    def __getattr__(self, name: str) -> Any:
        value = getattr(re.compile(self.pattern, self._flags), name)
        setattr(self, name, value)
        return value


def defer(pattern: str, flags: int = 0) -> re.Pattern[str]:
    """A pattern that is compiled when it is first used; a wrong one is an error only then."""
    return cast("re.Pattern[str]", LatePattern(pattern, flags))
