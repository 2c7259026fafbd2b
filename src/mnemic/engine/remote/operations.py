"""What can be asked over HTTP: one table, from which come the routes of the service, its OpenAPI
document, the checks of what is sent, and the clients.

An operation is a method of `Mind` or `Session` (or a function whose first argument is a mind); its
parameters and its answer are those of the call.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal, Unpack, get_type_hints

from mnemic.engine.mind import Mind
from mnemic.engine.session import Session
from mnemic.engine.trail import list_accesses
from mnemic.errors import InvalidInput
from mnemic.rules.signatures import Argument, arguments_of
from mnemic.settings.dump import as_mapping
from mnemic.types import Attachment, AttachmentDetails, Scope, Turn

Method = Literal["GET", "POST", "PUT", "PATCH", "DELETE"]
SPACE_PATH = "/v1/spaces/{space}"
PAGE_LIMIT = 1_000  # entries of one page of a list
_USUAL_LIMIT = 100
_MOST_AROUND = 100
# Functions cannot be sent: the service counts tokens itself, and reports no progress.
LOCAL = frozenset({"count", "progress"})


@dataclass(frozen=True, slots=True)
class CallParameter:
    """One argument of an operation; ``default`` is what the call itself takes without it."""

    name: str
    annotation: Any
    required: bool
    default: Any = None


@dataclass(frozen=True)
class Operation:
    """One operation, below the address of a space.

    ``lasting`` ones may take minutes; ``everywhere`` are about the whole database, so that they
    need a token of every space. ``short`` ones are one transaction, which their answer can join;
    the answer of a ``secret`` one is kept nowhere.
    """

    name: str
    method: Method
    path: str
    scope: Scope
    call: Callable[..., Any]
    lasting: bool = False
    everywhere: bool = False
    short: bool = False
    secret: bool = False

    @property
    def of_session(self) -> bool:
        """Whether it is a method of a conversation, whose id is in the path."""
        return self.call.__qualname__.startswith(f"{Session.__name__}.")

    @property
    def is_method(self) -> bool:
        """Whether it is a method of a conversation or a mind, not a function on one."""
        return self.of_session or self.call.__qualname__.startswith(f"{Mind.__name__}.")

    @cached_property
    def parameters(self) -> dict[str, CallParameter]:
        """By name, in the order of the call."""
        parameters = {
            name: CallParameter(name, argument.annotation, True)
            if argument.default is inspect.Parameter.empty
            else CallParameter(name, argument.annotation, False, argument.default)
            for name, argument in self._arguments.items()
            if name not in LOCAL
        }
        if self.of_session:
            parameters = {"session": CallParameter("session", str, True), **parameters}
        if self.paged:
            parameters.setdefault("offset", CallParameter("offset", int, False, 0))
            if parameters["limit"].default is None:
                parameters["limit"] = replace(parameters["limit"], default=_USUAL_LIMIT)
        return parameters

    @cached_property
    def answer(self) -> Any:
        """The annotation of what it gives."""
        return get_type_hints(self.call)["return"]

    @property
    def path_names(self) -> list[str]:
        """The parameters that are part of the path."""
        return [segment[1:-1] for segment in self.path.split("/") if segment.startswith("{")]

    @property
    def in_query(self) -> bool:
        """Whether its parameters are in the query, not in a body."""
        return self.method in ("GET", "DELETE")

    @cached_property
    def _arguments(self) -> dict[str, Argument]:
        """Those of the call, without what it is called on."""
        return dict(list(arguments_of(self.call).items())[1:])

    @property
    def paged(self) -> bool:
        """Whether it is a list of which one asks for a part."""
        return self.method == "GET" and "limit" in self._arguments and not self.of_session

    @property
    def own_offset(self) -> bool:
        """Whether the call itself can begin in the middle of the list."""
        return "offset" in self._arguments

    @property
    def takes_operation_id(self) -> bool:
        """Whether the engine itself does it once for each key."""
        return "operation_id" in self.parameters

    @property
    def replayed(self) -> bool:
        """Whether its answer is kept for a repeated request; checks and repairs run again."""
        exempt = self.takes_operation_id or self.everywhere or self.secret
        return self.scope != "read" and not exempt

    def arguments(self, sent: Mapping[str, Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """What was sent, as the call takes it."""
        keywords = dict(sent)
        keyword = inspect.Parameter.KEYWORD_ONLY
        arguments = self._arguments.items()
        positions = [name for name, argument in arguments if argument.kind is not keyword]
        args = []
        for name in positions:
            if name not in keywords:
                break
            args.append(keywords.pop(name))
        return tuple(args), keywords


def attach(mind: Mind, path_or_url: str, **details: Unpack[AttachmentDetails]) -> Attachment:
    """Remember a file that was sent or made. Its path is one of the caller's machine: nothing is
    looked up on this one.
    """
    details.setdefault("size", 0)
    return mind.attach(path_or_url, **details)


def conversation(mind: Mind, session: str) -> Session:
    """A conversation as it is; ``Mind.session`` would begin one that is not there."""
    return Session(mind, session, mind._services.sessions)


def open_session(
    mind: Mind, *, id: str | None = None, project: str | None = None, topic: str | None = None
) -> str:
    """Open a conversation, or go on with one; gives its id."""
    return mind.session(id, project=project, topic=topic).id


def turns_around(mind: Mind, session: str, index: int, *, around: int = 2) -> list[Turn]:
    """The turn at a place in a conversation, with so many before and after it."""
    if not 0 <= around <= _MOST_AROUND:
        raise InvalidInput(f"around={around}", remedy=f"Give 0 to {_MOST_AROUND}")
    place = _place(mind, session, max(0, index))
    first = max(0, place - around)
    return mind.turns(session=session, limit=place - first + around + 1, offset=first)


def _place(mind: Mind, session: str, index: int) -> int:
    """The place of the turn in its conversation: at its index or, after gaps, before it."""
    turns = mind.turns(session=session, limit=1, offset=index)
    low, high = (index, index) if turns and turns[0].index == index else (0, index)
    while low < high:
        middle = (low + high) // 2
        turns = mind.turns(session=session, limit=1, offset=middle)
        if turns and turns[0].index < index:
            low = middle + 1
        else:
            high = middle
    return low


def settings(mind: Mind) -> dict[str, Any]:
    """The settings in force, without secrets."""
    return as_mapping(mind.settings)


_MEMORY, _SESSION = "/memories/{id}", "/sessions/{session}"

OPERATIONS: tuple[Operation, ...] = (
    # --- the record
    Operation("session", "POST", "/sessions", "write", open_session, short=True),
    Operation("sessions", "GET", "/sessions", "read", Mind.sessions),
    Operation("end_session", "POST", f"{_SESSION}/end", "write", Mind.end_session),
    Operation("recent", "GET", f"{_SESSION}/recent", "read", Session.recent),
    Operation("window", "GET", f"{_SESSION}/window", "read", Session.window),
    Operation("session_turns", "GET", f"{_SESSION}/turns", "read", Session.turns),
    Operation("clear", "POST", f"{_SESSION}/clear", "write", Session.clear),
    Operation("variables", "GET", f"{_SESSION}/variables", "read", Session.variables),
    Operation("set_variables", "PATCH", f"{_SESSION}/variables", "write", Session.set_variables),
    Operation(
        "before_compression", "POST", f"{_SESSION}/compression", "write", Mind.before_compression
    ),
    Operation(
        "after_compression", "PUT", "/episodes/{episode}/summary", "write", Mind.after_compression
    ),
    Operation("record", "POST", "/turns", "write", Mind.record, short=True),
    Operation("record_turn", "POST", "/turns/value", "write", Mind.record_turn, short=True),
    Operation("record_many", "POST", "/turns/bulk", "write", Mind.record_many, lasting=True),
    Operation("turns", "GET", "/turns", "read", Mind.turns),
    Operation("turns_around", "GET", f"{_SESSION}/turns/{{index}}", "read", turns_around),
    Operation("attach", "POST", "/attachments", "write", attach, short=True),
    Operation(
        "describe_attachment", "PATCH", "/attachments/{id}", "write", Mind.describe_attachment
    ),
    Operation("attachments", "GET", "/attachments", "read", Mind.attachments),
    Operation("daily_events", "GET", "/daily-events", "read", Mind.daily_events),
    Operation("events", "GET", "/events", "read", Mind.events),
    Operation("emit", "POST", "/events", "write", Mind.emit, short=True),
    Operation("note_failure", "POST", "/failures", "write", Mind.note_failure, short=True),
    Operation("record_usage", "POST", "/usage", "write", Mind.record_usage, short=True),
    Operation("usage", "GET", "/usage", "read", Mind.usage),
    # --- memories and recall
    Operation("remember", "POST", "/memories", "write", Mind.remember),
    Operation("add_many", "POST", "/memories/bulk", "write", Mind.add_many, lasting=True),
    Operation("put_item", "PUT", "/items/{project}/{key}", "write", Mind.put_item),
    Operation("propose", "POST", "/proposals", "write", Mind.propose),
    Operation("memories", "GET", "/memories", "read", Mind.memories),
    Operation("get", "GET", _MEMORY, "read", Mind.get),
    Operation("find_id", "GET", "/ids/{prefix}", "read", Mind.find_id),
    Operation("edit", "PATCH", _MEMORY, "write", Mind.edit),
    Operation("delete", "DELETE", _MEMORY, "admin", Mind.delete),
    Operation("history", "GET", f"{_MEMORY}/history", "read", Mind.history),
    Operation("archive", "POST", f"{_MEMORY}/archive", "write", Mind.archive, short=True),
    Operation("restore", "POST", f"{_MEMORY}/restore", "write", Mind.restore, short=True),
    Operation("reveal", "POST", f"{_MEMORY}/reveal", "admin", Mind.reveal, secret=True),
    Operation("projects", "GET", "/projects", "read", Mind.projects),
    Operation("pending", "GET", "/pending", "read", Mind.pending),
    Operation("confirm", "POST", "/pending/{id}/confirm", "write", Mind.confirm),
    Operation("ignore", "POST", "/pending/{id}/ignore", "write", Mind.ignore),
    Operation("snooze", "POST", "/pending/{id}/snooze", "write", Mind.snooze),
    Operation("note_shown", "POST", "/shown", "write", Mind.note_shown),
    Operation("rollback", "POST", "/rollback", "admin", Mind.rollback),
    Operation("episodes", "GET", "/episodes", "read", Mind.episodes),
    Operation("scratchpad", "GET", "/scratchpad", "read", Mind.scratchpad),
    Operation("write_scratchpad", "PUT", "/scratchpad", "write", Mind.write_scratchpad),
    Operation("set_task", "PUT", "/task", "write", Mind.set_task),
    Operation("recall", "POST", "/recall", "read", Mind.recall),
    Operation("retrieve", "POST", "/retrieve", "read", Mind.retrieve),
    Operation("evidence", "POST", "/evidence", "read", Mind.evidence),
    Operation("words", "POST", "/words", "read", Mind.words),
    Operation("context", "POST", "/context", "read", Mind.context),
    Operation("gate", "POST", "/gate", "read", Mind.gate),
    # --- jobs, upkeep, health
    Operation("jobs", "GET", "/jobs", "read", Mind.jobs),
    Operation("redrive", "POST", "/jobs/redrive", "admin", Mind.redrive, short=True),
    Operation("discard", "POST", "/jobs/discard", "admin", Mind.discard, short=True),
    Operation("drain", "POST", "/jobs/drain", "admin", Mind.drain, lasting=True),
    Operation("upkeep", "POST", "/upkeep", "admin", Mind.upkeep, lasting=True),
    Operation("undo_upkeep", "POST", "/upkeep/undo", "admin", Mind.undo_upkeep, lasting=True),
    Operation("waiting_rules", "GET", "/rules/waiting", "read", Mind.waiting_rules),
    Operation("approve_rule", "POST", "/rules/waiting/{event}/approve", "admin", Mind.approve_rule),
    Operation("onboarding", "POST", "/onboarding", "write", Mind.onboarding),
    Operation("onboard", "POST", "/onboarding/answers", "write", Mind.onboard),
    Operation("sync", "POST", "/documents/sync", "write", Mind.sync, lasting=True),
    Operation("questions", "GET", "/documents/questions", "read", Mind.questions),
    Operation("documents", "GET", "/documents", "read", Mind.documents),
    Operation("write_document", "PUT", "/documents/{name}", "write", Mind.write_document),
    Operation("growth", "GET", "/growth", "read", Mind.growth),
    Operation("decay_curve", "GET", f"{_MEMORY}/decay", "read", Mind.decay_curve),
    Operation("stats", "GET", "/stats", "read", Mind.stats),
    Operation("metrics", "GET", "/metrics", "read", Mind.metrics),
    Operation("prometheus", "GET", "/metrics/prometheus", "read", Mind.prometheus),
    Operation("audit", "GET", "/audit", "read", Mind.audit, lasting=True),
    Operation("forget", "POST", "/forget", "admin", Mind.forget, lasting=True),
    Operation("forget_space", "DELETE", "", "admin", Mind.forget_space, lasting=True, secret=True),
    Operation("accesses", "GET", "/accesses", "admin", list_accesses),
    Operation("devices", "GET", "/devices", "read", Mind.devices),
    Operation("doctor", "POST", "/doctor", "admin", Mind.doctor, lasting=True, everywhere=True),
    Operation("repair", "POST", "/repair", "admin", Mind.repair, lasting=True, everywhere=True),
    Operation("settings", "GET", "/settings", "read", settings),
)
