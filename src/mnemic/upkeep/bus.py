"""The event bus: rules in the settings that react to events of memory.

Every change is an event in the journal. A store seen through the bus also queues, in the same
transaction, the rules whose tests the event passes; a rule that asks first waits for a person.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import timedelta
from functools import partial
from typing import Any

from mnemic.clock import Clock
from mnemic.errors import Conflict, InvalidInput, NotFound
from mnemic.jobs.worker import JobPutOff
from mnemic.language.guard import guard_of
from mnemic.learn import session_end
from mnemic.record import triggers
from mnemic.rules import checks
from mnemic.rules.event_rules import wants
from mnemic.settings import Settings
from mnemic.settings.checks import HOST_ACTION, HOST_EVENT
from mnemic.settings.upkeep import EventRule
from mnemic.settings.values import Table
from mnemic.store.contract import Store, Unit
from mnemic.types import Action, Event, Job, Json, SafeName, constant, join_key, key_of
from mnemic.upkeep import DAILY_KIND, DOCUMENTS_KIND, STEP_KIND, WEEKLY_KIND

KIND = "rule"
ACTION_KIND = "action"
ASKED = "rule.asked"
NOTICE = constant("notice")
_DONE, _APPROVED, _ASKED = constant("done"), constant("approved"), constant("asked")
_OWN = (ASKED, "rule.done", "rule.approved")
_LISTENED = "add_event"
_ELSEWHERE = timedelta(minutes=10)  # until it is seen again whether this process has the action
# Jobs of actions that are no single step; one that waits stands for all that ask for it.
_JOBS = {
    "daily": (DAILY_KIND, "scheduled"),
    "weekly": (WEEKLY_KIND, "scheduled"),
    "documents": (DOCUMENTS_KIND, "all"),
}


def with_rules(store: Store, settings: Settings) -> Store:
    """The store with rules applied to its events."""
    proxy: Any = _BusStore(store, settings.events.rules)
    chosen: Store = proxy  # it forwards everything else
    return chosen


class Bus:
    """Runs the actions of rules, and asks where a rule says so. ``actions`` are the host's own."""

    def __init__(
        self, store: Store, clock: Clock, settings: Settings, actions: Mapping[str, Action]
    ) -> None:
        self._store = store
        self._clock = clock
        self._actions = actions
        self._words = settings.vocabulary
        self._rules = settings.events.rules
        self._guard = guard_of(settings)

    def run(self, job: Job) -> None:
        """All actions of a rule in one transaction, once for each event."""
        name = str(job.payload["rule"])
        rule = self._rules.get(name)
        if rule is None:
            return  # taken out of the settings meanwhile
        approved = bool(job.payload.get("approved"))
        operation = key_of("rule", constant(name), job.name_of("event"))
        with self._store.write(job.space) as unit:
            if unit.journal.operation(join_key(operation, _DONE)):
                return
            if rule.mode == "ask" and not approved:
                question = join_key(operation, _ASKED)
                if not unit.journal.operation(question):
                    self._note(unit, ASKED, question, {**job.payload, "rule": name}, rule)
                return
            for action in rule.actions:
                self._act(unit, action, job, operation)
            self._note(unit, "rule.done", join_key(operation, _DONE), job.payload, rule)

    def act(self, job: Job) -> None:
        """Run an action of the host, in a job of its own that is retried and shown alone."""
        name, wanted = str(job.payload["action"]), str(job.payload["event"])
        action = self._actions.get(name)
        if action is None:
            raise JobPutOff(
                f"No action {name} is registered in this process", self._clock.now() + _ELSEWHERE
            )
        subject = job.name_of("subject")
        with self._store.read(job.space) as unit:
            events = unit.journal.events(
                subject=subject, type_=str(job.payload["type"]), limit=checks.MAX_ROWS
            )
            event = next((event for event in events if event.id == wanted), None)
            if event is None:
                return  # forgotten meanwhile
            event = replace(event, payload=self._with_memory(unit, event))
        action(event)

    def _with_memory(self, unit: Unit, event: Event) -> Mapping[str, Json]:
        """The payload with its memory as it is now, without what was forgotten since."""
        memory = unit.memories.get(event.subject)
        if memory is None or memory.kind == "credential":
            return event.payload
        about: dict[str, Json] = {
            "text": memory.text,
            "kind": memory.kind,
            "category": self._words.kinds.word_of(memory.kind, memory.metadata),
            "importance": memory.importance,
        }
        return {**event.payload, **about}

    def emit(self, space: str, type_: str, payload: Mapping[str, Json], subject: str) -> Event:
        name = self._guard.name(type_, "type")
        if not name.startswith(HOST_EVENT) or name == HOST_EVENT:
            raise InvalidInput(
                f"{name!r:.60} is not a valid name for a host event",
                remedy=f"Begin it with {HOST_EVENT}, such as {HOST_EVENT}deployed",
            )
        now = self._clock.now()
        with self._store.write(space) as unit:
            return unit.journal.begin_new("host", now).note(
                name,
                self._guard.name(subject, "subject") if subject else name,
                **self._guard.json(dict(payload), "payload"),
            )

    def waiting(self, space: str) -> list[Event]:
        """Rules that wait for approval, the latest first."""
        with self._store.read(space) as unit:
            questions = unit.journal.events(type_=ASKED, limit=checks.MAX_ROWS)
            return [
                e
                for e in questions
                if not unit.journal.operation(join_key(e.operation_id, _APPROVED))
            ]

    def approve(self, space: str, event: str) -> None:
        """Approve the run of a rule that asked."""
        checks.check_name(event, "event")
        now = self._clock.now()
        with self._store.write(space) as unit:
            questions = unit.journal.events(type_=ASKED, limit=checks.MAX_ROWS)
            question = next((question for question in questions if question.id == event), None)
            if question is None:
                raise NotFound(f"No rule waits as {event}", remedy="See waiting_rules()")
            if unit.journal.operation(join_key(question.operation_id, _APPROVED)):
                raise Conflict(f"Rule {event} was approved before", remedy="See events()")
            payload = self._guard.json({**question.payload, "approved": True}, "payload")
            key = join_key(question.id, _APPROVED)
            unit.tasks.enqueue(KIND, {key: payload}, now=now)
            unit.journal.begin(join_key(question.operation_id, _APPROVED), now).note(
                "rule.approved", question.subject
            )

    def _act(self, unit: Unit, action: str, job: Job, operation: SafeName) -> None:
        now, subject = self._clock.now(), job.name_of("subject")
        if action.startswith(HOST_ACTION):
            about = {name: job.name_of(name) for name in ("event", "type", "subject")}
            name = constant(action.removeprefix(HOST_ACTION))
            key = join_key(operation, constant(action))
            unit.tasks.enqueue(ACTION_KIND, {key: {"action": name, **about}}, now=now)
        elif action == "notify":
            # The host finds it with events(type="notice").
            self._note(unit, NOTICE, join_key(operation, NOTICE), job.payload)
        elif action in ("consolidate", "episode"):
            triggers.queue_sessions(unit, session_end.KIND, [subject], now=now)
        elif action == "extract":
            triggers.queue(unit, [subject], now=now)
        else:
            kind, waits_as = _JOBS.get(action, (STEP_KIND, action))
            payload = {"step": constant(action)} if kind == STEP_KIND else {}
            unit.tasks.enqueue(kind, {constant(waits_as): payload}, now=now)

    def _note(
        self,
        unit: Unit,
        type_: str,
        operation: SafeName,
        payload: Mapping[str, Json],
        rule: EventRule | None = None,
    ) -> None:
        about = {} if rule is None else {"actions": list(rule.actions), "risk": rule.risk}
        unit.journal.begin(operation, self._clock.now()).note(
            type_,
            self._guard.short(str(payload["subject"])),
            **self._guard.json({**payload, **about}, "payload"),
        )


# --- listening ------------------------------------------------------------------------------------


@dataclass(eq=False)
class _BusStore:
    """A store whose writes queue rules; everything else is the store's."""

    store: Store
    rules: Table[EventRule]

    @contextmanager
    def write(self, space: str) -> Iterator[Unit]:
        with self.store.write(space) as unit:
            if _LISTENED not in vars(unit.journal):  # by an outer write of the same transaction
                vars(unit.journal)[_LISTENED] = partial(
                    self._add_event, unit, unit.journal.add_event
                )
            yield unit

    def _add_event(
        self, unit: Unit, add_event: Callable[..., Event], type_: str, **about: Any
    ) -> Event:
        """Write an event, and queue the rules that want it."""
        event = add_event(type_, **about)
        for name, rule in self.rules.items():
            # Rules do not set each other off in a circle.
            if type_ not in _OWN and wants(rule, event.type, event.payload):
                named = constant(name)
                asked = {"rule": named, "event": event.id, "subject": event.subject}
                payload = {**asked, "type": constant(event.type)}
                unit.tasks.enqueue(KIND, {join_key(named, event.id): payload}, now=event.at)
        return event

    def __getattr__(self, name: str) -> Any:
        return getattr(self.store, name)
