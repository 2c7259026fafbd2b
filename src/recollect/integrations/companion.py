"""Memory at the side of a host's conversation: what to show before a call, what to keep of it.

The host's call comes first. When memory cannot do its part the call goes on without it, and the
failure is recorded as a ``host_fail`` event, or kept in ``failures`` if even that fails.
"""

from __future__ import annotations

import contextlib
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from recollect.aio import AsyncMind
from recollect.errors import RecollectError
from recollect.locks import ForkSafeLock
from recollect.mind import Mind
from recollect.types import NewTurn, ToolCall, ToolResult, Turn

AnyMind = Mind | AsyncMind
_LOOKED_BACK = 1_000  # turns of a session that are compared with the messages of a call
_KEPT_FAILURES = 100


def mind_of(mind: AnyMind) -> Mind:
    return mind.mind if isinstance(mind, AsyncMind) else mind


@dataclass(frozen=True, slots=True)
class PromptAddition:
    """What memory adds to a prompt: to the system's words, and before the user's own."""

    system: str = ""
    user: str = ""

    def __bool__(self) -> bool:
        return bool(self.system or self.user)

    def after(self, instructions: str | None) -> str:
        """The host's own instructions, then what memory says."""
        return "\n\n".join(filter(None, (instructions, self.system)))

    def before(self, words: str) -> str:
        """What was recalled, fenced as data, then the user's words."""
        return "\n\n".join(filter(None, (self.user, words)))


class Companion:
    """The memory of one conversation of a host."""

    def __init__(
        self, mind: AnyMind, session: str, *, host: str, budget: int | None = None
    ) -> None:
        self.session = session
        self.failures: deque[str] = deque(maxlen=_KEPT_FAILURES)
        self._mind = mind_of(mind)
        self._host = host
        self._budget = budget
        self._lock = ForkSafeLock()
        self._known: list[str] | None = None
        self._shown: tuple[str, PromptAddition] = ("", PromptAddition())

    def show(self, query: str) -> PromptAddition:
        """What the model should see before it answers ``query``; the same within one exchange."""
        if not query.strip():
            return PromptAddition()
        asked, shown = self._shown
        if asked == query:
            return shown
        found = PromptAddition()
        with self._at_most_noted():
            # Without the session: the host has the conversation in its own messages.
            built = self._mind.context(query, budget=self._budget)
            system = [one.content for one in built.messages if one.role == "system"]
            user = [one.content for one in built.messages if one.role != "system"]
            found = PromptAddition("\n\n".join(system), "\n\n".join(user))
        self._shown = (query, found)
        return found

    def keep(self, messages: Sequence[NewTurn]) -> None:
        """Record what is new in the messages of a call, which may repeat the whole conversation."""
        with self._at_most_noted(), self._lock:
            fresh = list(messages[self._first_new(messages) :])
            if fresh:
                self._mind.record_many(fresh)
                self._remember(fresh)

    def add(self, turn: NewTurn) -> None:
        """Record an answer."""
        if turn.content or turn.tool_calls or turn.tool_results:
            with self._at_most_noted(), self._lock:
                self._mind.record_turn(turn)
                self._remember([turn])

    def dropped(self, turns: Sequence[NewTurn], summary: str) -> None:
        """The host has taken messages out of its prompt: their story is kept."""
        with self._at_most_noted():
            episode = self._mind.before_compression(self.session, turns)
            if summary.strip():
                self._mind.after_compression(episode.id, summary)

    @contextlib.contextmanager
    def _at_most_noted(self) -> Iterator[None]:
        try:
            yield
        except RecollectError as error:
            self.failures.append(str(error))
            with contextlib.suppress(RecollectError):
                self._mind.note_failure(self._host, str(error))

    def _remember(self, turns: Sequence[NewTurn]) -> None:
        known = self._known if self._known is not None else []
        self._known = [*known, *map(_print, turns)][-_LOOKED_BACK:]

    def _first_new(self, messages: Sequence[NewTurn]) -> int:
        """The place of the first message that is not recorded yet.

        The longest run of messages that ends like the record tells where the two meet. Hosts cut
        the beginning of a long conversation, so a run may begin anywhere. Where nothing meets,
        what follows the last answer is new.
        """
        if self._known is None:
            turns = self._mind.turns(session=self.session, newest_first=True, limit=_LOOKED_BACK)
            self._known = [_print(turn) for turn in reversed(turns)]
        if not self._known:
            return 0
        prints = [_print(message) for message in messages]
        runs = {end: _run(self._known, prints[:end]) for end in range(1, len(prints) + 1)}
        best = max(runs.values(), default=0)
        if best:
            return max(end for end, length in runs.items() if length == best)
        answers = [place for place, one in enumerate(messages) if one.role == "assistant"]
        return answers[-1] + 1 if answers else 0


def _run(known: Sequence[str], prints: Sequence[str]) -> int:
    """How many of the last of both are the same."""
    length = 0
    for one, other in zip(reversed(known), reversed(prints), strict=False):
        if one != other:
            break
        length += 1
    return length


def _print(turn: NewTurn | Turn) -> str:
    """What makes a message the same one when a host sends it again."""
    calls = [f"{call.name} {call.id}" for call in turn.tool_calls]
    results = [f"{result.call_id} {result.content}" for result in turn.tool_results]
    return "\x1f".join([turn.role, turn.content.strip(), *calls, *results])


def tool_turn(session: str, call_id: str, content: str, *, is_error: bool = False) -> NewTurn:
    """What a tool answered, as a turn."""
    return NewTurn(session, "tool", "", tool_results=(ToolResult(content, call_id, is_error),))


def tool_call(name: str, arguments: object, call_id: str) -> ToolCall:
    """A call whose arguments came as JSON text or as a value."""
    import json

    given = arguments
    if isinstance(arguments, str):
        try:
            given = json.loads(arguments or "{}")
        except ValueError:
            given = None  # a model's broken JSON is kept as the text it is
    inside = given if isinstance(given, dict) else {"arguments": arguments}
    return ToolCall(name or "tool", inside, call_id)
