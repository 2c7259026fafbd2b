"""A LangGraph checkpointer around another one, which records every step's messages.

Only the conversation of the graph itself is recorded: what its subgraphs say among themselves is
not. Messages that a step removed from the state are reported as compressed, with the ``summary`` of
the state if it has one.
"""

from __future__ import annotations

import asyncio
import copy
import functools
from collections.abc import Callable, Collection, Sequence
from typing import Any

from langchain_core.messages import BaseMessage, convert_to_messages
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import BaseCheckpointSaver, Checkpoint
from langgraph.checkpoint.serde.types import _DeltaSnapshot

from mnemic.integrations.companion import AnyMemory, Companion, Companions
from mnemic.integrations.dialects.langchain_messages import inject, turn_of, turns_of
from mnemic.types import NewTurn


class GraphSaver(BaseCheckpointSaver[Any]):
    """``graph.compile(checkpointer=GraphSaver(mind, InMemorySaver()))``; the thread is the session.

    ``show`` gives a node the messages to send, with evidence injected. Over a database of many the
    ``user_id`` of the config says whose memory it is, or ``user`` where all calls are of one.
    """

    def __init__(
        self,
        memory: AnyMemory,
        inner: BaseCheckpointSaver[Any],
        *,
        user: str | None = None,
        channel: str = "messages",
        budget: int | None = None,
    ) -> None:
        super().__init__(serde=inner.serde)
        self._threads = Companions(memory, "langgraph", user, budget, _Thread)
        self._inner = inner
        self._channel = channel

    def show(self, messages: Sequence[BaseMessage], config: RunnableConfig) -> list[BaseMessage]:
        """The messages of a state with evidence injected, for the model alone."""
        return inject(messages, self._thread(config))

    def put(
        self, config: RunnableConfig, checkpoint: Checkpoint, *rest: Any, **named: Any
    ) -> RunnableConfig:
        """Save the checkpoint, then record its new messages."""
        saved = self._inner.put(config, checkpoint, *rest, **named)
        self._note(config, checkpoint)
        return saved

    async def aput(
        self, config: RunnableConfig, checkpoint: Checkpoint, *rest: Any, **named: Any
    ) -> RunnableConfig:
        saved = await self._inner.aput(config, checkpoint, *rest, **named)
        await asyncio.to_thread(self._note, config, checkpoint)
        return saved

    def put_writes(
        self,
        config: RunnableConfig,
        writes: Sequence[tuple[str, Any]],
        task_id: str,
        task_path: str = "",
    ) -> None:
        """Save the writes of a step, and keep its messages until the step is saved."""
        self._inner.put_writes(config, writes, task_id, task_path)
        self._gather(config, writes)

    async def aput_writes(
        self,
        config: RunnableConfig,
        writes: Sequence[tuple[str, Any]],
        task_id: str,
        task_path: str = "",
    ) -> None:
        await self._inner.aput_writes(config, writes, task_id, task_path)
        self._gather(config, writes)

    def _thread(self, config: RunnableConfig) -> _Thread:
        configurable = config["configurable"]
        return self._threads.get(str(configurable["thread_id"]), configurable.get("user_id"))

    def _gather(self, config: RunnableConfig, writes: Sequence[tuple[str, Any]]) -> None:
        """A channel of deltas is in no checkpoint: its messages are only ever written."""
        if not config["configurable"].get("checkpoint_ns"):
            written = [value for channel, value in writes if channel == self._channel]
            for value in written:
                self._thread(config).written += _list_messages(value)

    def _note(self, config: RunnableConfig, checkpoint: Checkpoint) -> None:
        if config["configurable"].get("checkpoint_ns"):
            return  # a subgraph: what it says inside, nobody said to the user
        thread = self._thread(config)
        session, values = thread.session, checkpoint["channel_values"]
        written, thread.written = thread.written, []
        stored = values.get(self._channel)
        messages = stored.value if isinstance(stored, _DeltaSnapshot) else stored
        if not isinstance(messages, list):
            fresh = [message for message in written if message.id not in thread.seen]
            thread.seen.update(message.id for message in fresh if message.id)
            thread.keep(turns_of(fresh, session), all_new=True)
            return
        turns = {
            message.id or str(place): turn
            for place, message in enumerate(messages)
            if (turn := turn_of(message, session)) is not None
        }
        thread.seen.update(turns)
        dropped = [turn for id_, turn in thread.last.items() if id_ not in turns]
        if dropped:
            summary = values.get("summary")
            thread.note_dropped(dropped, summary if isinstance(summary, str) else "")
        thread.keep(list(turns.values()))
        thread.last = turns

    @property
    def config_specs(self) -> list[Any]:
        return self._inner.config_specs

    def with_allowlist(
        self, extra_allowlist: Collection[tuple[str, ...]]
    ) -> BaseCheckpointSaver[Any]:
        inner = self._inner.with_allowlist(extra_allowlist)
        if inner is self._inner:
            return self
        clone = copy.copy(self)
        clone._inner, clone.serde = inner, inner.serde
        return clone


class _Thread(Companion):
    """One thread, with its messages as they were last seen, and those just written."""

    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        self.last: dict[str, NewTurn] = {}
        self.seen: set[str] = set()
        self.written: list[BaseMessage] = []


def _list_messages(value: object) -> list[BaseMessage]:
    """The messages of one write, in whatever form a graph may give them."""
    many: list[Any] = value if isinstance(value, list) else [value]
    try:
        return list(convert_to_messages(many))
    except (NotImplementedError, ValueError):
        return []  # an overwrite or a removal: no message


def _delegate(name: str) -> Callable[..., Any]:
    """A method that the checkpointer inside answers, plain or awaitable."""
    method = getattr(BaseCheckpointSaver, name)

    @functools.wraps(method)
    def call(self: GraphSaver, *args: Any, **named: Any) -> Any:
        return getattr(self._inner, name)(*args, **named)

    return call


for _name in """get_tuple aget_tuple list alist delete_thread adelete_thread delete_for_runs
    adelete_for_runs copy_thread acopy_thread prune aprune get_delta_channel_history
    aget_delta_channel_history get_next_version""".split():
    setattr(GraphSaver, _name, _delegate(_name))
