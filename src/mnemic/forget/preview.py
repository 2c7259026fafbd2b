"""The preview of a removal: each affected item with its reason, and the words highlighted."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Literal

from mnemic.forget.traces import Traces
from mnemic.language.secrets.envelope import masked
from mnemic.store.contract import Unit
from mnemic.types import Forgotten, Turn

_EXCERPT = 80  # characters of each text
_BEFORE = 20  # of them before the first word that is marked
_ELLIPSIS = "…"

Change = Literal["removed", "rewritten", "emptied", "renamed"]


class Preview:
    """Collects the items. ``matches`` are the matching texts by record; without ``traces`` nothing
    is highlighted, for callers that only count.
    """

    def __init__(self, unit: Unit, traces: Traces | None, matches: Mapping[str, str]) -> None:
        self._unit = unit
        self._traces = traces
        self._matches = matches
        self.items: list[Forgotten] = []

    def add(self, kind: str, id_: str, change: Change, why: str, text: str) -> None:
        """Add one item; a long text is cut to the part with the words."""
        marks = self._traces.highlights(text) if text and self._traces is not None else ()
        excerpt, places = _excerpt(text, marks)
        self.items.append(Forgotten(kind, id_, change, why, excerpt, places))

    def turns(self, ids: Mapping[str, str], turns: Sequence[Turn]) -> None:
        self._all("turn", ids, {turn.id: turn.content for turn in turns})

    def memories(self, ids: Mapping[str, str]) -> None:
        texts: dict[str, str] = {}
        for memory in self._unit.memories.by_id(list(ids)):
            visible = masked(memory)
            # A matching text may contain the secret, so a masked memory shows neither.
            is_open = visible == memory
            texts[memory.id] = (
                self._matches.get(memory.id, visible.content) if is_open else visible.content
            )
        for id_, why in ids.items():
            self.add("memory", id_, "removed", why, texts.get(id_, ""))

    def episodes(self, ids: Mapping[str, str], rewritten: Iterable[str]) -> None:
        rewritten_ids = list(rewritten)
        summaries: dict[str, str] = {
            e.id: e.summary for e in self._unit.episodes.by_id([*ids, *rewritten_ids])
        }
        self._all("episode", ids, summaries)
        for id_ in rewritten_ids:
            text = self._matches.get(id_, summaries.get(id_, ""))
            self.add("episode", id_, "rewritten", "it tells of it", text)

    def attachments(self, ids: Mapping[str, str]) -> None:
        files = self._unit.attachments.by_id(list(ids))
        self._all("attachment", ids, {file.id: file.filename for file in files})

    def daily_events(self, ids: Mapping[str, str], events: Iterable[tuple[str, str]]) -> None:
        self._all("daily event", ids, dict(events))

    def _all(self, kind: str, ids: Mapping[str, str], texts: Mapping[str, str]) -> None:
        for id_, why in ids.items():
            self.add(kind, id_, "removed", why, self._matches.get(id_, texts.get(id_, "")))


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
