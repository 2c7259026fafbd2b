"""What went into archives, summed up in a few lines by rule."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from operator import attrgetter

from recollect.documents.headings import GENERAL, Language
from recollect.language.digest import shorten
from recollect.language.markdown import harmless
from recollect.types import Memory

_BEST = 3
_CHARACTERS = 60
_ARCHIVES = 3


def summary(
    memories: Sequence[Memory],
    archives: Sequence[str],
    *,
    shown: Callable[[Memory], str],
    language: Language,
    lines: int,
    global_project: str,
) -> str:
    """How much, of which time, where it is; then the weightiest of each project, latest first."""
    zh = language == "zh"
    whole = f"{_span(memories, zh)}: {', '.join(archives[-_ARCHIVES:])}"
    by_project: dict[str, list[Memory]] = {}
    for memory in sorted(memories, key=attrgetter("id"), reverse=True):
        by_project.setdefault(memory.project, []).append(memory)
    told = []
    for name, found in list(by_project.items())[:lines]:
        title = GENERAL.title(language) if name == global_project else harmless(name)
        told.append(f"{title}: {_best(found, shown)}")
    more = len(by_project) - len(told)
    if more > 0:
        told.append(f"还有 {more} 个项目" if zh else f"and {more} more projects")
    return "\n".join([whole if archives else _span(memories, zh), *told])


def _span(memories: Sequence[Memory], zh: bool) -> str:
    if not memories:
        return "已归档" if zh else "Archived"
    days = sorted(f"{memory.valid_from:%Y-%m-%d}" for memory in memories)
    if zh:
        return f"{len(memories)} 条已归档，{days[0]} 至 {days[-1]}"
    return f"{len(memories)} entries archived, {days[0]} to {days[-1]}"


def _best(memories: Sequence[Memory], shown: Callable[[Memory], str]) -> str:
    best = sorted(memories, key=lambda memory: -memory.importance)[:_BEST]
    return "; ".join(shorten(shown(memory).replace("\n", " "), _CHARACTERS) for memory in best)
