"""A session for the OpenAI Agents SDK whose history is the ledger.

The ledger only grows. Items that the SDK pops or clears stay recorded; a marker turn takes them out
of the history the agent sees.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterable
from typing import Any, cast

from agents import TResponseInputItem
from agents.memory import SessionSettings
from agents.run_config import CallModelData, ModelInputData

from recollect.integrations.companion import AnyMind, Companion, mind_of
from recollect.integrations.dialects.base import last_user, plain_items, text_of
from recollect.integrations.dialects.openai_responses import inject_items, turn_of
from recollect.types import NewTurn, ToolCall, Turn

_TAKEN_BACK = "history_taken_back"
_PAGE = 10_000


class AgentsSession:
    """The ``Session`` protocol over a mind, and the filter that injects evidence::

    session = AgentsSession(mind, "chat-1")
    await Runner.run(agent, text, session=session,
                     run_config=RunConfig(call_model_input_filter=session.show))
    """

    session_settings: SessionSettings | None = None

    def __init__(self, mind: AnyMind, session_id: str, *, budget: int | None = None) -> None:
        self.session_id = session_id
        self._mind = mind_of(mind)
        self._companion = Companion(mind, session_id, host="openai-agents", budget=budget)

    async def get_items(self, limit: int | None = None) -> list[TResponseInputItem]:
        """The history, or the latest ``limit`` items of it, oldest first."""
        turns = await asyncio.to_thread(self._history)
        if limit is not None:
            turns = turns[-limit:] if limit > 0 else []
        return [cast("TResponseInputItem", _item(turn)) for turn in turns]

    async def add_items(self, items: list[TResponseInputItem]) -> None:
        """Record items; reasoning items and the like are skipped."""
        turns = [turn_of(item, self.session_id) for item in plain_items(items)]
        messages = [turn for turn in turns if turn is not None]
        if messages:
            await asyncio.to_thread(self._mind.record_many, messages)

    async def pop_item(self) -> TResponseInputItem | None:
        """Take the latest item out of the history, and give it back."""
        turns = await asyncio.to_thread(self._history)
        if not turns:
            return None
        await asyncio.to_thread(self._take_back, turns[-1:])
        return cast("TResponseInputItem", _item(turns[-1]))

    async def clear_session(self) -> None:
        """Empty the history; memories of it stay."""
        turns = await asyncio.to_thread(self._history)
        if turns:
            await asyncio.to_thread(self._take_back, turns)

    async def show(self, data: CallModelData[Any]) -> ModelInputData:
        """For ``RunConfig(call_model_input_filter=...)``: injects evidence before the call."""
        model_data = data.model_data
        items = plain_items(model_data.input)
        place = last_user(items)
        query = "" if place is None else text_of(items[place].get("content"))
        turns = [turn for item in items if (turn := turn_of(item, self.session_id)) is not None]
        addition = await asyncio.to_thread(
            self._companion.show, query, turns, [model_data.instructions or ""]
        )
        if not addition:
            return model_data
        return ModelInputData(
            input=cast("list[TResponseInputItem]", inject_items(items, addition)),
            instructions=addition.after(model_data.instructions) or None,
        )

    def _history(self) -> list[Turn]:
        """The turns that were not taken back, in order."""
        turns: dict[int, Turn] = {}
        for turn in self._turns():
            calls = [call for call in turn.tool_calls if call.name == _TAKEN_BACK]
            if not calls:
                turns[turn.index] = turn
            for call in calls:
                for index in call.input["turns"]:
                    turns.pop(index, None)
        return list(turns.values())

    def _turns(self) -> Iterable[Turn]:
        offset = 0
        while page := self._mind.turns(session=self.session_id, limit=_PAGE, offset=offset):
            yield from page
            offset += len(page)

    def _take_back(self, turns: Iterable[Turn]) -> None:
        call = ToolCall(_TAKEN_BACK, {"turns": [turn.index for turn in turns]})
        self._mind.record_turn(NewTurn(self.session_id, "system", "", tool_calls=(call,)))


def _item(turn: Turn) -> dict[str, Any]:
    """A turn as an item, without the server's own ids, which may have expired."""
    if turn.tool_results:
        result = turn.tool_results[0]
        return {
            "type": "function_call_output",
            "call_id": result.call_id,
            "output": result.content,
        }
    if turn.tool_calls:
        call = turn.tool_calls[0]
        return {
            "type": "function_call",
            "call_id": call.id,
            "name": call.name,
            "arguments": json.dumps(dict(call.input), ensure_ascii=False),
        }
    return {"role": turn.role, "content": turn.content}
