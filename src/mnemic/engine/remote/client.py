"""A Mind whose memory is behind an address: every method asks the service of the same name.

``RemoteMind`` is a Mind, so sessions, tools, adapters and ``AsyncMind`` work on it as they are. Its
methods are made of the table of operations, with the signatures of Mind's own.
"""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import inspect
import ipaddress
import itertools
import json
import math
import os
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn
from urllib.parse import quote, urlsplit
from uuid import uuid4

from mnemic.engine.mind import Mind
from mnemic.engine.remote.operations import LOCAL, OPERATIONS, PAGE_LIMIT, SPACE_PATH, Operation
from mnemic.engine.remote.problems import error_of
from mnemic.engine.remote.wire import read
from mnemic.engine.session import Session
from mnemic.errors import (
    Closed,
    ConfigError,
    InvalidInput,
    MissingExtra,
    ServiceError,
    ServiceUnavailable,
)
from mnemic.language.tokens import count_tokens
from mnemic.plain import plain
from mnemic.providers.extras import certificates
from mnemic.rules import checks
from mnemic.rules.signatures import check_arguments
from mnemic.settings import Settings, load
from mnemic.types import Attachment, AuditReport, Drained, NewTurn, Recorded, Scratchpad, ToolCall

if TYPE_CHECKING:
    import httpx

TOKEN_VARIABLE = "MNEMIC_TOKEN"
_TIMEOUT = 630.0  # seconds; the service itself gives up before
_CONNECT = 10.0
_MOST_ITEMS = 100_000  # of an iterable, which may have no end
_BATCH = 4 << 20  # bytes of one request of a bulk write
_BATCH_TURNS = 2_000
_BY_NAME = {operation.name: operation for operation in OPERATIONS}


def open_remote(url: str, *, token: str | None = None, space: str = "default") -> RemoteMind:
    """The memory of a space at a service such as ``http://127.0.0.1:8765``.

    ``token`` is one that ``mnemic token add`` or ``mnemic serve`` printed; without it
    MNEMIC_TOKEN is taken.
    """
    connection = _Connection(url, token or os.environ.get(TOKEN_VARIABLE, ""))
    try:
        return RemoteMind(connection, space)
    except BaseException:
        connection.close()
        raise


class _Connection:
    """Requests to one service, from any thread."""

    def __init__(self, url: str, token: str) -> None:
        try:
            import httpx
        except ModuleNotFoundError as error:
            raise MissingExtra.of("httpx", "remote") from error
        try:
            parts = urlsplit(url)
        except ValueError as error:
            raise ConfigError(
                f"{url!r} is not an address", remedy="Give http://host:port"
            ) from error
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ConfigError(f"{url!r} is not an address", remedy="Give http://host:port")
        if parts.username or parts.password or parts.query or parts.fragment:
            raise ConfigError(
                "The address holds more than host, port and path",
                remedy="Give the token as token=…, or in MNEMIC_TOKEN",
            )
        if not token.isascii() or any(character.isspace() for character in token):
            raise ConfigError("The token is not one", remedy="Give it as it was printed")
        self._errors = httpx
        self._client: httpx.Client = httpx.Client(
            base_url=url.rstrip("/"),
            headers={"authorization": f"Bearer {token}"} if token else {},
            timeout=httpx.Timeout(_TIMEOUT, connect=_CONNECT),
            # A proxy of the environment cannot reach this machine's own loopback.
            trust_env=not is_loopback(parts.hostname),
            verify=certificates(),
            limits=httpx.Limits(max_connections=100, max_keepalive_connections=20),
        )

    def ask(self, operation: Operation, space: str, arguments: dict[str, Any]) -> Any:
        """The JSON of the answer; an error of the service is raised as the error it was there."""
        names = {name: arguments.pop(name) for name in operation.path_names}
        path = SPACE_PATH.replace("{space}", _segment(space)) + operation.path
        for name, value in names.items():
            path = path.replace(f"{{{name}}}", _segment(str(value)))
        headers: dict[str, str] = {}
        if operation.method != "GET":
            headers["idempotency-key"] = str(uuid4())
        options: dict[str, Any]
        with _writing():
            if operation.in_query:
                options = {"params": {name: _text(value) for name, value in arguments.items()}}
            else:
                headers["content-type"] = "application/json"
                body = {name: _plain(value) for name, value in arguments.items()}
                options = {"content": _json(body).encode()}
        try:
            answer = self._send(operation.method, path, headers, options)
        except self._errors.TransportError as error:
            raise ServiceUnavailable(
                f"{self._client.base_url} gives no answer: {type(error).__name__}",
                remedy="Check the address, and that `mnemic serve` runs there",
            ) from error
        return _answer(answer)

    def _send(
        self, method: str, path: str, headers: dict[str, str], options: dict[str, Any]
    ) -> httpx.Response:
        if self._client.is_closed:
            raise Closed("The mind was closed", remedy="Open it again")
        try:
            return self._client.request(method, path, headers=headers, **options)
        except (self._errors.ReadError, self._errors.RemoteProtocolError):
            # A kept connection that the service closed meanwhile. The key makes it safe to repeat.
            return self._client.request(method, path, headers=headers, **options)

    def close(self) -> None:
        self._client.close()


def _answer(answer: httpx.Response) -> Any:
    if answer.status_code == 204:
        return None
    try:
        document = answer.json()
    except ValueError as error:
        raise ServiceError(
            f"The answer has status {answer.status_code} and is not JSON",
            remedy="Check that the address is that of `mnemic serve`",
        ) from error
    if answer.is_success:
        return document
    raise error_of(answer.status_code, document if isinstance(document, dict) else {})


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach an address."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _segment(name: str) -> str:
    """A part of a path; a name of dots only must not lead up."""
    try:
        return quote(name, safe="").replace(".", "%2E") if set(name) <= {"."} else quote(name, "")
    except UnicodeEncodeError as error:
        raise InvalidInput("A name is not valid Unicode", remedy="Send text") from error


@contextlib.contextmanager
def _writing() -> Iterator[None]:
    try:
        yield
    except InvalidInput:
        raise
    except (TypeError, ValueError, RecursionError) as error:
        raise InvalidInput(
            f"An argument cannot be written as JSON: {error}", remedy="Pass plain values"
        ) from error


def _text(value: Any) -> str:
    text = _plain(value)
    text = text if isinstance(text, str) else _json(text)
    text.encode()  # half of a pair is not text
    return text


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)


def _plain(value: Any) -> Any:
    """As JSON, iterables as lists. What else a mapping holds is sent as it is, to be refused."""
    if isinstance(value, ToolCall):
        raw: object = value.input
        sent = dict(raw) if isinstance(raw, Mapping) else raw
        return {"name": value.name, "input": sent, "id": value.id}
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        names = (field.name for field in dataclasses.fields(value))
        return {name: _plain(getattr(value, name)) for name in names}
    if isinstance(value, Mapping):
        # JSON would make texts of other keys, and the service could not refuse them.
        wrong = next((key for key in value if not isinstance(key, str)), None)
        if wrong is not None:
            raise InvalidInput(f"The key {wrong!r} is no text", remedy="Use texts as keys")
        return {
            key: _plain(entry) if dataclasses.is_dataclass(entry) else entry
            for key, entry in value.items()
        }
    if isinstance(value, Iterable) and not isinstance(value, str | bytes):
        return [_plain(entry) for entry in _items(value)]
    return plain(value)


def _items(values: Iterable[Any]) -> Sequence[Any]:
    if isinstance(values, Sequence):
        return values
    listed = list(itertools.islice(values, _MOST_ITEMS + 1))
    if len(listed) > _MOST_ITEMS:
        raise InvalidInput(
            f"An argument has more than {_MOST_ITEMS:,} items", remedy="Pass fewer at once"
        )
    return listed


class RemoteMind(Mind):
    """The memory of one space at a service. Closing it leaves the service running."""

    def __init__(self, connection: _Connection, space: str) -> None:
        self.space = checks.check_name(space, "space")
        self._connection = connection
        self._stopped = threading.Event()
        # Those of the service, without its secrets; a wrong address or token shows at once.
        values = self._ask("settings")
        self.settings: Settings = load(values.pop("preset", None), env={}, overrides=values)

    @property
    def transcripts(self) -> Path | None:
        """None: they are on the machine of the service."""
        return None

    @property
    def documents_folder(self) -> Path | None:
        """None: the documents are on the machine of the service."""
        return None

    def _ask(self, name: str, /, **arguments: Any) -> Any:
        operation = _BY_NAME[name]
        if operation.paged:
            return self._pages(operation, arguments)
        if operation.in_query:
            arguments = {key: value for key, value in arguments.items() if value is not None}
        answer = self._connection.ask(operation, self.space, arguments)
        return read(operation.answer, answer, strict=False)

    def _pages(self, operation: Operation, arguments: dict[str, Any]) -> list[Any]:
        """A list of any length, asked for in parts."""
        arguments = {key: value for key, value in arguments.items() if value is not None}
        wanted: int | None = arguments.get("limit")
        if wanted is not None:
            checks.check_limit(wanted)
        entries: list[Any] = []
        while True:
            if wanted is not None and wanted > PAGE_LIMIT:
                arguments["limit"] = min(wanted - len(entries), PAGE_LIMIT)
            page = self._connection.ask(operation, self.space, dict(arguments))
            entries += read(operation.answer, page["items"], strict=False)
            if page["next"] is None or wanted is None or len(entries) >= wanted:
                return entries
            arguments["offset"] = page["next"]

    def session(
        self, id: str | None = None, *, project: str | None = None, topic: str | None = None
    ) -> Session:
        """Open a conversation, or go on with one."""
        return RemoteSession(self, self._ask("session", id=id, project=project, topic=topic))

    def record_many(
        self,
        turns: Iterable[NewTurn],
        *,
        topics: Mapping[str, str] | None = None,
        project: str = "",
    ) -> Recorded:
        """Record many turns quickly, in several requests where they are large."""
        added = repeated = 0
        for batch in _batches(turns):
            named = {turn.session for turn in batch}
            about = {name: topic for name, topic in (topics or {}).items() if name in named}
            done = self._ask("record_many", turns=batch, topics=about or None, project=project)
            added, repeated = added + done.added, repeated + done.known
        return Recorded(added, repeated)

    def attach(self, path_or_url: str | Path, **details: Any) -> Attachment:
        """Remember a file that was sent or made; a path is one of this machine."""
        if "://" not in str(path_or_url) and "size" not in details:
            # A path of another system, or malformed here, has no size.
            with contextlib.suppress(OSError, ValueError):
                place = Path(path_or_url)
                details["size"] = place.stat().st_size if place.is_file() else 0
        kept: Attachment = self._ask("attach", path_or_url=str(path_or_url), **details)
        return kept

    def drain(self, timeout: timedelta | float | None = None, *, due_only: bool = False) -> Drained:
        """Run every due job of this space now, at most for ``timeout`` seconds."""
        endless = timeout == math.inf  # which JSON cannot say, and None does
        done: Drained = self._ask("drain", timeout=None if endless else timeout, due_only=due_only)
        return done

    def audit(self, *, progress: Callable[[int, int], None] | None = None) -> AuditReport:
        """Audit the memory of the service; ``progress`` is told the end only."""
        report: AuditReport = self._ask("audit")
        if progress is not None:
            progress(len(report.checks), len(report.checks))
        return report

    def repair(self, progress: Callable[[int], None] = lambda done: None) -> int:
        """Repair the database of the service; ``progress`` is told the end only."""
        done: int = self._ask("repair")
        progress(done)
        return done

    def work(self) -> None:
        """The service runs the jobs; this waits until ``close`` is called from elsewhere."""
        self._stopped.wait()

    def close(self) -> None:
        """Closing twice is harmless; the service goes on."""
        self._stopped.set()
        self._connection.close()

    def __repr__(self) -> str:
        return f"<RemoteMind space={self.space!r}>"


class RemoteSession(Session):
    """A conversation at a service, which has its window, its task and its variables."""

    def __init__(self, mind: RemoteMind, id_: str) -> None:
        self._host = self._mind = mind
        self.id = id_

    def _ask(self, name: str, /, **arguments: Any) -> Any:
        return self._mind._ask(name, session=self.id, **arguments)

    def set_task(self, task: str) -> Scratchpad:
        """The task at hand; empty when it is over."""
        return self._mind.set_task(task, session=self.id)


def _refuse(name: str) -> Callable[..., Any]:
    """The method of Mind, refused: its path would be one on the machine of the service."""

    @functools.wraps(getattr(Mind, name))
    def refuse(self: RemoteMind, *args: Any, **kwargs: Any) -> NoReturn:
        raise InvalidInput(
            f"{name} takes a path, which a service cannot be sent",
            remedy="Open the database itself, on the machine that it is on",
        )

    return refuse


def _batches(turns: Iterable[NewTurn]) -> Iterator[list[NewTurn]]:
    """As they come: if their source fails, what came before is recorded."""
    batch: list[NewTurn] = []
    size = 0
    for turn in turns:
        checks.check_all([turn], NewTurn, "turns")
        weight = 500 + 4 * len(turn.text) + sum(len(done.content) for done in turn.tool_results)
        if batch and (size + weight > _BATCH or len(batch) == _BATCH_TURNS):
            yield batch
            batch, size = [], 0
        batch.append(turn)
        size += weight
    if batch:
        yield batch


def _remote(operation: Operation) -> Callable[..., Any]:
    """The method of Mind or Session with its own signature and checks, done by the service."""
    method = operation.call if operation.of_session else getattr(Mind, operation.name)
    signature = inspect.signature(method)

    @functools.wraps(method)
    def call(self: RemoteMind | RemoteSession, /, *args: Any, **kwargs: Any) -> Any:
        arguments = dict(signature.bind(self, *args, **kwargs).arguments)
        arguments.pop(next(iter(signature.parameters)))
        for parameter in signature.parameters.values():
            if parameter.kind is parameter.VAR_KEYWORD:
                arguments.update(arguments.pop(parameter.name, {}))
        for name in LOCAL & arguments.keys():
            if arguments.pop(name) is not count_tokens:
                raise InvalidInput(
                    f"{name} is a function, which cannot be sent to a service",
                    remedy="Leave it out: the service counts tokens itself",
                )
        return self._ask(operation.name, **arguments)

    return call


for _operation in OPERATIONS:
    # The words of a record follow from the settings, so nobody has to be asked.
    if hasattr(Mind, _operation.name) and _operation.name not in {*vars(RemoteMind), "words"}:
        setattr(RemoteMind, _operation.name, check_arguments(_remote(_operation)))
    elif _operation.of_session:
        setattr(RemoteSession, _operation.call.__name__, check_arguments(_remote(_operation)))
for _name in ("merge", "sync_folder"):
    setattr(RemoteMind, _name, check_arguments(_refuse(_name)))
