"""Settings of recall: the gate, the search, ranking, and the prompt."""

from datetime import timedelta
from typing import Literal

from mnemic.settings.group import SettingsGroup, ratio, setting
from mnemic.settings.values import Place, Size, Table

GateMode = Literal["always", "gated", "referring", "on_demand"]
Route = Literal[
    "memory", "turn", "episode", "attachment", "slot", "entity", "time", "partition", "recent",
    "exact",
]  # fmt: skip
Fusion = Literal["learned", "rrf", "best"]
RecencyClock = Literal["created", "updated", "accessed"]
KindName = Literal[
    "identity", "preference", "rule", "config", "credential", "fact", "decision", "skill",
    "lesson", "event", "trait", "temp",
]  # fmt: skip
SectionName = Literal[
    "guide", "system", "identity", "persona", "runtime", "rules", "cards", "user", "scratchpad",
    "core", "evidence", "recent", "catalogs", "reply",
]  # fmt: skip
Disclosure = Literal["injected", "progressive"]


class GateSettings(SettingsGroup):
    """Whether a message wants memory; a recall that is asked for by name is never gated."""

    mode: GateMode = setting(
        "always",
        "Search for every message; for those that ask or refer to something known; for those that"
        " refer to the past, a date or a file, or ask for a figure, a date or a field; or by tool.",
    )
    min_chars: int = setting(5, "Messages of fewer bytes of UTF-8 want no memory.")


class RecallSettings(SettingsGroup):
    """Finding evidence."""

    limit: int = setting(10, "Results when the caller does not say how many.", low=1)
    evidence: int = setting(50, "Most pieces of evidence put into a prompt.")
    routes: tuple[Route, ...] = setting(
        ("memory", "turn", "episode", "attachment", "slot", "entity", "time", "exact"),
        "Ways of searching, and the records that are searched when the caller names none.",
    )
    text_candidates: int = setting(50, "Candidates taken from full text.", low=1)
    vector_candidates: int = setting(
        40, "Candidates taken from vectors; more where a filter may drop some.", low=1
    )
    rerank_folder: Place = setting(
        "", "Folder of a cross-encoder that puts the best results in order; empty: none."
    )
    recent: timedelta = setting("3d", "What the `recent` route looks back on.")
    enrich_turns: int = setting(5, "Last turns that enrich the query.", low=1)
    supplement_below: int = setting(
        0, "Ask full text only when the partition gave fewer than this; 0: ask always."
    )
    min_score: float = ratio(
        0.002, "Results below this score are left out, unless the caller says otherwise."
    )
    evidence_score: float = ratio(
        0.2,
        "Evidence is put into a prompt where its best three pieces together are this probable;"
        " weaker ones fill the room that is free, the fewer the less there is, but not where a"
        " formula is the order (`ranking.fusion`). 0: every piece, the best first.",
    )
    touch: bool = setting(True, "Count the use of what was recalled, which slows its decay.")


class RankingWeights(SettingsGroup):
    """Parts of the score, each from 0 to 1; the weights add up to 1."""

    relevance: float = ratio(0.90, "The fused result of text and vectors.")
    semantic: float = ratio(0.0, "Likeness of the vectors alone.")
    keyword: float = ratio(0.0, "Full-text score alone.")
    recency: float = ratio(0.04, "How recent it is.")
    importance: float = ratio(0.04, "How important it is.")
    access: float = ratio(0.02, "How often it was used.")


class PersonaBoost(SettingsGroup):
    """What one persona cares about more than others."""

    kinds: tuple[KindName, ...] = setting((), "Kinds that count for more.")
    factor: float = setting(1.0, "Their scores are multiplied by this.")


class RankingSettings(SettingsGroup):
    """The order of evidence: a weighted sum, times boosts."""

    weights: RankingWeights = RankingWeights()
    fusion: Fusion = setting(
        "learned",
        "The order of evidence: by the learned probability that a piece is evidence, which the"
        " weights do not change, or by the weighted sum whose `relevance` is made from the"
        " reciprocal ranks of the routes, or is the best score of any.",
    )
    recency_half_life: timedelta = setting("30d", "Age at which recency has fallen to one half.")
    recency_clock: RecencyClock = setting("updated", "The time recency counts from.")
    importance_decays: bool = setting(False, "Weigh importance after its decay, not as written.")
    personas: Table[PersonaBoost] = setting({}, "What each persona ranks higher.")


class ContextSettings(SettingsGroup):
    """Fitting evidence and cards to a budget."""

    disclosure: Disclosure = setting(
        "injected", "Put evidence into the prompt, or let the model ask for it."
    )
    total: int = setting(4000, "Tokens of the whole; 0: the model's window.")
    window: int = setting(
        8192, "Window of a model that is not in `windows` and not a well-known one.", low=1
    )
    windows: Table[int] = setting(
        {}, "Window of each model, by its name; comes before what is known of it.", low=1
    )
    sections: Table[Size] = setting(
        {
            "guide": 0,
            "system": 0,
            "identity": 350,
            "persona": 0,
            "runtime": 0,
            "rules": 0,
            "cards": 0,
            "user": 120,
            "scratchpad": 300,
            "core": 500,
            "evidence": 1500,
            "recent": 1200,
            "catalogs": 0,
            "reply": 0,
        },
        "Size of each part of the prompt; `reply` is left free for the answer.",
        closed=True,
    )
    separate: tuple[SectionName, ...] = setting((), "Parts that `total` does not count.")
    cut: tuple[SectionName, ...] = setting(
        (),
        "Over budget: the parts to cut, the first to nothing before the second loses anything;"
        " none: evidence and conversation share what the others leave.",
    )
    grow: tuple[SectionName, ...] = setting(
        ("core", "evidence"),
        "Parts that may be larger than their size where there is room, the core up to half of it.",
    )
    keep: tuple[SectionName, ...] = setting(
        ("cards", "identity", "user", "core"), "Parts that are never cut."
    )
    recent_turns: int = setting(
        12, "Latest exchanges, a message and its answer, that stay in the prompt; 0: all that fit."
    )


class ShortTermSettings(SettingsGroup):
    """The running conversation, in process, rebuilt from the ledger."""

    max_messages: int = setting(200, "Messages held before the older ones are summed up.", low=2)
    compact_share: float = setting(0.5, "Share of them that becomes a summary.", high=1, above=True)
    window_tokens: int = setting(8000, "Tokens of a window when the caller names none.", low=1)
    recent_limit: int = setting(50, "Latest messages when the caller does not say how many.", low=1)
    clear_at_end: bool = setting(False, "Whether the window begins anew when a session has ended.")
