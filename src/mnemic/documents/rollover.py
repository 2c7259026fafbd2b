"""Rolling Project.md: its old part moves to a dated file when it is too long; a summary stays."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from glob import escape
from operator import attrgetter
from pathlib import Path

from mnemic.days import Zone, day_of
from mnemic.documents import files
from mnemic.documents.headings import sections_of
from mnemic.documents.layout import LayoutEntry, compose
from mnemic.documents.selection import Placement
from mnemic.documents.views import View, layout_of, new_parts
from mnemic.language.markdown import harmless
from mnemic.language.truncation import cut
from mnemic.prompts import Language, words
from mnemic.store import new_file
from mnemic.types import GLOBAL_PROJECT, Memory


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
    entries = [LayoutEntry(c.memory.id, view.bullet_text(c.memory), c.section) for c in rolled]
    data = compose(new_parts(layout), entries, layout).encode()
    day = day_of(now, view.zone)
    number = 1
    while True:
        suffix = "" if number == 1 else f"-{number}"
        path = view.path.with_name(f"{view.path.stem}-{day}{suffix}{view.path.suffix}")
        try:
            existing = files.read_bytes(path, len(data))
        except files.UnreadableFile:
            existing = b""
        if existing is None:
            new_file.write(path, data)
        if existing is None or existing == data:
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


_BEST = 3
_CHARACTERS = 60
_ARCHIVES = 3


def summary(
    memories: Sequence[Memory],
    archives: Sequence[str],
    *,
    text_of: Callable[[Memory], str],
    language: Language,
    lines: int,
    zone: Zone,
) -> str:
    """Count, time span and files of the archives; then the best memories of each project."""
    texts, general = words("rollover", language), sections_of("project")[0]
    whole = f"{_span(memories, zone, texts)}: {', '.join(archives[-_ARCHIVES:])}"
    by_project: dict[str, list[Memory]] = {}
    for memory in sorted(memories, key=attrgetter("id"), reverse=True):
        by_project.setdefault(memory.project, []).append(memory)
    project_lines = []
    for name, project_memories in list(by_project.items())[:lines]:
        title = general.title(language) if name == GLOBAL_PROJECT else harmless(name)
        best = sorted(project_memories, key=lambda memory: -memory.importance)[:_BEST]
        cuts = (cut(text_of(memory).replace("\n", " "), _CHARACTERS) for memory in best)
        project_lines.append(f"{title}: {'; '.join(cuts)}")
    more = len(by_project) - len(project_lines)
    if more > 0:
        project_lines.append(texts["more"].format(more))
    return "\n".join([whole if archives else _span(memories, zone, texts), *project_lines])


def _span(memories: Sequence[Memory], zone: Zone, texts: Mapping[str, str]) -> str:
    if not memories:
        return texts["none"]
    days = sorted(day_of(memory.valid_from, zone) for memory in memories)
    return texts["span"].format(len(memories), days[0], days[-1])
