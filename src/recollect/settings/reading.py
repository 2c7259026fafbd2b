"""Settings of the way out: the gate, recall, ranking, and the prompt."""

from __future__ import annotations

from datetime import timedelta
from typing import Literal

from recollect.settings.codecs import Whole
from recollect.settings.section import (
    Section,
    between,
    choice,
    count,
    flag,
    group,
    names,
    number,
    ratio,
    size,
    span,
    table,
    table_of,
    text,
)
from recollect.settings.values import Size, Span, Table

GateMode = Literal["always", "gated", "on_demand"]
Route = Literal[
    "memory", "turn", "episode", "attachment", "entity", "time", "partition", "recent", "exact"
]
Fusion = Literal["conversation", "rrf", "best"]
RecencyClock = Literal["created", "updated", "accessed"]
KindName = Literal[
    "identity",
    "preference",
    "rule",
    "config",
    "credential",
    "fact",
    "decision",
    "skill",
    "lesson",
    "event",
    "trait",
    "temp",
]
SectionName = Literal[
    "guide",
    "system",
    "identity",
    "persona",
    "runtime",
    "rules",
    "cards",
    "user",
    "scratchpad",
    "core",
    "evidence",
    "recent",
    "catalogs",
    "reply",
]
Disclosure = Literal["injected", "progressive"]


class Gate(Section):
    """Whether a message wants memory; a recall that is asked for by name is never gated."""

    mode: GateMode = choice(
        "always", GateMode, "Search for every message, for those the rules let through, or by tool."
    )
    min_chars: int = count(5, "Shorter messages want no memory.")


class Recall(Section):
    """Finding evidence."""

    limit: int = count(10, "Results when the caller does not say how many.", low=1)
    evidence: Span = between(3, 5, "Pieces of evidence put into a prompt.")
    routes: tuple[Route, ...] = names(
        ("memory", "turn", "episode", "attachment", "entity", "time", "exact"),
        Route,
        "Ways of searching that are tried when the caller names none.",
    )
    text_candidates: int = count(40, "Candidates taken from full text.", low=1)
    shared_candidates: int = count(
        20, "The same where vectors give theirs too, unless the query is wide or filtered.", low=1
    )
    vector_candidates: int = count(20, "Candidates taken from vectors.", low=1)
    wide_candidates: int = count(
        100,
        "The same for a wide query, which asks for help, for a whole course of things or for what"
        " was on a date, and for one with a filter.",
        low=1,
    )
    oversample: int = count(2, "Take at least this many candidates per wanted result.", low=1)
    rerank_folder: str = text(
        "", "Folder of a cross-encoder that puts the best results in order; empty: none."
    )
    recent: timedelta = span("3d", "What the `recent` route looks back on.")
    enrich_turns: Span = between(3, 5, "Last turns that enrich the query.")
    supplement_below: int = count(
        0, "Ask full text only when the partition gave fewer than this; 0: ask always."
    )
    min_score: float = ratio(0.0, "Evidence below this score is left out.")
    touch: bool = flag(True, "Count the use of what was recalled, which slows its decay.")


class Weights(Section):
    """Parts of the score, each from 0 to 1; the weights add up to 1."""

    relevance: float = ratio(0.90, "The fused result of text and vectors.")
    semantic: float = ratio(0.0, "Likeness of the vectors alone.")
    keyword: float = ratio(0.0, "Full-text score alone.")
    recency: float = ratio(0.04, "How recent it is.")
    importance: float = ratio(0.04, "How important it is.")
    access: float = ratio(0.02, "How often it was used.")


class PersonaBoost(Section):
    """What one persona cares about more than others."""

    kinds: tuple[KindName, ...] = names((), KindName, "Kinds that count for more.")
    factor: float = number(1.0, "Their scores are multiplied by this.")


class Ranking(Section):
    """The order of evidence: a weighted sum, times boosts."""

    weights: Weights = group(Weights)
    fusion: Fusion = choice(
        "conversation",
        Fusion,
        "How `relevance` is made: from words, vectors and the conversation around a turn, by the"
        " reciprocal ranks of the routes, or as the best score of any.",
    )
    recency_half_life: timedelta = span("30d", "Age at which recency has fallen to one half.")
    recency_clock: RecencyClock = choice("updated", RecencyClock, "The time recency counts from.")
    importance_decays: bool = flag(False, "Weigh importance after its decay, not as written.")
    personas: Table[PersonaBoost] = table(PersonaBoost, "What each persona ranks higher.")


class Sections(Section):
    """The size of each part of the prompt."""

    guide: Size = size(0, "How to use the memory tools.")
    system: Size = size(0, "The host's own system prompt.")
    identity: Size = size(350, "Who the agent is.")
    persona: Size = size(0, "The active persona.")
    runtime: Size = size(0, "Where the agent runs.")
    rules: Size = size(0, "Rules of the session.")
    cards: Size = size(0, "Cards of agent and user in one part.")
    user: Size = size(120, "Who the user is.")
    scratchpad: Size = size(300, "What is being worked on.")
    core: Size = size(500, "What is always known.")
    evidence: Size = size(1500, "What was recalled for this message.")
    recent: Size = size(1200, "The latest turns.")
    catalogs: Size = size(0, "Lists of tools and skills.")
    reply: Size = size(0, "Left free for the answer.")


class Context(Section):
    """Fitting evidence and cards to a budget."""

    disclosure: Disclosure = choice(
        "injected", Disclosure, "Put evidence into the prompt, or let the model ask for it."
    )
    total: int = count(4000, "Tokens of the whole; 0: the model's window.")
    window: int = count(8192, "Window of a model that is not in `windows`.", low=1)
    windows: Table[int] = table_of(Whole(1, None), {}, "Window of each model, by its name.")
    sections: Sections = group(Sections)
    separate: tuple[SectionName, ...] = names((), SectionName, "Parts that `total` does not count.")
    cut: tuple[SectionName, ...] = names(
        ("evidence", "recent"), SectionName, "Over budget: the parts to cut, first one first."
    )
    keep: tuple[SectionName, ...] = names(
        ("cards", "identity", "user", "core"), SectionName, "Parts that are never cut."
    )
    recent_turns: Span = between(8, 12, "Latest turns that stay in the prompt.")


class ShortTerm(Section):
    """The running conversation, in process, rebuilt from the ledger."""

    max_messages: int = count(200, "Messages held before the older ones are summed up.", low=2)
    compact_share: float = number(
        0.5, "Share of them that becomes a summary.", low=0, high=1, above=True
    )
    window_tokens: int = count(8000, "Tokens of a window when the caller names none.", low=1)
    recent_limit: int = count(50, "Latest messages when the caller does not say how many.", low=1)
