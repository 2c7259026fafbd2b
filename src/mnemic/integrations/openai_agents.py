"""A session for the OpenAI Agents SDK whose history is the ledger.

Every item comes back as it went in. The ledger only grows: items that the SDK pops or clears stay
recorded, and a marker turn takes them out of the history the agent sees.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import Any, TypeVar, cast
from uuid import uuid4

from agents import TResponseInputItem
from agents.memory import SessionSettings
from agents.run_config import CallModelData, ModelInputData

from mnemic.errors import Conflict
from mnemic.integrations.companion import AnyMemory, Companion, mind_of
from mnemic.integrations.dialects.base import plain_items, with_evidence
from mnemic.integrations.dialects.openai_responses import ITEM_TEXT, turn_of
from mnemic.types import NewTurn, ToolCall, Turn

_TAKEN_BACK = "history_taken_back"
_ITEM = "item"  # in the metadata of a turn: what its text and calls do not say
_PAGE = 1_000
T = TypeVar("T")


class AgentsSession:
    """The ``Session`` protocol over a mind, and the filter that injects evidence::

    session = AgentsSession(mind, "chat-1")
    await Runner.run(agent, text, session=session,
                     run_config=RunConfig(call_model_input_filter=session.show))
    """

    def __init__(
        self,
        memory: AnyMemory,
        session_id: str,
        *,
        user: str | None = None,
        budget: int | None = None,
        session_settings: SessionSettings | dict[str, Any] | None = None,
    ) -> None:
        self.session_id = session_id
        self.session_settings: SessionSettings | None = SessionSettings().resolve(session_settings)
        self._mind = mind_of(memory, user)
        self._companion = Companion(self._mind, session_id, host="openai-agents", budget=budget)

    async def get_items(self, limit: int | None = None) -> list[TResponseInputItem]:
        """The history, or the latest ``limit`` items of it, oldest first."""
        settings = self.session_settings
        most = settings.limit if limit is None and settings is not None else limit
        return [_item(turn) for turn in reversed(await asyncio.to_thread(self._latest, most))]

    async def add_items(self, items: list[TResponseInputItem]) -> None:
        """Record items, whatever they are."""
        turns = [_turn(item, self.session_id) for item in plain_items(items)]
        if turns:
            await _finish(lambda: self._mind.record_many(turns))

    async def pop_item(self) -> TResponseInputItem | None:
        """Take the latest item out of the history, and give it back."""
        taken = await _finish(lambda: self._take_back(1))
        return _item(taken[0]) if taken else None

    async def clear_session(self) -> None:
        """Empty the history; memories of it stay."""
        await _finish(lambda: self._take_back(None))

    async def show(self, data: CallModelData[Any]) -> ModelInputData:
        """For ``RunConfig(call_model_input_filter=...)``: injects evidence before the call."""
        model_data = data.model_data
        items = plain_items(model_data.input)
        turns = [turn for item in items if (turn := turn_of(item, self.session_id)) is not None]
        instructions = [model_data.instructions or ""]
        addition = await asyncio.to_thread(self._companion.show, turns, instructions)
        if not addition:
            return model_data
        return ModelInputData(
            input=with_evidence(items, addition, ITEM_TEXT),
            instructions=addition.after(model_data.instructions) or None,
        )

    def _latest(self, most: int | None) -> list[Turn]:
        """The turns that were not taken back, the newest first."""
        turns: list[Turn] = []
        if most is not None and most <= 0:
            return turns
        gone: set[int] = set()
        for turn in self._newest_first():
            markers = [call for call in turn.tool_calls if call.name == _TAKEN_BACK]
            for call in markers:
                gone.update(cast("Iterable[int]", call.input["turns"]))
            if not markers and turn.index not in gone:
                turns.append(turn)
            if len(turns) == most:
                break
        return turns

    def _newest_first(self) -> Iterator[Turn]:
        offset = 0
        while page := self._mind.turns(
            session=self.session_id, newest_first=True, limit=_PAGE, offset=offset
        ):
            yield from page
            offset += len(page)

    def _take_back(self, most: int | None) -> list[Turn]:
        """Take the latest items out of the history; what somebody else takes first is theirs."""
        while True:
            newest = self._mind.turns(session=self.session_id, newest_first=True, limit=1)
            turns = self._latest(most)
            if not turns:
                return []
            # The marker has a place of its own: whoever comes second finds it taken.
            marks = {"turns": [turn.index for turn in turns], "by": uuid4().hex}
            calls, place = (ToolCall(_TAKEN_BACK, marks),), newest[0].index + 1
            marker = NewTurn(self.session_id, "system", "", tool_calls=calls, index=place)
            try:
                self._mind.record_turn(marker)
            except Conflict:
                continue
            return turns


async def _finish(work: Callable[[], T]) -> T:
    """The result of a write, which goes on even if its caller is cancelled meanwhile."""
    task = asyncio.ensure_future(asyncio.to_thread(work))
    cancelled: asyncio.CancelledError | None = None
    while not task.done():
        try:
            await asyncio.wait({task})
        except asyncio.CancelledError as error:
            cancelled = error
    if cancelled is not None:
        task.exception()  # looked at, so that nobody is told of it twice
        raise cancelled
    return task.result()


def _turn(item: dict[str, Any], session: str) -> NewTurn:
    """An item as a turn, with the whole of it beside the turn where that does not say it all."""
    turn = turn_of(item, session) or NewTurn(session, "system", "")
    return turn if _make_item(turn) == item else replace(turn, metadata={_ITEM: item})


def _item(turn: Turn) -> TResponseInputItem:
    kept = turn.metadata.get(_ITEM)
    return cast("TResponseInputItem", _make_item(turn) if kept is None else kept)


def _make_item(turn: Turn | NewTurn) -> dict[str, Any]:
    """What the text and the calls of a turn say, as an item."""
    if turn.tool_results:
        result = turn.tool_results[0]
        return {"type": "function_call_output", "call_id": result.call_id, "output": result.content}
    if turn.tool_calls:
        call = turn.tool_calls[0]
        return {
            "type": "function_call",
            "call_id": call.id,
            "name": call.name,
            "arguments": json.dumps(dict(call.input), ensure_ascii=False),
        }
    return {"role": turn.role, "content": turn.text}
