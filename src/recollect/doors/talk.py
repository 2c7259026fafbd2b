"""Doors to what happened: turns, sessions, files, events, usage."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date, datetime
from pathlib import Path

from recollect.doors.led import Led
from recollect.rules import checks
from recollect.types import (
    Attachment,
    DailyEvent,
    Direction,
    Episode,
    Event,
    NewTurn,
    Recorded,
    Role,
    SessionInfo,
    ToolCall,
    ToolResult,
    Trust,
    Turn,
    TurnState,
    UsageTotal,
)


class TalkDoors(Led):
    """What happened."""

    def record(
        self,
        *,
        session: str,
        role: Role,
        content: str,
        sender: str = "",
        channel: str = "",
        tool_calls: Iterable[ToolCall] = (),
        tool_results: Iterable[ToolResult] = (),
        at: datetime | str | None = None,
        index: int | None = None,
        trust: Trust | None = None,
    ) -> Turn:
        """Record one turn: durable and findable when this returns.

        Who speaks as the user is the owner as long as nobody else does in that session, unless the
        setting `trust.owners` names who is. ``trust`` is the host's own word on whose words they
        are; for other roles than user it can only lower the trust.
        """
        return self._record(
            NewTurn(
                session=session,
                role=role,
                content=content,
                sender=sender,
                channel=channel,
                tool_calls=checks.check_several(tool_calls, "tool_calls"),
                tool_results=checks.check_several(tool_results, "tool_results"),
                at=at,
                index=index,
                trust=trust,
            )
        )

    def record_turn(self, new: NewTurn) -> Turn:
        """Record a turn that is already a value."""
        return self._record(new)

    def _record(self, new: NewTurn) -> Turn:
        turn = self._rooms.recorder.record(new)
        self._rooms.uses.replied(turn)
        return turn

    def record_many(self, turns: Iterable[NewTurn]) -> Recorded:
        """Record many turns quickly; repeating an interrupted call adds nothing twice."""
        return self._rooms.recorder.record_many(turns)

    def end_session(self, session: str) -> None:
        """Mark a conversation as ended; what it leaves is worked out in the background."""
        self._rooms.closing.end(session)

    def compressing(self, session: str, messages: Iterable[NewTurn] | None = None) -> Episode:
        """Call before dropping messages from a prompt: what they say is kept, quickly.

        Gives the episode of the stretch; hand its id to ``compressed`` with the host's summary.
        """
        return self._rooms.compression.compressing(session, messages)

    def compressed(self, episode: str, summary: str) -> Episode:
        """The summary that the host has made of the dropped messages."""
        return self._rooms.compression.compressed(episode, summary)

    def sessions(self, *, limit: int = 100, offset: int = 0) -> list[SessionInfo]:
        """Conversations, the latest first."""
        return self._rooms.book.sessions(limit=limit, offset=offset)

    def turns(
        self,
        *,
        session: str | None = None,
        project: str | None = None,
        since: datetime | str | None = None,
        until: datetime | str | None = None,
        role: Role | None = None,
        tool: str | None = None,
        state: TurnState | None = None,
        newest_first: bool = False,
        limit: int = 100,
        offset: int = 0,
    ) -> list[Turn]:
        """Turns by session, time, role, tool or state."""
        return self._rooms.book.turns(
            session=session,
            project=project,
            since=since,
            until=until,
            role=role,
            tool=tool,
            state=state,
            newest_first=newest_first,
            limit=limit,
            offset=offset,
        )

    def attach(
        self,
        path_or_url: str | Path,
        *,
        session: str = "",
        direction: Direction = "inbound",
        mime: str = "",
        description: str = "",
        transcription: str = "",
        extracted_text: str = "",
        tags: Iterable[str] = (),
        memories: Iterable[str] = (),
    ) -> Attachment:
        """Remember a file that was sent or made."""
        return self._rooms.files.attach(
            path_or_url,
            session=session,
            direction=direction,
            mime=mime,
            description=description,
            transcription=transcription,
            extracted_text=extracted_text,
            tags=tags,
            memories=memories,
        )

    def describe_attachment(
        self,
        id: str,
        *,
        description: str | None = None,
        transcription: str | None = None,
        extracted_text: str | None = None,
    ) -> Attachment:
        """Fill in what is in a file, once it is known."""
        return self._rooms.files.describe(id, description, transcription, extracted_text)

    def attachments(
        self, *, session: str | None = None, direction: Direction | None = None, limit: int = 100
    ) -> list[Attachment]:
        """Files, the latest first."""
        return self._rooms.files.latest(session=session, direction=direction, limit=limit)

    def daily_events(self, *, day: date | None = None, limit: int = 100) -> list[DailyEvent]:
        """One short line per stretch of conversation, the latest first."""
        return self._rooms.book.daily_events(day, limit)

    def events(
        self, *, subject: str | None = None, type: str | None = None, limit: int = 100
    ) -> list[Event]:
        """What changed and what failed, the latest first."""
        return self._rooms.book.events(subject=subject, type_=type, limit=limit)

    def note_failure(self, where: str, error: str) -> Event:
        """Record that a part of the host could not use memory; the host itself went on."""
        return self._rooms.book.note_failure(where, error)

    def record_usage(
        self,
        *,
        purpose: str,
        model: str,
        input_tokens: int,
        output_tokens: int,
        cost: float | None = None,
    ) -> None:
        """Note what a model call cost."""
        self._rooms.book.record_usage(purpose, model, input_tokens, output_tokens, cost)

    def usage(self, *, since: datetime | str | None = None) -> list[UsageTotal]:
        """Tokens and cost by purpose and model."""
        return self._rooms.book.usage(since)
