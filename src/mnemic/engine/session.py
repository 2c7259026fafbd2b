"""A conversation in progress: says who speaks, keeps the session's id and order."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, Self, Unpack

from mnemic.rules.signatures import CheckedCalls
from mnemic.types import (
    ConversationWindow,
    Json,
    NewTurn,
    Role,
    Scratchpad,
    SpokenDetails,
    ToolCall,
    ToolResult,
    Turn,
)

if TYPE_CHECKING:
    from mnemic.engine.mind import Mind
    from mnemic.learn.session_state import SessionState


class Session(CheckedCalls):
    """One conversation. Leaving its ``with`` block ends it."""

    def __init__(self, host: Mind, id_: str, state: SessionState) -> None:
        self._host = host
        self._state = state
        self.id = id_

    def user(self, text: str, **details: Unpack[SpokenDetails]) -> Turn:
        """What the user said. ``trust`` says whose words they are where ``sender`` does not."""
        return self._record("user", text, details)

    def assistant(
        self,
        text: str,
        *,
        tool_calls: Iterable[ToolCall] = (),
        tool_results: Iterable[ToolResult] = (),
        **details: Unpack[SpokenDetails],
    ) -> Turn:
        """What the agent said and did; ``trust`` can only be lower than the agent's."""
        return self._record("assistant", text, details, tool_calls, tool_results)

    def tool(
        self,
        text: str = "",
        *,
        tool_results: Iterable[ToolResult] = (),
        **details: Unpack[SpokenDetails],
    ) -> Turn:
        """What a tool answered; ``trust`` can only be lower than a tool's."""
        return self._record("tool", text, details, (), tool_results)

    def _record(
        self,
        role: Role,
        text: str,
        details: SpokenDetails,
        calls: Iterable[ToolCall] = (),
        results: Iterable[ToolResult] = (),
    ) -> Turn:
        about: dict[str, Any] = {**details, "metadata": details.get("metadata") or {}}
        return self._host.record_turn(
            NewTurn(
                self.id, role, text, tool_calls=tuple(calls), tool_results=tuple(results), **about
            )
        )

    def recent(self, limit: int | None = None) -> list[Turn]:
        """The latest turns, oldest first, at most ``limit``, else `short_term.recent_limit`."""
        return self._state.recent(self.id, limit)

    def window(self, tokens: int | None = None) -> ConversationWindow:
        """The latest turns within ``tokens``, else `short_term.window_tokens`, and a summary of
        what was said before them.
        """
        return self._state.window(self.id, tokens)

    def turns(self) -> list[Turn]:
        """Every turn of the conversation, also those that were cleared."""
        return self._state.all(self.id)

    def clear(self) -> None:
        """Begin the window anew. The ledger and what was learned stay; ``forget`` removes."""
        self._state.clear(self.id)

    def set_task(self, task: str) -> Scratchpad:
        """The task at hand, as the host's compiler states it each turn; empty when it is over.

        A task on another topic archives the one before it. From then on no task is read from
        messages.
        """
        return self._state.set_task(task, self.id)

    def variables(self) -> dict[str, Json]:
        """The variables of the conversation; they are in no prompt, and end with no process."""
        return self._state.variables(self.id)

    def set_variables(self, values: Mapping[str, Json]) -> dict[str, Json]:
        """Change some variables, None removes one; gives all of them."""
        return self._state.set_variables(self.id, values)

    def end(self) -> None:
        """Close the conversation; a later turn opens it again."""
        self._host.end_session(self.id)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.end()
