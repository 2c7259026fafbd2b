"""The preview of a removal: each affected item with its reason, and the words highlighted."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Literal

from mnemic.language.secrets.envelope import masked
from mnemic.rules import checks
from mnemic.store.contract import Unit
from mnemic.store.rows import StoredTextKind
from mnemic.types import Forgotten

if TYPE_CHECKING:
    from mnemic.forget.plan import ForgetPlan

_EXCERPT = 80  # characters of each text
_BEFORE = 20  # of them before the first word that is marked
_ELLIPSIS = "…"
Change = Literal["removed", "rewritten", "emptied", "renamed"]
_Item = tuple[str, str, Change, str, str]  # kind, id, change, why, text
# What the engine wrote itself.
ENGINE_TEXTS: tuple[StoredTextKind, ...] = ("turn reason", "job", "upkeep error")


def list_items(unit: Unit, plan: ForgetPlan, *, marked: bool) -> list[Forgotten]:
    """Every item; ``marked``, with a part of its text and the places of the words in it."""
    listed: list[Forgotten] = []
    for kind, id_, change, why, text in _items(unit, plan):
        places = plan.traces.highlights(text) if text and marked else ()
        listed.append(Forgotten(kind, id_, change, why, *_excerpt(text, places)))
    return listed


def _items(unit: Unit, plan: ForgetPlan) -> Iterator[_Item]:
    texts = _texts(unit, plan)
    for kind, ids in plan.removed.by_kind.items():
        for id_, why in ids.items():
            yield kind, id_, "removed", why, texts.get(id_, "")
        for id_ in plan.rewritten_episodes if kind == "episode" else ():
            yield kind, id_, "rewritten", "it tells of it", texts.get(id_, "")
    for id_ in plan.cards:
        yield "card", id_, "removed", "it quotes it", plan.quoting["card", id_]
    for kind, id_, _ in plan.rewritten:
        quote = plan.quoting.get((kind, id_), "")
        if kind in ENGINE_TEXTS:
            yield kind, id_, "emptied", "the engine noted it", quote
        else:
            yield kind, id_, "rewritten", "it quotes it", quote
    for name, after in plan.renamed.items():
        change: Change = "renamed" if after else "emptied"
        yield name.kind, after, change, "the name has the words", name.text
    for id_ in plan.detached:
        yield "memory", id_, "rewritten", "it loses a source; others said it too", ""


def _texts(unit: Unit, plan: ForgetPlan) -> dict[str, str]:
    """What is shown of each record: the text that matches, or its own."""
    removed = plan.removed
    episodes = [*removed.episodes, *plan.rewritten_episodes]
    days = unit.journal.daily_events(None, checks.MAX_ROWS) if removed.daily_events else []
    texts: dict[str, str] = {id_: id_ for id_ in removed.sessions}
    texts |= {turn.id: turn.text for turn in unit.ledger.turns_by_id(list(removed.turns))}
    texts |= {episode.id: episode.summary for episode in unit.episodes.by_id(episodes)}
    texts |= {f.id: f.filename for f in unit.attachments.by_id(list(removed.attachments))}
    texts |= {day.id: day.summary for day in days}
    texts |= removed.matches
    for memory in unit.memories.by_id(list(removed.memories)):
        visible = masked(memory)
        # A matching text may contain the secret, so a masked memory shows neither.
        if visible != memory or memory.id not in removed.matches:
            texts[memory.id] = visible.text
    return texts


def _excerpt(
    text: str, places: Sequence[tuple[int, int]]
) -> tuple[str, tuple[tuple[int, int], ...]]:
    """The part of a text to show, and the places of the words in it."""
    if len(text) <= _EXCERPT:
        return text, tuple(places)
    start = max(0, places[0][0] - _BEFORE) if places else 0
    start = max(0, min(start, len(text) - _EXCERPT))
    end = start + _EXCERPT
    before, after = _ELLIPSIS if start else "", _ELLIPSIS if end < len(text) else ""
    move = len(before) - start
    marks = tuple((a + move, min(b, end) + move) for a, b in places if a < end)
    return f"{before}{text[start:end]}{after}", marks
