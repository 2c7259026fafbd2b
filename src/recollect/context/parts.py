"""What goes into a context before it is fitted: cards, items, and the conversation."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from recollect.settings.reading import SectionName
from recollect.types import Left, Trust, Turn


@dataclass(frozen=True, slots=True)
class Item:
    """One piece of memory, with what is said beside it."""

    text: str
    id: str = ""
    at: datetime | None = None
    source: str = ""
    kind: str = ""
    trust: Trust = "external"
    score: float = 0.0


@dataclass(frozen=True, slots=True)
class Talk:
    """The conversation: the latest turns whole, and a summary of what was before them."""

    turns: tuple[Turn, ...] = ()
    summary: str = ""


@dataclass(frozen=True, slots=True)
class Parts:
    """Everything that is to be fitted. ``left`` was put aside before and is reported too.

    ``texts`` are parts that come as one text: cards, guide, rules, scratchpad, the host's own.
    """

    texts: Mapping[SectionName, str] = field(default_factory=dict)
    core: tuple[Item, ...] = ()
    evidence: tuple[Item, ...] = ()
    talk: Talk = Talk()
    left: tuple[Left, ...] = ()
