"""Which memories a document shows, and in which section: the best first."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import NamedTuple

from recollect.documents.headings import GENERAL, Language
from recollect.documents.user_sections import user_section
from recollect.language.markdown import harmless
from recollect.language.secrets.envelope import is_sealed
from recollect.language.secrets.finder import redact
from recollect.language.secrets.randomness import Bounds
from recollect.rules.decay import fading
from recollect.rules.support import untrusted
from recollect.types import Memory

_HAN = re.compile("[\u3400-\u9fff]")
_DATED = re.compile(r"\d{4}-\d\d-\d\d\b")
_PROGRESS = ("decision", "event", "fact", "config", "rule", "lesson", "skill")


class Placement(NamedTuple):
    """A memory and the section it belongs to."""

    memory: Memory
    section: str


def may_be_shown(memory: Memory) -> bool:
    """Secrets, passing things and what no person vouched for stay out of documents."""
    return (
        memory.status == "active"
        and memory.kind not in ("credential", "temp")
        and not memory.session
        and not untrusted(memory.trust)
        and not is_sealed(memory.content)
    )


def shown(memory: Memory, bounds: Bounds, *, dated: bool = False) -> str:
    """What a bullet says of a memory."""
    text = harmless(redact(memory.content, bounds))
    if dated and not _DATED.match(text):
        return f"{memory.valid_from:%Y-%m-%d} {text}"
    return text


def undated(text: str, memory: Memory) -> str:
    """A person's words without the date we put before them."""
    return text.removeprefix(f"{memory.valid_from:%Y-%m-%d} ")


def language_of(texts: Iterable[str]) -> Language:
    """Chinese when most statements are."""
    han = other = 0
    for text in texts:
        if _HAN.search(text):
            han += 1
        else:
            other += 1
    return "zh" if han > other else "en"


def value(memory: Memory, now: datetime, half_life: timedelta) -> float:
    """Importance x recency."""
    used = max(memory.last_accessed_at, memory.created_at)
    return memory.importance * fading(now - used, half_life)


def by_value(memories: Iterable[Memory], now: datetime, half_life: timedelta) -> list[Memory]:
    return sorted(memories, key=lambda m: (-value(m, now, half_life), m.id))


def for_memory(ranked: Iterable[Memory]) -> list[Placement]:
    """Everything by its kind."""
    return [Placement(memory, memory.kind) for memory in ranked]


def for_user(ranked: Iterable[Memory]) -> list[Placement]:
    """What is about the user, each in its section."""
    found = (Placement(memory, user_section(memory)) for memory in ranked)
    return [chosen for chosen in found if chosen.section]


def for_project(memories: Iterable[Memory], global_project: str, rolled: str) -> list[Placement]:
    """Progress, the latest first, without what an archive holds."""
    newest = sorted(memories, key=lambda memory: memory.id, reverse=True)
    return [
        Placement(memory, project_section(memory, global_project))
        for memory in newest
        if memory.id > rolled and is_progress(memory, global_project)
    ]


def is_progress(memory: Memory, global_project: str) -> bool:
    """What tells how a project stands; of no project in particular, only decisions."""
    if memory.project == global_project:
        return memory.kind == "decision"
    return memory.kind in _PROGRESS


def project_section(memory: Memory, global_project: str) -> str:
    return GENERAL.key if memory.project == global_project else f"project:{memory.project}"


def for_insights(memories: Iterable[Memory]) -> list[Placement]:
    """Experiences, the most used first, then the latest used."""
    found = [memory for memory in memories if memory.kind in ("skill", "lesson")]
    found.sort(key=lambda m: (-m.access_count, -m.last_accessed_at.timestamp(), m.id))
    return [Placement(memory, memory.kind) for memory in found]


def for_persona(ranked: Iterable[Memory], least: float) -> list[Placement]:
    """Strong traits."""
    return [
        Placement(memory, "trait")
        for memory in ranked
        if memory.kind == "trait" and memory.confidence >= least
    ]


def at_most_of_each(chosen: Iterable[Placement], most: int) -> list[Placement]:
    """The first few of each kind."""
    taken: Counter[str] = Counter()
    kept = []
    for one in chosen:
        taken[one.memory.kind] += 1
        if taken[one.memory.kind] <= most:
            kept.append(one)
    return kept
