"""The context windows of well-known models, by the beginning of their names.

Makers state them for whole families, so the longest beginning that fits decides. A name may have
the provider in front, as gateways write it: ``openai/gpt-4o``. Where sizes of one family differ,
the smallest is taken: a prompt that is too long fails, one that is shorter works.
"""

from __future__ import annotations

from functools import cache, lru_cache
from importlib import resources

_ENDS = "-.:_@"  # what may follow the name of a family


@lru_cache(maxsize=64)
def known_window(model: str) -> int | None:
    """The window of a well-known model, in tokens; None for any other."""
    name = model.lower().rpartition("/")[2]
    windows = _windows()
    fits = [family for family in windows if _is_of(name, family)]
    return windows[max(fits, key=len)] if fits else None


@cache
def _windows() -> dict[str, int]:
    file = resources.files(__package__).joinpath("context_windows.tsv")
    lines = (line for line in file.read_text("utf-8").splitlines() if not line.startswith("#"))
    return {family: int(size) for family, size in (line.split("\t") for line in lines)}


def _is_of(name: str, family: str) -> bool:
    rest = name.removeprefix(family)
    return name.startswith(family) and (not rest or rest[0] in _ENDS or rest[0].isdigit())
