"""What a model asks to be kept: checked like any text, then reconciled as its own idea."""

from __future__ import annotations

from recollect.clock import Clock
from recollect.errors import InvalidInput
from recollect.ids import new_id
from recollect.learn.candidates import checked
from recollect.learn.echo import tainted, untrusted_lines
from recollect.learn.reconciler import Reconciler
from recollect.settings.environment import TrustSettings
from recollect.store.contract import Store
from recollect.types import Candidate, Decision


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

    def propose(self, candidate: Candidate, *, operation_id: str | None = None) -> Decision:
        """Settle it now; the same operation again changes nothing and says what it did."""
        now = self._clock.now()
        if not isinstance(candidate, Candidate):
            raise InvalidInput(
                f"a candidate is a {type(candidate).__name__}",
                remedy="Pass recollect.Candidate(kind, content)",
            )
        safe = checked(candidate, self._reconciler.guard)
        if safe.trust == "agent":
            with self._store.read(self._space) as unit:
                safe = tainted(safe, (), untrusted_lines(unit, now, self._trust))
        # A secret is refused below, and shown to no model before that.
        advice = None if safe.kind == "credential" else self._reconciler.advise(safe, now)
        with self._store.write(self._space) as unit:
            return self._reconciler.settle(
                unit,
                safe,
                operation_id=operation_id or f"propose:{new_id(now)}",
                now=now,
                advice=advice,
                own_idea=True,
            )
