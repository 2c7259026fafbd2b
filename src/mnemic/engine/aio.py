"""AsyncMind: the methods of Mind, awaitable, with no second copy of their logic.

Each runs the method of Mind in a thread, so the event loop never waits for the disk.
"""

from __future__ import annotations

import asyncio
import functools
from collections.abc import Callable, Coroutine
from contextlib import AbstractContextManager
from typing import Any, Concatenate, Generic, ParamSpec, Self, TypeVar

from mnemic.engine.mind import Mind
from mnemic.engine.open import Engine, connect
from mnemic.engine.open import open as open_mind
from mnemic.engine.session import Session
from mnemic.types import DEFAULT_SPACE

P = ParamSpec("P")
R = TypeVar("R")
A = TypeVar("A")
T_co = TypeVar("T_co", bound=AbstractContextManager[Any], covariant=True)


class _Async(Generic[T_co]):
    """Something whose methods are run in a thread."""

    def __init__(self, wrapped: T_co) -> None:
        self._wrapped = wrapped

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *raised: Any) -> None:
        await asyncio.to_thread(self._wrapped.__exit__, *raised)


def _awaitable(
    method: Callable[Concatenate[T_co, P], R],
) -> Callable[Concatenate[_Async[T_co], P], Coroutine[Any, Any, R]]:
    """The same method with the same signature, awaitable."""

    @functools.wraps(method)
    async def call(self: _Async[T_co], /, *args: P.args, **kwargs: P.kwargs) -> R:
        bound: Callable[P, R] = getattr(self._wrapped, method.__name__)  # it may be a subclass's
        return await asyncio.to_thread(bound, *args, **kwargs)

    return call


def _make_async(
    function: Callable[P, R], make: Callable[[R], A]
) -> Callable[P, Coroutine[Any, Any, A]]:
    """The same of a function, whose answer ``make`` turns into what can be awaited."""

    @functools.wraps(function)
    async def call(*args: P.args, **kwargs: P.kwargs) -> A:
        return make(await asyncio.to_thread(function, *args, **kwargs))

    return call


class AsyncSession(_Async[Session]):
    """One conversation. Leaving its ``async with`` block ends it."""

    user = _awaitable(Session.user)
    assistant = _awaitable(Session.assistant)
    tool = _awaitable(Session.tool)
    recent = _awaitable(Session.recent)
    window = _awaitable(Session.window)
    turns = _awaitable(Session.turns)
    clear = _awaitable(Session.clear)
    set_task = _awaitable(Session.set_task)
    variables = _awaitable(Session.variables)
    set_variables = _awaitable(Session.set_variables)
    end = _awaitable(Session.end)

    @property
    def id(self) -> str:
        return self._wrapped.id


class AsyncMind(_Async[Mind]):
    """The memory of one space, for asyncio. Close it, or use it as an async context manager."""

    record = _awaitable(Mind.record)
    record_turn = _awaitable(Mind.record_turn)
    record_many = _awaitable(Mind.record_many)
    end_session = _awaitable(Mind.end_session)
    before_compression = _awaitable(Mind.before_compression)
    after_compression = _awaitable(Mind.after_compression)
    sessions = _awaitable(Mind.sessions)
    turns = _awaitable(Mind.turns)
    attach = _awaitable(Mind.attach)
    describe_attachment = _awaitable(Mind.describe_attachment)
    attachments = _awaitable(Mind.attachments)
    daily_events = _awaitable(Mind.daily_events)
    events = _awaitable(Mind.events)
    emit = _awaitable(Mind.emit)
    note_failure = _awaitable(Mind.note_failure)
    record_usage = _awaitable(Mind.record_usage)
    usage = _awaitable(Mind.usage)
    remember = _awaitable(Mind.remember)
    add_many = _awaitable(Mind.add_many)
    propose = _awaitable(Mind.propose)
    get = _awaitable(Mind.get)
    edit = _awaitable(Mind.edit)
    delete = _awaitable(Mind.delete)
    memories = _awaitable(Mind.memories)
    find_id = _awaitable(Mind.find_id)
    reveal = _awaitable(Mind.reveal)
    history = _awaitable(Mind.history)
    projects = _awaitable(Mind.projects)
    put_item = _awaitable(Mind.put_item)
    pending = _awaitable(Mind.pending)
    confirm = _awaitable(Mind.confirm)
    ignore = _awaitable(Mind.ignore)
    snooze = _awaitable(Mind.snooze)
    rollback = _awaitable(Mind.rollback)
    episodes = _awaitable(Mind.episodes)
    scratchpad = _awaitable(Mind.scratchpad)
    write_scratchpad = _awaitable(Mind.write_scratchpad)
    set_task = _awaitable(Mind.set_task)
    recall = _awaitable(Mind.recall)
    retrieve = _awaitable(Mind.retrieve)
    evidence = _awaitable(Mind.evidence)
    words = _awaitable(Mind.words)
    context = _awaitable(Mind.context)
    note_shown = _awaitable(Mind.note_shown)
    gate = _awaitable(Mind.gate)
    jobs = _awaitable(Mind.jobs)
    redrive = _awaitable(Mind.redrive)
    discard = _awaitable(Mind.discard)
    upkeep = _awaitable(Mind.upkeep)
    undo_upkeep = _awaitable(Mind.undo_upkeep)
    waiting_rules = _awaitable(Mind.waiting_rules)
    approve_rule = _awaitable(Mind.approve_rule)
    onboarding = _awaitable(Mind.onboarding)
    onboard = _awaitable(Mind.onboard)
    sync = _awaitable(Mind.sync)
    documents = _awaitable(Mind.documents)
    write_document = _awaitable(Mind.write_document)
    questions = _awaitable(Mind.questions)
    archive = _awaitable(Mind.archive)
    restore = _awaitable(Mind.restore)
    drain = _awaitable(Mind.drain)
    work = _awaitable(Mind.work)
    stats = _awaitable(Mind.stats)
    metrics = _awaitable(Mind.metrics)
    prometheus = _awaitable(Mind.prometheus)
    growth = _awaitable(Mind.growth)
    decay_curve = _awaitable(Mind.decay_curve)
    audit = _awaitable(Mind.audit)
    forget = _awaitable(Mind.forget)
    forget_space = _awaitable(Mind.forget_space)
    doctor = _awaitable(Mind.doctor)
    repair = _awaitable(Mind.repair)
    merge = _awaitable(Mind.merge)
    sync_folder = _awaitable(Mind.sync_folder)
    devices = _awaitable(Mind.devices)
    close = _awaitable(Mind.close)

    @property
    def space(self) -> str:
        return self._wrapped.space

    @property
    def mind(self) -> Mind:
        """The same memory, for code that does not await."""
        return self._wrapped

    async def session(
        self, id: str | None = None, *, project: str | None = None, topic: str | None = None
    ) -> AsyncSession:
        """Open a conversation, or go on with one."""
        opened = await asyncio.to_thread(self._wrapped.session, id, project=project, topic=topic)
        return AsyncSession(opened)


class AsyncEngine(_Async[Engine]):
    """One database and the memories of all its spaces, for asyncio."""

    spaces = _awaitable(Engine.spaces)
    stats = _awaitable(Engine.stats)
    drain = _awaitable(Engine.drain)
    due_jobs = _awaitable(Engine.due_jobs)
    work = _awaitable(Engine.work)
    close = _awaitable(Engine.close)

    @property
    def engine(self) -> Engine:
        """The same, for code that does not await."""
        return self._wrapped

    async def mind(self, space: str = DEFAULT_SPACE) -> AsyncMind:
        """The memory of one person or agent."""
        return AsyncMind(await asyncio.to_thread(self._wrapped.mind, space))


open_async = _make_async(open_mind, AsyncMind)
connect_async = _make_async(connect, AsyncEngine)
