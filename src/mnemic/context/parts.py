"""The parts of a context before they are fitted: cards, items, and the conversation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from types import MappingProxyType
from typing import NamedTuple

from mnemic.days import LOCAL, Zone, local_time
from mnemic.language.tokens import TokenCounter
from mnemic.prompts import Language, words
from mnemic.settings.recall import SectionName
from mnemic.store.rows import CoreLine
from mnemic.types import Hit, Memory, Message, Omission, Source, Trust, Turn

BETWEEN = "\n\n"  # two parts


@dataclass(frozen=True, slots=True)
class Item:
    """One piece of memory with its date, source, kind and trust; ``learned_from`` are the turns of
    a memory, ``label`` what is shown in place of the kind."""

    text: str
    id: str = ""
    at: datetime | None = None
    source: str = ""
    kind: str = ""
    trust: Trust = "external"
    score: float = 0.0
    ended: datetime | None = None
    learned_from: tuple[str, ...] = ()
    label: str = ""


class Style(NamedTuple):
    """How a prompt is counted and written: the tokenizer, the language, the preset's headings."""

    count: TokenCounter
    language: Language
    headings: Mapping[str, str] = MappingProxyType({})

    def cost(self, text: str) -> int:
        """The cost of a part with the space to the next one."""
        return self.count(text + BETWEEN) if text else 0

    def heading(self, section: SectionName) -> str:
        """The heading of a part: the document's own, or ours; empty where it has none."""
        return self.headings.get(section) or words("headings", self.language).get(section, "")


class RenderedTurn(NamedTuple):
    """A turn as text and as a message, and the cost of each."""

    lines: str
    message: Message | None
    written: int
    spoken: int


RenderedKey = tuple[str, tuple[str, ...], Language, Zone, TokenCounter]


@dataclass(frozen=True, slots=True)
class ConversationPart:
    """The conversation: the latest turns whole, and a summary of what was before them; ``zone`` is
    the one its times are shown in.

    ``rendered`` caches turns from earlier messages of the same conversation.
    """

    turns: tuple[Turn, ...] = ()
    summary: str = ""
    zone: Zone = LOCAL
    rendered: dict[RenderedKey, RenderedTurn] = field(
        default_factory=dict, compare=False, repr=False
    )


@dataclass(frozen=True, slots=True)
class PromptParts:
    """Everything that is to be fitted. ``omitted`` was left out before and is reported too.

    ``texts`` are parts that come as one text: cards, guide, rules, scratchpad, the host's own.
    ``data`` is what memory may have written of a part that people write as well; it is fenced.
    ``query`` is the message that is being answered, ``finding`` the figure or the date it asks for.
    """

    texts: Mapping[SectionName, str] = field(default_factory=dict)
    core: tuple[Item, ...] = ()
    evidence: tuple[Item, ...] = ()
    conversation: ConversationPart = field(default_factory=ConversationPart)
    omitted: tuple[Omission, ...] = ()
    data: Mapping[SectionName, str] = field(default_factory=dict)
    query: str = ""
    finding: str = ""


SECRET = "a credential is never put into a prompt"
IN_HOST_PROMPT = "already in the host's prompt"
OUTDATED = "what was learned from it is no longer true"
UNTRUSTED = "what came from outside is not core until a person confirms it"
EPISODE = "episode"
PROMOTED: tuple[Trust, ...] = ("owner", "agent")
_LEAST_LINE = 15  # tokens: a day, a kind, who said it, and a word or two


def memory_item(memory: Memory | CoreLine, zone: Zone = LOCAL) -> Item:
    """A memory with the day it became true, not the day it was written down."""
    return Item(
        text=memory.text,
        id=memory.id,
        at=local_time(memory.valid_from, zone),
        source=first_source(memory.sources),
        kind=memory.kind,
        trust=memory.trust,
        learned_from=tuple(source.turn_id for source in memory.sources),
    )


def most_core_lines(tokens: int, capacity: int) -> int:
    """How many core memories are worth reading: no more than could stand in their part."""
    return min(capacity, max(1, tokens // _LEAST_LINE))


def hit_item(hit: Hit, zone: Zone) -> Item:
    """A hit with its day in a zone; a file counts as external, an episode as the agent's."""
    kind = f"{hit.type} of {hit.sender or hit.role}" if hit.role else hit.kind or hit.type
    trust = hit.trust or ("agent" if hit.type == "episode" else "external")
    at = local_time(hit.valid_from or hit.at, zone)
    turns = tuple(source.turn_id for source in hit.sources) if hit.type == "memory" else ()
    ended = hit.ended and local_time(hit.ended, zone)
    source = first_source(hit.sources)
    return Item(hit.text, hit.id, at, source, kind, trust, hit.score, ended, turns)


def first_source(sources: Sequence[Source]) -> str:
    """The first source, and how many more there are."""
    if not sources:
        return ""
    more = f" +{len(sources) - 1}" if len(sources) > 1 else ""
    return f"{sources[0].session}#{sources[0].index}{more}"
