"""What a model asks to be kept: checked like any text, then reconciled as its own idea."""

from __future__ import annotations

from recollect.clock import Clock
from recollect.errors import InvalidInput
from recollect.ids import new_id
from recollect.learn.candidates import Prepared
from recollect.learn.echo import tainted, untrusted_lines
from recollect.learn.reconciler import Reconciler, checked
from recollect.settings.environment import TrustSettings
from recollect.store.base import Store
from recollect.types import Candidate, Settled


class Proposals:
    """Takes candidates into one space."""

    def __init__(
        self,
        store: Store,
        space: str,
        clock: Clock,
        reconciler: Reconciler,
        *,
        trust: TrustSettings,
    ) -> None:
        self._store = store
        self._space = space
        self._clock = clock
        self._reconciler = reconciler
        self._trust = trust

    def propose(self, candidate: Candidate, *, operation_id: str | None = None) -> Settled:
        """Settle it now; the same operation again changes nothing and says what it did."""
        now = self._clock.now()
        if not isinstance(candidate, Candidate):
            raise InvalidInput(
                f"a candidate is a {type(candidate).__name__}",
                remedy="Pass recollect.Candidate(kind, content)",
            )
        told = checked(candidate, self._reconciler.guard)
        if told.trust == "agent":
            with self._store.read(self._space) as unit:
                told = tainted(told, (), untrusted_lines(unit, now, self._trust))
        # A secret is refused below, and shown to no model before that.
        refused = told.kind == "credential"
        prepared = Prepared() if refused else self._reconciler.prepare(told, now)
        with self._store.write(self._space) as unit:
            return self._reconciler.settle(
                unit,
                told,
                operation_id=operation_id or f"propose:{new_id(now)}",
                now=now,
                prepared=prepared,
                own_idea=True,
            )
