"""Which memories a document shows, and in which section: the best first."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable
from datetime import datetime, timedelta
from typing import NamedTuple

from mnemic.days import Zone, day_of
from mnemic.documents.headings import GENERAL, map_predicates
from mnemic.language.markdown import harmless
from mnemic.language.secrets.envelope import is_sealed
from mnemic.language.secrets.finder import redact
from mnemic.language.secrets.randomness import Bounds
from mnemic.rules.decay import fading
from mnemic.rules.slots import predicate_of, subject_of
from mnemic.rules.support import is_untrusted
from mnemic.types import GLOBAL_PROJECT, Kind, Memory

_DATED = re.compile(r"\d{4}-\d\d-\d\d\b")
_PROGRESS = ("decision", "event", "fact", "config", "rule", "lesson", "skill")


class Placement(NamedTuple):
    """A memory and the section it belongs to."""

    memory: Memory
    section: str


def may_be_shown(memory: Memory) -> bool:
    """Whether a memory may stand in a document: no secrets, no passing or untrusted statements."""
    return (
        memory.status == "active"
        and memory.kind not in ("credential", "temp")
        and not memory.session
        and not is_untrusted(memory.trust)
        and not is_sealed(memory.text)
    )


def bullet_text(memory: Memory, bounds: Bounds, dated_in: Zone | None = None) -> str:
    """The text of a memory's bullet, after its day in a zone where one is given."""
    text = harmless(redact(memory.text, bounds))
    if dated_in is not None and not _DATED.match(text):
        return f"{day_of(memory.valid_from, dated_in)} {text}"
    return text


def strip_date(text: str, memory: Memory, zone: Zone) -> str:
    """A person's words without the date we put before them."""
    return text.removeprefix(f"{day_of(memory.valid_from, zone)} ")


def by_value(memories: Iterable[Memory], now: datetime, half_life: timedelta) -> list[Memory]:
    """By importance x recency."""

    def value(memory: Memory) -> float:
        used = max(memory.last_accessed_at, memory.created_at)
        return memory.importance * fading(now - used, half_life)

    return sorted(memories, key=lambda memory: (-value(memory), memory.id))


def for_user(ranked: Iterable[Memory], elsewhere: Collection[str]) -> list[Memory]:
    """Memories about the user; of projects and rules of others, none ``elsewhere``."""

    def belongs(memory: Memory) -> bool:
        section = user_section(memory)
        if not section or subject_of(memory.subject) == "user":
            return bool(section)
        if memory.kind == "rule":
            return "memory" not in elsewhere
        return "project" not in elsewhere or not (section == "projects" or is_progress(memory))

    return list(filter(belongs, ranked))


def for_project(memories: Iterable[Memory], rolled: str) -> list[Memory]:
    """Progress, the latest first, without archived entries."""
    newest = sorted(memories, key=lambda memory: memory.id, reverse=True)
    return [memory for memory in newest if memory.id > rolled and is_progress(memory)]


def is_progress(memory: Memory) -> bool:
    """Whether a memory is about the progress of a project; without a project, only decisions."""
    if memory.project == GLOBAL_PROJECT:
        return memory.kind == "decision"
    return memory.kind in _PROGRESS


def project_section(memory: Memory) -> str:
    return GENERAL if memory.project == GLOBAL_PROJECT else f"project:{memory.project}"


def for_insights(memories: Iterable[Memory]) -> list[Memory]:
    """Experiences, the most used first, then the latest used."""
    experiences = (memory for memory in memories if memory.kind in ("skill", "lesson"))
    return sorted(
        experiences, key=lambda m: (-m.access_count, -m.last_accessed_at.timestamp(), m.id)
    )


def at_most_of_each(chosen: Iterable[Placement], most: int) -> list[Placement]:
    """The first few of each kind."""
    counts, capped = Counter[str](), []
    for placement in chosen:
        counts[placement.memory.kind] += 1
        if counts[placement.memory.kind] <= most:
            capped.append(placement)
    return capped


_NEVER: tuple[Kind, ...] = ("trait", "event", "lesson", "skill")
_BY_KIND: dict[Kind, str] = {
    "identity": "basics",
    "preference": "preferences",
    "config": "environment",
    "rule": "preferences",  # whoever it names: it is the user who gave it
}
_ABOUT_USER: dict[Kind, str] = {"fact": "basics", "decision": "projects"}


def user_section(memory: Memory) -> str:
    """The section of USER.md for a memory; empty for one that is not about the user."""
    if memory.kind in _NEVER:
        return ""
    what = predicate_of(memory.predicate)
    if subject_of(memory.subject) == "user":
        named = map_predicates("user").get(what, "")
        if named != "projects" and _ENVIRONMENT.search(memory.value or memory.text):
            return "environment"
        return named or _BY_KIND.get(memory.kind) or _ABOUT_USER.get(memory.kind, "")
    if memory.kind == "config" and what.endswith(("version", "版本")):
        return "stack"
    if memory.kind == "decision" and memory.project != GLOBAL_PROJECT:
        return "projects"  # what the talk is about
    return _BY_KIND.get(memory.kind, "")


_ENVIRONMENT = re.compile(
    r"\b(?:mac ?os|windows(?: \d+)?|ubuntu|debian|fedora|arch linux|vs ?code|neovim|vim|emacs"
    r"|pycharm|intellij(?: idea)?|zsh|bash|fish shell|powershell|tmux|iterm2?)\b",
    re.IGNORECASE,
)
