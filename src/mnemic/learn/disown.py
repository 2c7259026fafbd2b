"""When a second person speaks as the user: what the session taught as the owner's is taken back.

Its user turns become external, memories that stand on nothing better are archived and what they had
replaced holds again, and the turns wait to be read once more, as words of whoever said them.
"""

from __future__ import annotations

from datetime import datetime

from mnemic.ids import new_id
from mnemic.late import dataclass
from mnemic.learn.rollback_plan import RollbackPlan, RollbackSource
from mnemic.rules.speakers import speaker_mark
from mnemic.settings import Settings
from mnemic.store.contract import Unit
from mnemic.types import SafeName, constant, key_of

EVENT = "disown"


@dataclass(frozen=True, slots=True)
class Disowner:
    """Lowers a session in the transaction that recorded the second person."""

    settings: Settings
    owners: frozenset[int]

    def __call__(self, unit: Unit, session: SafeName, now: datetime) -> None:
        senders = [
            sender
            for sender in unit.ledger.claimants(session)
            if speaker_mark(sender) not in self.owners
        ]
        turns = unit.ledger.disown(session, senders)
        if not turns:
            return
        operation = key_of(EVENT, new_id(now))
        undoing = RollbackPlan(
            unit, RollbackSource("speech", session, frozenset(turns)), self.settings, now
        )
        undoing.plan()
        report = undoing.write(operation)
        unit.eraser.learn_again(turns)
        unit.ledger.drop_transcript(session)  # the copy states the trust of each turn
        unit.journal.begin(operation, now).note(
            EVENT,
            session,
            reason=RollbackSource("speech", session).reason,
            turns=len(turns),
            memories=len(report.removed),
            to=constant("external"),
        )
