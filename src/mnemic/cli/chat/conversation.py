"""One conversation: turns are recorded, and evidence is put before the model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass

from mnemic.engine.mind import Mind
from mnemic.providers.chat.base import ChatMessage, ChatModel, Meter, OnText, Spent
from mnemic.types import Context, Hit, Memory, NewTurn, Turn

_PURPOSE = "chat"
_MIN_TURNS = 10  # outside the window before an episode is written
_MAX_TURNS = 1_000  # of a conversation
_MAX_MEMORIES = 1_000  # searched for those of a conversation
_GAP = "…"


@dataclass(frozen=True, slots=True)
class Exchange:
    """A message as a turn, and the context shown to the model for it."""

    turn: Turn
    context: Context


class ChatConversation:
    """A conversation with a model. A message is recorded before the model is called."""

    def __init__(self, mind: Mind, model: ChatModel, system: str, project: str | None) -> None:
        self._mind = mind
        self._model = model.add_meter(Meter(allow=lambda: None, record=self._record_usage))
        self._system = system
        self._project = project
        self._last_compressed = -1  # index of the last turn in an episode
        self.session = self._start_session()
        self.last: Exchange | None = None

    def ask(self, text: str) -> Exchange:
        """Record a message of the person, and build the context for it."""
        turn = self._mind.record(session=self.session, role="user", text=text)
        built = self._mind.context(text, session=self.session, model=self._mind.settings.chat.name)
        self.last = Exchange(turn, built)
        return self.last

    def answer(self, exchange: Exchange, show: OnText) -> None:
        """Show the model's reply as it comes, and record what was shown of it, however it ends."""
        system, messages = conversation(exchange.context, exchange.turn.text)
        instructions = "\n\n".join(filter(None, (self._system, system)))
        pieces: list[str] = []

        def hear(text: str) -> None:
            pieces.append(text)
            show(text)

        try:
            self._model.write(messages, purpose=_PURPOSE, system=instructions, on_text=hear)
        except BaseException:
            self._record(pieces, {"interrupted": True})
            raise
        self._record(pieces, {})

    def _record(self, pieces: Sequence[str], metadata: dict[str, bool]) -> None:
        reply = "".join(pieces).strip()
        if reply:
            self._mind.record(session=self.session, role="assistant", text=reply, metadata=metadata)

    def compress(self, exchange: Exchange) -> bool:
        """Write an episode of turns outside the window, once there are enough."""
        if not any(omitted.section == "recent" for omitted in exchange.context.dropped):
            return False
        visible = {
            id_ for use in exchange.context.sections if use.name == "recent" for id_ in use.ids
        }
        turns = self._mind.turns(session=self.session, newest_first=True, limit=_MAX_TURNS)[::-1]
        indexes = [turn.index for turn in turns if turn.id in visible]
        first = min(indexes, default=exchange.turn.index)
        hidden = [turn for turn in turns if self._last_compressed < turn.index < first]
        if len(hidden) < _MIN_TURNS:
            return False
        self._mind.before_compression(self.session, map(_new_turn, hidden))
        self._last_compressed = hidden[-1].index
        return True

    def list_recalled(self) -> list[Hit]:
        """The evidence shown for the last message, with the reasons for each hit."""
        if self.last is None:
            return []
        turn, context = self.last.turn, self.last.context
        ids = {id_ for use in context.sections if use.name == "evidence" for id_ in use.ids}
        if not ids:
            return []
        limit = len(ids) + 2 * self._mind.settings.recall.evidence
        hits = self._mind.recall(turn.text, limit=limit, min_score=0.0)
        return [hit for hit in hits if hit.id in ids]

    def list_learned(self) -> tuple[list[Memory], int]:
        """Memories from this conversation, and the number of turns not learned from yet."""
        memories = self._mind.memories(limit=_MAX_MEMORIES)
        learned = [m for m in memories if any(s.session == self.session for s in m.sources)]
        return learned, len(self._mind.turns(session=self.session, state="new", limit=_MAX_TURNS))

    def begin_again(self) -> str:
        """End this conversation and begin another."""
        self.end()
        self.session, self.last, self._last_compressed = self._start_session(), None, -1
        return self.session

    def end(self) -> bool:
        """End the conversation; False when nothing was said in it."""
        has_turns = bool(self._mind.turns(session=self.session, limit=1))
        self._mind.end_session(self.session)
        return has_turns

    def close(self) -> None:
        self._model.close()

    def _start_session(self) -> str:
        return self._mind.session(project=self._project).id

    def _record_usage(self, purpose: str, spent: Spent) -> None:
        self._mind.record_usage(purpose=purpose, **asdict(spent))


def conversation(context: Context, text: str) -> tuple[str, list[ChatMessage]]:
    """A context as a system text and messages that alternate, the person's first."""
    system, messages = list[str](), list[ChatMessage]()
    for message in context.messages:
        if message.role == "system":
            system.append(message.content)
            continue
        role = message.role if message.role == "assistant" else "user"
        _add(messages, ChatMessage(role, message.content))
    _add(messages, ChatMessage("user", text))
    if messages[0].role == "assistant":
        messages.insert(0, ChatMessage("user", _GAP))
    return "\n\n".join(system), messages


def _add(messages: list[ChatMessage], message: ChatMessage) -> None:
    if messages and messages[-1].role == message.role:
        message = ChatMessage(message.role, f"{messages.pop().text}\n\n{message.text}")
    messages.append(message)


def _new_turn(turn: Turn) -> NewTurn:
    return NewTurn(
        turn.session,
        turn.role,
        turn.text,
        tool_calls=turn.tool_calls,
        tool_results=turn.tool_results,
    )
