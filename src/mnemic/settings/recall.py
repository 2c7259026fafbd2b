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

    mode: GateMode = "always"
    min_chars: int = 5


class RecallSettings(SettingsGroup):
    """Finding evidence."""

    limit: int = setting(10, low=1)
    evidence: int = 50
    routes: tuple[Route, ...] = (
        "memory",
        "turn",
        "episode",
        "attachment",
        "slot",
        "entity",
        "time",
        "exact",
    )
    text_candidates: int = setting(50, low=1)
    vector_candidates: int = setting(40, low=1)
    rerank_folder: Place = ""
    recent: timedelta = setting("3d")
    enrich_turns: int = setting(5, low=1)
    supplement_below: int = 0
    min_score: float = ratio(0.002)
    evidence_score: float = ratio(0.2)
    touch: bool = True


class RankingWeights(SettingsGroup):
    """Parts of the score, each from 0 to 1; the weights add up to 1."""

    relevance: float = ratio(0.90)
    semantic: float = ratio(0.0)
    keyword: float = ratio(0.0)
    recency: float = ratio(0.04)
    importance: float = ratio(0.04)
    access: float = ratio(0.02)


class PersonaBoost(SettingsGroup):
    """What one persona cares about more than others."""

    kinds: tuple[KindName, ...] = ()
    factor: float = 1.0


class RankingSettings(SettingsGroup):
    """The order of evidence: a weighted sum, times boosts."""

    weights: RankingWeights = RankingWeights()
    fusion: Fusion = "learned"
    recency_half_life: timedelta = setting("30d")
    recency_clock: RecencyClock = "updated"
    importance_decays: bool = False
    personas: Table[PersonaBoost] = setting({})


class ContextSettings(SettingsGroup):
    """Fitting evidence and cards to a budget."""

    disclosure: Disclosure = "injected"
    total: int = 4000
    window: int = setting(8192, low=1)
    windows: Table[int] = setting({}, low=1)
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
        closed=True,
    )
    separate: tuple[SectionName, ...] = ()
    cut: tuple[SectionName, ...] = ()
    grow: tuple[SectionName, ...] = ("core", "evidence")
    keep: tuple[SectionName, ...] = ("cards", "identity", "user", "core")
    recent_turns: int = 12


class ShortTermSettings(SettingsGroup):
    """The running conversation, in process, rebuilt from the ledger."""

    max_messages: int = setting(200, low=2)
    compact_share: float = setting(0.5, high=1, above=True)
    window_tokens: int = setting(8000, low=1)
    recent_limit: int = setting(50, low=1)
    clear_at_end: bool = False
