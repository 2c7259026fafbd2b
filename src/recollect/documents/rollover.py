"""Project.md rolls: when it is too long, its old part goes to a dated file and a summary stays."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from glob import escape
from pathlib import Path

from recollect.clock import in_zone
from recollect.documents import files
from recollect.documents.headings import Language
from recollect.documents.layout import LayoutEntry, compose
from recollect.documents.selection import Placement
from recollect.documents.views import View, layout_of, new_parts


def split(count: int, over: Callable[[int, int], bool], limit: int) -> int:
    """How many of the latest entries stay: as many as fill half of the limit.

    ``over(kept, lines)`` tells whether that many make more lines. Where a person's own text takes
    more than half, the limit itself is what they have to fit.
    """
    most = limit // 2 if not over(0, limit // 2) else limit
    low, high = 0, count
    while low < high:
        middle = (low + high + 1) // 2
        if over(middle, most):
            high = middle - 1
        else:
            low = middle
    return low


def archive(
    view: View,
    rolled: Sequence[Placement],
    projects: Sequence[str],
    language: Language,
    now: datetime,
) -> Path:
    """Write the old part beside the document; an archive that is there already stays as it is."""
    layout = layout_of(view, view.sections(projects), language)
    entries = [LayoutEntry(c.memory.id, view.shown(c.memory), c.section) for c in rolled]
    data = compose(new_parts(layout), entries, layout).encode()
    day = in_zone(now, view.settings.schedule.zone).date()
    number = 1
    while True:
        suffix = "" if number == 1 else f"-{number}"
        path = view.path.with_name(f"{view.path.stem}-{day}{suffix}{view.path.suffix}")
        try:
            found = files.read_bytes(path, len(data))
        except files.UnreadableFile:
            found = b""
        if found is None:
            files.write(path, data)
        if found is None or found == data:
            return path
        number += 1


def archives(view: View) -> list[Path]:
    """The dated files, oldest first."""
    stem, dated = view.path.stem, len(view.path.stem) + len("-2026-01-31")

    def order(path: Path) -> tuple[str, int]:
        number = path.stem[dated:].lstrip("-")
        return path.stem[:dated], int(number) if number.isdigit() else 1

    pattern = f"{escape(stem)}-????-??-??*{escape(view.path.suffix)}"
    return sorted(view.path.parent.glob(pattern), key=order)
