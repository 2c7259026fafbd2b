"""Where a key ends that was broken over lines or written in groups: ``ghp_ab12 cd34 ef56 …``."""

from __future__ import annotations

import re
from collections.abc import Callable

_CHUNK = re.compile(r"[A-Za-z0-9_+/=.-]{1,200}+", re.A)
_GROUP = re.compile(r"[A-Za-z0-9_+/=.]{1,200}+", re.A)
_NEW_LINE = re.compile(r"[ \t]{0,2}\\?\r?\n[ \t>|]{0,8}")
_SPACE = re.compile(r"[ -]")
_MOST_CHUNKS = 40
_LONGEST = 2048  # characters of a key over lines
_LONGEST_GROUPS = 256
_LEAST_LINE = 8  # characters of a key on a line of its own
_LEAST_GROUPS = 3


def broken_end(text: str, at: int, holds: Callable[[str], bool]) -> int:
    """The end of a key that starts here and goes on after a break; 0 if there is none."""
    return _over_lines(text, at, holds) or _in_groups(text, at, holds)


def _over_lines(text: str, at: int, holds: Callable[[str], bool]) -> int:
    match = _CHUNK.match(text, at)
    end = 0
    if match is None or len(match.group()) < _LEAST_LINE:
        return 0
    key, place = match.group(), match.end()
    for _ in range(_MOST_CHUNKS):
        line = _NEW_LINE.match(text, place)
        chunk = _CHUNK.match(text, line.end()) if line else None
        if chunk is None or not _goes_on(chunk.group(), key):
            break
        key, place = key + chunk.group(), chunk.end()
        if holds(key):
            end = place
    return end


def _goes_on(chunk: str, key: str) -> bool:
    """A line of a key has digits among its letters, or is the last, short one."""
    digits = sum(map(str.isdigit, chunk))
    letters = sum(map(str.isalpha, chunk))
    if "=" in chunk.rstrip("="):
        return False
    mixed = chunk != chunk.lower() and chunk[1:] != chunk[1:].lower() and chunk != chunk.upper()
    return len(chunk) >= _LEAST_LINE and (bool(digits and letters) or mixed) and len(key) < _LONGEST


def _in_groups(text: str, at: int, holds: Callable[[str], bool]) -> int:
    first = _GROUP.match(text, at)
    if first is None:
        return 0
    key, place, end, size, groups, mixed = first.group(), first.end(), 0, 0, 0, 0
    while groups < _MOST_CHUNKS:
        joint = _SPACE.match(text, place)
        group = _GROUP.match(text, joint.end()) if joint else None
        if group is None:
            break
        chunk = group.group()
        size = size or len(chunk)
        if len(chunk) > size or size < 2 or len(key) > _LONGEST_GROUPS:
            break
        groups += 1
        mixed += any(map(str.isdigit, chunk)) or (
            chunk != chunk.lower() and chunk[1:] != chunk[1:].lower()
        )
        key, place = key + chunk, group.end()
        if groups >= _LEAST_GROUPS and mixed * 2 > groups and holds(key):
            end = place
        if len(chunk) < size:
            break
    return end
