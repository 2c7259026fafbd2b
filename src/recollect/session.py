"""A conversation in progress: says who speaks, keeps the session's id and order."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from types import TracebackType
from typing import Protocol, Self

from recollect.rules.signatures import CheckedCalls
from recollect.types import NewTurn, ToolCall, ToolResult, Trust, Turn


class Host(Protocol):
    """What a session needs of a mind."""

    def record_turn(self, new: NewTurn) -> Turn: ...
    def end_session(self, session: str) -> None: ...


class Session(CheckedCalls):
    """One conversation. Leaving its ``with`` block ends it."""

    def __init__(self, host: Host, id_: str) -> None:
        self._host = host
        self.id = id_

    def user(
        self,
        content: str,
        *,
        sender: str = "",
        channel: str = "",
        at: datetime | str | None = None,
        index: int | None = None,
        trust: Trust | None = None,
    ) -> Turn:
        """What the user said. ``trust`` says whose words they are where ``sender`` does not."""
        return self._host.record_turn(
            NewTurn(self.id, "user", content, sender, channel, at=at, index=index, trust=trust)
        )

    def assistant(
        self,
        content: str,
        *,
        tool_calls: Iterable[ToolCall] = (),
        tool_results: Iterable[ToolResult] = (),
        sender: str = "",
        channel: str = "",
        at: datetime | str | None = None,
        index: int | None = None,
        trust: Trust | None = None,
    ) -> Turn:
        """What the agent said and did; ``trust`` can only be lower than the agent's."""
        calls, results = tuple(tool_calls), tuple(tool_results)
        return self._host.record_turn(
            NewTurn(
                self.id, "assistant", content, sender, channel, calls, results, at, index, trust
            )
        )

    def tool(
        self,
        content: str = "",
        *,
        tool_results: Iterable[ToolResult] = (),
        sender: str = "",
        channel: str = "",
        at: datetime | str | None = None,
        index: int | None = None,
        trust: Trust | None = None,
    ) -> Turn:
        """What a tool answered; ``trust`` can only be lower than a tool's."""
        results = tuple(tool_results)
        return self._host.record_turn(
            NewTurn(self.id, "tool", content, sender, channel, (), results, at, index, trust)
        )

    def end(self) -> None:
        """Close the conversation; a later turn opens it again."""
        self._host.end_session(self.id)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.end()
