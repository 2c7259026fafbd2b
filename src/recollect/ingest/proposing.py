"""What a model asks to be kept: checked like any text, then reconciled as its own idea."""

from __future__ import annotations

from dataclasses import replace

from recollect.clock import Clock
from recollect.errors import InvalidInput
from recollect.ids import new_id
from recollect.ingest.accept import Limits
from recollect.ingest.preparing import Prepared
from recollect.ingest.reconcile import Reconciler
from recollect.rules import intake
from recollect.store.base import Store
from recollect.types import Candidate, Settled


class Proposals:
    """Takes candidates into one space."""

    def __init__(
        self, store: Store, space: str, clock: Clock, limits: Limits, reconciler: Reconciler
    ) -> None:
        self._store = store
        self._space = space
        self._clock = clock
        self._limits = limits
        self._reconciler = reconciler

    def propose(self, candidate: Candidate, *, operation_id: str | None = None) -> Settled:
        """Settle it now; the same operation again changes nothing and says what it did."""
        now = self._clock.now()
        told = self._accepted(candidate)
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

    def _accepted(self, candidate: Candidate) -> Candidate:
        if not isinstance(candidate, Candidate):
            raise InvalidInput(
                f"a candidate is a {type(candidate).__name__}",
                remedy="Pass recollect.Candidate(kind, content)",
            )
        limits = self._limits
        intake.check_text(candidate.content, "content", limits.characters)
        intake.check_text(candidate.value, "value", limits.characters)
        for name in ("subject", "predicate"):
            intake.check_text(getattr(candidate, name), name, intake.MAX_NAME)
        tags = intake.check_tags(candidate.tags, limits.tags)
        content = limits.clean(candidate.content)

        def kept(part: str) -> str:
            return limits.clean_part(part, candidate.content, content)

        return replace(
            candidate,
            content=content,
            value=kept(candidate.value),
            subject=kept(candidate.subject),
            predicate=kept(candidate.predicate),
            tags=tuple(dict.fromkeys(filter(None, map(kept, tags)))),
        )
