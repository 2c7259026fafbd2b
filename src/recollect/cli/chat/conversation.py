"""One conversation: what is said is recorded, what is known is put before the model."""

from __future__ import annotations

from dataclasses import dataclass

from recollect.mind import Mind
from recollect.providers.chat.base import ChatMessage as Said
from recollect.providers.chat.base import ChatModel, Meter, Spent
from recollect.types import Context, Hit, Memory, NewTurn, Turn

_PURPOSE = "chat"
_STRETCH = 10  # turns out of the window that are worth a story of their own
_LOOKED_BACK = 1_000  # turns of a conversation
_LISTED = 1_000  # memories among which those of a conversation are looked for
_GAP = "…"


@dataclass(frozen=True, slots=True)
class Exchange:
    """A message, its place in the conversation, and what was shown to the model for it."""

    turn: Turn
    context: Context


class ChatConversation:
    """A conversation with a model. The person's words are recorded before anything is asked."""

    def __init__(self, mind: Mind, model: ChatModel, system: str, project: str | None) -> None:
        self._mind = mind
        self._model = model.metered(Meter(allow=lambda: None, record=self._spent))
        self._system = system
        self._project = project
        self._told = -1  # the last turn whose story is kept
        self.session = self._begun()
        self.last: Exchange | None = None

    def ask(self, text: str) -> Exchange:
        """Record what the person says, and gather what the model is to see."""
        turn = self._mind.record(session=self.session, role="user", content=text)
        built = self._mind.context(text, session=self.session, model=self._mind.settings.chat.name)
        self.last = Exchange(turn, built)
        return self.last

    def answer(self, asked: Exchange) -> str:
        """The model's reply, recorded; raises what the model raises."""
        system, said = conversation(asked.context, asked.turn.content)
        told = "\n\n".join(filter(None, (self._system, system)))
        reply = self._model.write(said, purpose=_PURPOSE, system=told).value
        self._mind.record(session=self.session, role="assistant", content=reply)
        return reply

    def compress(self, asked: Exchange) -> bool:
        """Keep the story of turns that the window no longer shows, once there are enough."""
        if not any(left.section == "recent" for left in asked.context.dropped):
            return False
        shown = {id_ for use in asked.context.sections if use.name == "recent" for id_ in use.ids}
        turns = self._mind.turns(session=self.session, newest_first=True, limit=_LOOKED_BACK)[::-1]
        kept = [turn.index for turn in turns if turn.id in shown]
        first = min(kept, default=asked.turn.index)
        gone = [turn for turn in turns if self._told < turn.index < first]
        if len(gone) < _STRETCH:
            return False
        self._mind.before_compression(self.session, map(_again, gone))
        self._told = gone[-1].index
        return True

    def recalled(self) -> list[Hit]:
        """The evidence that was shown for the last message, with the reasons for each piece."""
        if self.last is None:
            return []
        asked, built = self.last.turn, self.last.context
        ids = {id_ for use in built.sections if use.name == "evidence" for id_ in use.ids}
        if not ids:
            return []
        many = len(ids) + 4 * self._mind.settings.recall.evidence
        return [hit for hit in self._mind.recall(asked.content, k=many) if hit.id in ids]

    def learnt(self) -> tuple[list[Memory], int]:
        """What was learnt from this conversation, and how many of its turns wait to be read."""
        known = self._mind.memories(limit=_LISTED)
        learnt = [m for m in known if any(s.session == self.session for s in m.sources)]
        waiting = self._mind.turns(session=self.session, state="new", limit=_LOOKED_BACK)
        return learnt, len(waiting)

    def begin_again(self) -> str:
        """End this conversation and begin another."""
        self.end()
        self.session, self.last, self._told = self._begun(), None, -1
        return self.session

    def end(self) -> bool:
        """End the conversation; False when nothing was said in it."""
        said = bool(self._mind.turns(session=self.session, limit=1))
        self._mind.end_session(self.session)
        return said

    def close(self) -> None:
        self._model.close()

    def _begun(self) -> str:
        return self._mind.session(project=self._project).id

    def _spent(self, purpose: str, spent: Spent) -> None:
        self._mind.record_usage(
            purpose=purpose,
            model=spent.model,
            input_tokens=spent.input_tokens,
            output_tokens=spent.output_tokens,
            cost=spent.cost,
        )


def conversation(context: Context, text: str) -> tuple[str, list[Said]]:
    """A context as the words of the system and a conversation that takes turns.

    Some servers want the person to speak first, and nobody twice in a row.
    """
    system = "\n\n".join(one.content for one in context.messages if one.role == "system")
    said: list[Said] = []
    for message in context.messages:
        if message.role == "system":
            continue
        role = message.role if message.role == "assistant" else "user"
        _add(said, Said(role, message.content))
    _add(said, Said("user", text))
    return system, [Said("user", _GAP), *said] if said[0].role == "assistant" else said


def _add(said: list[Said], message: Said) -> None:
    if said and said[-1].role == message.role:
        message = Said(message.role, f"{said.pop().text}\n\n{message.text}")
    said.append(message)


def _again(turn: Turn) -> NewTurn:
    return NewTurn(
        turn.session,
        turn.role,
        turn.content,
        tool_calls=turn.tool_calls,
        tool_results=turn.tool_results,
    )
