"""What forgetting would do, told one by one: why each thing goes, with the words marked."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Literal

from recollect.forget.traces import Traces
from recollect.language.secrets.envelope import masked
from recollect.store.contract import Unit
from recollect.types import Forgotten, Turn

_SHOWN = 80  # characters of each text
_BEFORE = 20  # of them before the first word that is marked
_CUT = "…"

Change = Literal["removed", "rewritten", "emptied", "renamed"]


class Preview:
    """Gathers the items. ``found`` are texts by record in which the words were found; without
    ``traces`` nothing is marked, for who only counts.
    """

    def __init__(self, unit: Unit, traces: Traces | None, found: Mapping[str, str]) -> None:
        self._unit = unit
        self._traces = traces
        self._found = found
        self.items: list[Forgotten] = []

    def add(self, kind: str, id_: str, change: Change, why: str, text: str) -> None:
        """One item; of a long text the part with the words."""
        marks = self._traces.highlights(text) if text and self._traces is not None else ()
        shown, places = _part(text, marks)
        self.items.append(Forgotten(kind, id_, change, why, shown, places))

    def turns(self, ids: Mapping[str, str], said: Sequence[Turn]) -> None:
        self._all("turn", ids, {turn.id: turn.content for turn in said})

    def memories(self, ids: Mapping[str, str]) -> None:
        shown: dict[str, str] = {}
        for memory in self._unit.memories.by_id(list(ids)):
            told = masked(memory)
            # A secret is shown nowhere, nor is what may hold it.
            open_ = told == memory
            shown[memory.id] = self._found.get(memory.id, told.content) if open_ else told.content
        for id_, why in ids.items():
            self.add("memory", id_, "removed", why, shown.get(id_, ""))

    def episodes(self, ids: Mapping[str, str], retold: Iterable[str]) -> None:
        again = list(retold)
        shown: dict[str, str] = {e.id: e.summary for e in self._unit.episodes.by_id([*ids, *again])}
        self._all("episode", ids, shown)
        for id_ in again:
            text = self._found.get(id_, shown.get(id_, ""))
            self.add("episode", id_, "rewritten", "it tells of it", text)

    def attachments(self, ids: Mapping[str, str]) -> None:
        files = self._unit.attachments.by_id(list(ids))
        self._all("attachment", ids, {file.id: file.filename for file in files})

    def daily_events(self, ids: Mapping[str, str], events: Iterable[tuple[str, str]]) -> None:
        self._all("daily event", ids, dict(events))

    def _all(self, kind: str, ids: Mapping[str, str], shown: Mapping[str, str]) -> None:
        for id_, why in ids.items():
            self.add(kind, id_, "removed", why, self._found.get(id_, shown.get(id_, "")))


def _part(text: str, places: Sequence[tuple[int, int]]) -> tuple[str, tuple[tuple[int, int], ...]]:
    """The part of a text that is shown, and where in it the words stand."""
    if len(text) <= _SHOWN:
        return text, tuple(places)
    start = max(0, places[0][0] - _BEFORE) if places else 0
    start = max(0, min(start, len(text) - _SHOWN))
    end = start + _SHOWN
    before, after = _CUT if start else "", _CUT if end < len(text) else ""
    move = len(before) - start
    shown = tuple((a + move, min(b, end) + move) for a, b in places if a < end)
    return f"{before}{text[start:end]}{after}", shown
