"""What belongs to one conversation: its window, its task, its variables."""

from __future__ import annotations

from collections.abc import Mapping

from mnemic.errors import InvalidInput
from mnemic.late import dataclass
from mnemic.learn.scratchpads import Scratchpads
from mnemic.record.short_term import CLEARED, ShortTermMemory
from mnemic.rules import checks
from mnemic.space import Space
from mnemic.store.contract import Unit
from mnemic.store.rows import TurnFilter
from mnemic.types import EMPTY, ConversationWindow, Json, SafeName, Scratchpad, Turn, constant

VARIABLES = constant("session.variables")
_MOST_VARIABLES = 100
_PAGE = 1_000


@dataclass(frozen=True, slots=True, eq=False)
class SessionState:
    """The state of the conversations of one space. Variables and the task outlive the process."""

    space: Space
    short_term: ShortTermMemory
    scratchpads: Scratchpads

    def recent(self, session: str, limit: int | None = None) -> list[Turn]:
        if limit is not None:
            checks.check_limit(limit)
        return list(self.short_term.recent(session, limit))

    def window(self, session: str, tokens: int | None = None) -> ConversationWindow:
        window = self.short_term.window(session, tokens)
        return ConversationWindow(window.summary, window.turns, window.tokens)

    def all(self, session: str) -> list[Turn]:
        """Every turn in the ledger, cleared or not."""
        name, turns = self.space.guard.name(session, "session"), list[Turn]()
        with self.space.read() as unit:
            while True:
                page = unit.ledger.turns(TurnFilter(session=name, limit=_PAGE, offset=len(turns)))
                turns += page
                if len(page) < _PAGE:
                    return turns

    def clear(self, session: str) -> None:
        """Begin the window anew; what was said stays in the ledger and in memory."""
        name, now = self.space.guard.name(session, "session"), self.space.now()
        with self.space.write() as unit:
            latest = unit.ledger.turns(TurnFilter(session=name, newest_first=True, limit=1))
            if not latest:
                return
            unit.journal.begin_new("clear", now).note(CLEARED, name, upto=latest[0].index)
        self.short_term.clear_until(session, latest[0].index)

    def set_task(self, task: str, session: str | None = None) -> Scratchpad:
        project = None if session is None else self.short_term.project_of(session)
        return self.scratchpads.assign(task, project or EMPTY)

    def variables(self, session: str) -> dict[str, Json]:
        with self.space.read() as unit:
            return _variables(unit, self.space.guard.name(session, "session"))

    def set_variables(self, session: str, values: Mapping[str, Json]) -> dict[str, Json]:
        """Change some variables; None removes one."""
        name, now = self.space.guard.name(session, "session"), self.space.now()
        for key in values:
            checks.check_name(key, "the name of a variable")
        with self.space.write() as unit:
            before = _variables(unit, name)
            after = {**before, **values}
            after = {key: value for key, value in after.items() if value is not None}
            if len(after) > _MOST_VARIABLES:
                raise InvalidInput(
                    f"A session would have {len(after)} variables",
                    remedy=f"Keep at most {_MOST_VARIABLES}; None removes one",
                )
            if after != before:
                unit.journal.begin_new("variables", now).note(
                    VARIABLES, name, **self.space.guard.json({"values": after}, "variables")
                )
            return _variables(unit, name)


def _variables(unit: Unit, session: SafeName) -> dict[str, Json]:
    latest = unit.journal.events(subject=session, type_=VARIABLES, limit=1)
    values = latest[0].payload["values"] if latest else {}
    return dict(values) if isinstance(values, dict) else {}
