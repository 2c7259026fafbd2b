"""What can be asked over HTTP: one table, from which come the routes of the service, its OpenAPI
document, the checks of what is sent, and the clients.

An operation is a method of `Mind` or `Session` (or a function whose first argument is a mind); its
parameters and its answer are those of the call.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from operator import attrgetter
from pathlib import Path
from typing import Any, Literal, Unpack, cast, get_type_hints

from mnemic.engine.mind import Mind
from mnemic.engine.session import Session
from mnemic.engine.trail import list_accesses  # noqa: F401 - named in the table
from mnemic.errors import InvalidInput
from mnemic.rules.signatures import Argument, arguments_of
from mnemic.settings.dump import as_mapping
from mnemic.types import Attachment, AttachmentDetails, Scope, Turn

Method = Literal["GET", "POST", "PUT", "PATCH", "DELETE"]
SPACE_PATH = "/v1/spaces/{space}"
PAGE_LIMIT = 1_000  # entries of one page of a list
_USUAL_LIMIT = 100
_MOST_AROUND = 100
_KEYWORD, _REQUIRED = inspect.Parameter.KEYWORD_ONLY, inspect.Parameter.empty
# Functions cannot be sent: the service counts tokens itself, and reports no progress.
LOCAL = frozenset({"count", "progress"})


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
    def parameters(self) -> dict[str, Argument]:
        """By name, in the order of the call."""
        parameters = {name: it for name, it in self._arguments.items() if name not in LOCAL}
        if self.of_session:
            parameters = {"session": Argument(str, _KEYWORD, _REQUIRED), **parameters}
        if self.paged:
            parameters.setdefault("offset", Argument(int, _KEYWORD, 0))
            if parameters["limit"].default is None:
                parameters["limit"] = parameters["limit"]._replace(default=_USUAL_LIMIT)
        return parameters

    @property
    def required(self) -> list[str]:
        """The parameters that have to be given."""
        return [name for name, it in self.parameters.items() if it.default is _REQUIRED]

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
        arguments = self._arguments.items()
        positions = [name for name, argument in arguments if argument.kind is not _KEYWORD]
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


def _read_table() -> Iterator[Operation]:
    """A row an operation: name, method, path, scope; the call, where it is not the method of Mind
    of that name; and what is true of it, as in ``Operation``.
    """
    table = Path(__file__).with_name("operations.tsv").read_text(encoding="utf-8")
    for row in table.splitlines():
        if not row.startswith("#"):
            name, method, path, scope, call, true = (*row.split("\t"), "", "")[:6]
            target = attrgetter(call or f"Mind.{name}")(sys.modules[__name__])
            flags: dict[str, Any] = dict.fromkeys(true.split(), True)
            yield Operation(
                name, cast("Method", method), path, cast("Scope", scope), target, **flags
            )


OPERATIONS = tuple(_read_table())
