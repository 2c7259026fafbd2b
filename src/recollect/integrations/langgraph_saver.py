"""A LangGraph checkpointer around another one, which records every step's messages.

Messages that a step removed from the state are reported as compressed, with the ``summary`` of the
state if it has one.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage, ToolMessage
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import (
    BaseCheckpointSaver,
    ChannelVersions,
    Checkpoint,
    CheckpointMetadata,
    CheckpointTuple,
)

from recollect.integrations.companion import AnyMind, Companion, tool_call, tool_turn
from recollect.integrations.dialects.base import text_of, with_words_before
from recollect.types import NewTurn


class GraphSaver(BaseCheckpointSaver[Any]):
    """``graph.compile(checkpointer=GraphSaver(mind, InMemorySaver()))``; the thread is the session.

    ``show`` gives a node the messages to send, with evidence injected.
    """

    def __init__(
        self,
        mind: AnyMind,
        inner: BaseCheckpointSaver[Any],
        *,
        channel: str = "messages",
        budget: int | None = None,
    ) -> None:
        super().__init__(serde=inner.serde)
        self._mind = mind
        self._inner = inner
        self._channel = channel
        self._budget = budget
        self._companions: dict[str, Companion] = {}
        self._last: dict[str, dict[str, NewTurn]] = {}

    def show(self, messages: Sequence[BaseMessage], config: RunnableConfig) -> list[BaseMessage]:
        """The messages of a state with evidence injected, for the model alone."""
        prompts = [place for place, one in enumerate(messages) if isinstance(one, HumanMessage)]
        if not prompts:
            return list(messages)
        question = messages[prompts[-1]]
        companion = self._companion(config)
        turns = [turn for one in messages if (turn := _turn(one, companion.session)) is not None]
        own_system = [text_of(one.content) for one in messages if isinstance(one, SystemMessage)]
        addition = companion.show(text_of(question.content), turns, own_system)
        injected = list(messages)
        if addition.user:
            content = with_words_before(question.content, addition.user, "text")
            injected[prompts[-1]] = question.model_copy(update={"content": content})
        if addition.system:
            own = injected.pop(0) if isinstance(injected[0], SystemMessage) else None
            before = None if own is None else text_of(own.content)
            injected.insert(0, SystemMessage(addition.after(before)))
        return injected

    def put(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        """Save the checkpoint, then record its new messages."""
        saved = self._inner.put(config, checkpoint, metadata, new_versions)
        self._note(config, checkpoint)
        return saved

    async def aput(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        saved = await self._inner.aput(config, checkpoint, metadata, new_versions)
        await asyncio.to_thread(self._note, config, checkpoint)
        return saved

    def _companion(self, config: RunnableConfig) -> Companion:
        thread = str(config["configurable"]["thread_id"])
        if thread not in self._companions:
            self._companions[thread] = Companion(
                self._mind, thread, host="langgraph", budget=self._budget
            )
        return self._companions[thread]

    def _note(self, config: RunnableConfig, checkpoint: Checkpoint) -> None:
        values: Mapping[str, Any] = checkpoint["channel_values"]
        messages = values.get(self._channel)
        if not isinstance(messages, list):
            return
        companion = self._companion(config)
        turns = {
            message.id or str(place): turn
            for place, message in enumerate(messages)
            if (turn := _turn(message, companion.session)) is not None
        }
        before = self._last.get(companion.session, {})
        dropped = [turn for id_, turn in before.items() if id_ not in turns]
        if dropped:
            summary = values.get("summary")
            companion.dropped(dropped, summary if isinstance(summary, str) else "")
        companion.keep(list(turns.values()))
        self._last[companion.session] = turns

    # --- delegated to the inner checkpointer ----------------------------------------------------

    @property
    def config_specs(self) -> list[Any]:
        return self._inner.config_specs

    def get_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        return self._inner.get_tuple(config)

    async def aget_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        return await self._inner.aget_tuple(config)

    def list(
        self,
        config: RunnableConfig | None,
        *,
        filter: dict[str, Any] | None = None,
        before: RunnableConfig | None = None,
        limit: int | None = None,
    ) -> Iterator[CheckpointTuple]:
        return self._inner.list(config, filter=filter, before=before, limit=limit)

    async def alist(
        self,
        config: RunnableConfig | None,
        *,
        filter: dict[str, Any] | None = None,
        before: RunnableConfig | None = None,
        limit: int | None = None,
    ) -> AsyncIterator[CheckpointTuple]:
        async for one in self._inner.alist(config, filter=filter, before=before, limit=limit):
            yield one

    def put_writes(
        self,
        config: RunnableConfig,
        writes: Sequence[tuple[str, Any]],
        task_id: str,
        task_path: str = "",
    ) -> None:
        self._inner.put_writes(config, writes, task_id, task_path)

    async def aput_writes(
        self,
        config: RunnableConfig,
        writes: Sequence[tuple[str, Any]],
        task_id: str,
        task_path: str = "",
    ) -> None:
        await self._inner.aput_writes(config, writes, task_id, task_path)

    def delete_thread(self, thread_id: str) -> None:
        self._inner.delete_thread(thread_id)

    async def adelete_thread(self, thread_id: str) -> None:
        await self._inner.adelete_thread(thread_id)

    def get_next_version(self, current: Any, channel: None) -> Any:
        return self._inner.get_next_version(current, channel)


def _turn(message: object, session: str) -> NewTurn | None:
    """A message as a turn; None for the host's instructions."""
    match message:
        case HumanMessage():
            return NewTurn(session, "user", text_of(message.content), sender=message.name or "")
        case AIMessage():
            calls = [
                tool_call(call["name"], call["args"], call["id"] or "")
                for call in message.tool_calls
            ]
            text = text_of(message.content)
            return NewTurn(session, "assistant", text, tool_calls=tuple(calls))
        case ToolMessage():
            failed = message.status == "error"
            text = text_of(message.content)
            return tool_turn(session, message.tool_call_id, text, is_error=failed)
    return None
