"""Memory beside a host's conversation: evidence before a call, recording after it.

The host's call comes first. When memory fails the call goes on without it, and the failure is
recorded as a ``host_fail`` event, and kept in ``failures``.
"""

from __future__ import annotations

import contextlib
import json
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from mnemic.engine.aio import AsyncEngine, AsyncMind
from mnemic.engine.mind import Mind
from mnemic.engine.open import Engine
from mnemic.errors import InvalidInput, MnemicError
from mnemic.language.answers import read_confirmation, squeeze
from mnemic.language.detection import language_of
from mnemic.language.fence import fence
from mnemic.language.lines import indent
from mnemic.locks import ForkSafeLock
from mnemic.prompts import words
from mnemic.recall.evidence import tool_text
from mnemic.types import Evidence, Memory, NewTurn, ToolCall, ToolResult, Turn

_LONGEST_ANSWER = 300  # characters; a longer message is about something else
_QUESTION_MARKS = ("?", "？")


class HostQuestions:
    """The questions of one conversation: who the user is, and what waits for their word. Each is
    asked in the system text until it is answered or passed over. The next message counts as the
    answer only if the reply really had these words, and if it reads like one.
    """

    def __init__(self, mind: Mind) -> None:
        self._mind = mind
        self._introduced = not mind.settings.memory.enabled  # while it is off nobody is asked
        self._question = ""
        self._offers: list[Memory] = []
        self._answered_by: Callable[[str], None] | None = None

    def hear(self, message: str) -> None:
        """Take a message of the user as the answer to what the last reply asked, if it is one."""
        answered, self._answered_by = self._answered_by, None
        if answered is not None:
            answered(message.strip())

    def text(self, query: str, pending: Sequence[Memory]) -> str:
        """What the system text asks for in this exchange; empty where nothing is to be asked."""
        self._question, self._offers = "", []
        texts = words("host_questions", language_of([query], self._mind.settings.memory.language))
        if not self._introduced:
            state = self._mind.onboarding()
            self._introduced, self._question = state.done, state.text
            if self._question:
                return texts["ask"].format(text=self._question)
        self._offers = list(pending)
        if not pending:
            return ""
        # What waits may come from a tool or a page, so it is data for the model as well.
        listed = "\n".join(f"- {indent(memory.text, '  ')}" for memory in self._offers)
        return texts["offer"].format(text=fence(listed, "pending"))

    def note_reply(self, reply: str) -> None:
        """The reply of the host: whether it asked."""
        text = squeeze(reply)
        if self._question and squeeze(self._question) in text:
            self._answered_by = self._introduce
        elif self._offers and all(squeeze(memory.text) in text for memory in self._offers):
            self._answered_by = self._decide

    def _introduce(self, answer: str) -> None:
        if answer and len(answer) <= _LONGEST_ANSWER and not answer.endswith(_QUESTION_MARKS):
            self._mind.onboard(answer)

    def _decide(self, answer: str) -> None:
        decision = read_confirmation(answer)
        for memory in self._offers if decision else ():
            if decision == "confirm":
                self._mind.confirm(memory.id)
            elif decision == "ignore":
                self._mind.ignore(memory.id)
            else:
                self._mind.snooze(memory.id)


AnyMind = Mind | AsyncMind
AnyMemory = AnyMind | Engine | AsyncEngine
"""The memory of one person, or the database of many."""
_COMPARED_TURNS = 1_000  # turns of a session that are compared with the messages of a call
_KEPT_FAILURES = 100
_KEPT = 1_000


def mind_of(memory: AnyMemory, user: str | None = None) -> Mind:
    """The memory of ``user``, which is their space; a Mind is that of one already."""
    if isinstance(memory, AsyncEngine):
        memory = memory.engine
    if isinstance(memory, Engine):
        if not user:
            raise InvalidInput(
                "A database holds the memories of many, and nobody said whose is meant",
                remedy='Pass user="…", or the one memory: engine.mind("…")',
            )
        return memory.mind(user)
    mind = memory.mind if isinstance(memory, AsyncMind) else memory
    if user and user != mind.space:
        raise InvalidInput(
            f"This is the memory of {mind.space!r}, and {user!r} is asked for",
            remedy="Pass mnemic.connect(…), which holds the memories of many",
        )
    return mind


def recall_evidence(mind: Mind, query: str, limit: int) -> list[Evidence]:
    """At most ``limit`` pieces of evidence for a host that asks memory by itself."""
    # Several may say the same.
    return mind.evidence(query, mind.recall(query, limit=2 * limit))[:limit]


@dataclass(frozen=True, slots=True)
class PromptAddition:
    """Text that memory adds to a prompt: after the system text, and before the user's."""

    system: str = ""
    user: str = ""

    def __bool__(self) -> bool:
        return bool(self.system or self.user)

    def __str__(self) -> str:
        """Both parts as one text, for a host with a single place for it."""
        return "\n\n".join(filter(None, (self.system, self.user)))

    def after(self, instructions: str | None) -> str:
        """The host's own instructions, then the system part."""
        return "\n\n".join(filter(None, (instructions, self.system)))

    def before(self, words: str) -> str:
        """The recalled evidence, fenced as data, then the user's words."""
        return "\n\n".join(filter(None, (self.user, words)))


class Companion:
    """The memory of one conversation of a host."""

    def __init__(
        self,
        memory: AnyMemory,
        session: str,
        *,
        host: str,
        user: str | None = None,
        budget: int | None = None,
    ) -> None:
        self.session = session
        self.failures: deque[str] = deque(maxlen=_KEPT_FAILURES)
        self._mind = mind_of(memory, user)
        self._host = host
        self._budget = budget
        self._lock = ForkSafeLock()
        self._recorded: list[str] | None = None
        self._last_addition: tuple[str, PromptAddition] = ("", PromptAddition())
        self._questions = HostQuestions(self._mind)

    def show(
        self,
        messages: Sequence[NewTurn],
        instructions: Sequence[str] = (),
        *,
        query: str | None = None,
        on_server: bool = False,
    ) -> PromptAddition:
        """The addition for the answer to ``query``, or to the last words of the user; the same
        within one exchange.

        ``messages`` and ``instructions`` are what the host sends: nothing of it is added again.
        ``on_server``: the host's provider holds the conversation so far.
        """
        if query is None:
            query = next((turn.text for turn in reversed(messages) if turn.role == "user"), "")
        if not query.strip():
            return PromptAddition()
        if self._last_addition[0] == query:
            return self._last_addition[1]
        addition = PromptAddition()
        with self._at_most_noted():
            turns: list[Turn | NewTurn] = [*messages, *(self._latest_turns() if on_server else ())]
            shown = [turn.text or tool_text(turn) for turn in turns]
            built = self._mind.context(
                query, session=self.session, budget=self._budget, shown=[*instructions, *shown]
            )
            system = [message.content for message in built.messages if message.role == "system"]
            with self._at_most_noted():  # a question that fails costs no evidence
                self._questions.hear(query)
                system += filter(None, [self._questions.text(query, built.pending)])
            user = [message.content for message in built.messages if message.role != "system"]
            addition = PromptAddition("\n\n".join(system), "\n\n".join(user))
        self._last_addition = (query, addition)
        return addition

    def keep(self, messages: Sequence[NewTurn], *, all_new: bool = False) -> None:
        """Record the new messages of a call, which may repeat the whole conversation."""
        with self._at_most_noted(), self._lock:
            fresh = messages if all_new else messages[self._first_new(messages) :]
            if fresh:
                self._mind.record_many(fresh)
                self._remember(fresh)

    def add(self, turn: NewTurn) -> None:
        """Record an answer."""
        if turn.text or turn.tool_calls or turn.tool_results:
            with self._at_most_noted(), self._lock:
                self._mind.record_turn(turn)
                self._remember([turn])
                self._questions.note_reply(turn.text)

    def note_dropped(self, turns: Sequence[NewTurn], summary: str) -> None:
        """Keep an episode of messages that the host dropped from its prompt."""
        with self._at_most_noted():
            episode = self._mind.before_compression(self.session, turns)
            if summary.strip():
                self._mind.after_compression(episode.id, summary)

    def _latest_turns(self) -> list[Turn]:
        """The turns of the session, the newest first."""
        return self._mind.turns(session=self.session, newest_first=True, limit=_COMPARED_TURNS)

    @contextlib.contextmanager
    def _at_most_noted(self) -> Iterator[None]:
        try:
            yield
        except MnemicError as error:
            self.failures.append(str(error))
            with contextlib.suppress(MnemicError):
                self._mind.note_failure(self._host, str(error))

    def _remember(self, turns: Sequence[NewTurn]) -> None:
        self._recorded = [*(self._recorded or ()), *map(_fingerprint, turns)][-_COMPARED_TURNS:]

    def _first_new(self, messages: Sequence[NewTurn]) -> int:
        """The index of the first message that is not recorded yet.

        It follows the longest run of messages that equals the end of the record. Hosts cut the
        beginning of a long conversation, so a run may begin anywhere. Without any match, what
        follows the last answer is new.
        """
        if self._recorded is None:
            self._recorded = [_fingerprint(turn) for turn in reversed(self._latest_turns())]
        if not self._recorded:
            return 0
        fingerprints = [_fingerprint(message) for message in messages]
        runs = {
            end: _common_tail(self._recorded, fingerprints[:end])
            for end in range(1, len(fingerprints) + 1)
        }
        best = max(runs.values(), default=0)
        if best:
            return max(end for end, length in runs.items() if length == best)
        answers = [place for place, message in enumerate(messages) if message.role == "assistant"]
        return answers[-1] + 1 if answers else 0


def _common_tail(recorded: Sequence[str], fingerprints: Sequence[str]) -> int:
    """The number of equal entries at the end of both."""
    length = 0
    for ours, theirs in zip(reversed(recorded), reversed(fingerprints), strict=False):
        if ours != theirs:
            break
        length += 1
    return length


def _fingerprint(turn: NewTurn | Turn) -> str:
    """Equal for a message that a host sends again."""
    calls = [f"{call.name} {call.id}" for call in turn.tool_calls]
    results = [f"{result.call_id} {result.content}" for result in turn.tool_results]
    return "\x1f".join([turn.role, turn.text.strip(), *calls, *results])


C = TypeVar("C", bound=Companion)


@dataclass(slots=True)
class Companions(Generic[C]):
    """The companions of many conversations; those used longest ago are let go."""

    memory: AnyMemory
    host: str
    user: str | None
    budget: int | None
    make: Callable[..., C]
    _kept: dict[tuple[str, str], C] = field(default_factory=dict)

    def get(self, session: str, user: str | None = None) -> C:
        """The companion of a conversation, made if it is new, for ``user`` or that of all."""
        user, kept = user or self.user, self._kept
        companion = kept.pop((user or "", session), None) or self.make(
            self.memory, session, host=self.host, user=user, budget=self.budget
        )
        kept[user or "", session] = companion
        while len(kept) > _KEPT:
            del kept[next(iter(kept))]
        return companion


def tool_turn(session: str, call_id: str, content: str, *, is_error: bool = False) -> NewTurn:
    """What a tool answered, as a turn."""
    return NewTurn(session, "tool", "", tool_results=(ToolResult(content, call_id, is_error),))


def tool_call(name: str, arguments: object, call_id: str) -> ToolCall:
    """A call whose arguments came as JSON text or as a value."""
    value = arguments
    if isinstance(arguments, str):
        with contextlib.suppress(ValueError):  # a model's broken JSON is kept as the text it is
            value = json.loads(arguments or "{}")
    input_ = value if isinstance(value, dict) else {"arguments": arguments}
    return ToolCall(name or "tool", input_, call_id)
