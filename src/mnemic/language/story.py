"""Episodes by rule: goal, outcome, actions and summary of some turns; a draft has priority."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache

from mnemic.language.actions import action_nodes, first_sentence, sentences
from mnemic.language.entities import find_entities
from mnemic.language.fence import strip_fenced
from mnemic.language.gate import phrases, wants_memory, words
from mnemic.language.outcome import outcome_of
from mnemic.language.truncation import cut
from mnemic.language.voice import own_voice
from mnemic.late import dataclass
from mnemic.patterns import defer
from mnemic.rules.importance import DEFAULT_IMPORTANCE
from mnemic.settings.recall import GateSettings
from mnemic.types import ActionNode, Outcome, Turn

SUMMARY_CHARS = 200  # of an episode or a day, as in documents A §4.2 and D §6.4
_RESULT_CHARS = 100  # of a tool result in an action node, as in document A §4.2

_POLITE = defer(
    r"(?:please|pls|kindly|(?:can|could|would|will) you|help me(?: to)?|let's|now|ok|okay|just"
    r"|请|麻烦|你|您|能不能|能否|可以|能|帮忙|帮我|给我|替我|再|先|好的?)(?![a-z])[\s,，.!！]*"
)
_WORD = defer(r"[a-z]+")
MOST_ENTITIES = 20
LONGEST_GOAL = 200


@dataclass(frozen=True, slots=True)
class EpisodeDraft:
    """What a model, or a host, says of a stretch; None leaves it to the rules."""

    summary: str
    goal: str = ""
    outcome: Outcome | None = None
    entities: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    importance: float | None = None


@dataclass(frozen=True, slots=True)
class Story:
    """The content of an episode."""

    summary: str
    goal: str
    outcome: Outcome
    actions: tuple[ActionNode, ...]
    entities: tuple[str, ...]
    tools: tuple[str, ...]
    tags: tuple[str, ...]
    importance: float


def story_of(
    turns: Sequence[Turn],
    *,
    draft: EpisodeDraft | None = None,
    tags: Iterable[str] = (),
    ended: bool = True,
) -> Story:
    """The story of these turns; what a draft gives has priority over the rules."""
    actions = action_nodes(turns, _RESULT_CHARS)
    tools = tuple(dict.fromkeys(action.tool for action in actions))
    goal = goal_of(turns)
    draft = draft or EpisodeDraft("")
    importance = DEFAULT_IMPORTANCE if draft.importance is None else draft.importance
    return Story(
        summary=draft.summary or summary_of(turns, goal, tools, SUMMARY_CHARS),
        goal=draft.goal or goal,
        outcome=draft.outcome or outcome_of(turns, actions, ended=ended),
        actions=actions,
        entities=_entities(turns, draft.entities),
        tools=tools,
        tags=tuple(dict.fromkeys(filter(None, (*tags, *draft.tags)))),
        importance=importance,
    )


def goal_of(turns: Sequence[Turn]) -> str:
    """The first thing the user really asked for."""
    messages = [_own_text(turn).strip() for turn in turns if turn.role == "user"]
    request = next(filter(is_request, messages), "") or next(filter(None, messages), "")
    return cut(request_in(request), LONGEST_GOAL)


def is_request(message: str) -> bool:
    """Whether a message is more than a greeting, a nod or thanks."""
    return bool(message.strip()) and wants_memory(message, _gate()).rule not in ("nod", "short")


def is_order(message: str) -> bool:
    """Whether a message tells the agent to do something."""
    order = message.strip().lower()
    while polite := _POLITE.match(order):
        order = order[polite.end() :]
    word = _WORD.match(order)
    return order.startswith(phrases("orders")) or bool(word and word.group() in words("orders_en"))


def request_in(message: str) -> str:
    """The first sentence that is more than a greeting, on one line."""
    return next(filter(is_request, sentences(message)), "") or first_sentence(message)


def summary_of(turns: Sequence[Turn], goal: str, tools: Sequence[str], limit: int) -> str:
    """The goal, how it ended in the agent's words, the tools, and what else was asked for."""
    tail = f" [{', '.join(tools)}]" if tools else ""
    tail = tail if 3 * len(tail) <= limit else ""
    requests = [_request_of(turn) for turn in turns if turn.role == "user"]
    requests = [sentence for sentence in requests if is_request(sentence) and sentence != goal]
    answers = (turn for turn in reversed(turns) if turn.role == "assistant")
    closed = next((turn for turn in answers if is_request(strip_fenced(turn.text))), None)
    closing = "" if closed is None else _request_of(closed)
    room = limit - len(tail)
    first = next(filter(None, map(_request_of, turns)), "")
    summary = cut(goal or first, room if not closing else max(room // 2, 1))
    if closing and len(summary) + len(" → ") + 1 < room:
        closing = f" → {cut(closing, room - len(summary) - len(' → '))}"
    else:
        closing = ""
    for sentence in dict.fromkeys(requests):
        longer = f"{summary} · {sentence}"
        if len(longer) + len(closing) > room:
            break
        summary = longer
    return cut(f"{summary}{closing}{tail}".strip(), limit)


def without(summary: str, removed: Sequence[str]) -> str:
    """A summary by rule without the sentences that stand in these texts; empty if none is left."""
    body, arrow, closing = summary.partition(" → ")
    texts = [" ".join(text.split()) for text in removed]
    remaining = [
        sentence
        for sentence in body.split(" · ")
        if not any(sentence.rstrip("…") in text for text in texts)
    ]
    return f"{' · '.join(remaining)}{arrow}{closing}" if remaining else ""


def _entities(turns: Sequence[Turn], drafted: Sequence[str]) -> tuple[str, ...]:
    """Those of a draft, then the names in the conversation and in what its tools were told."""
    entities = dict.fromkeys(drafted)
    for turn in turns:
        inputs = [str(item) for call in turn.tool_calls for item in call.input.values()]
        names = find_entities("\n".join([strip_fenced(turn.text), *(w[:300] for w in inputs)]))
        entities.update(dict.fromkeys(names))
        if len(entities) >= MOST_ENTITIES:
            break
    return tuple(entities)[:MOST_ENTITIES]


def _request_of(turn: Turn) -> str:
    return request_in(_own_text(turn))


def _own_text(turn: Turn) -> str:
    """What a turn says without memory's own words and, of a user, without what they quote."""
    plain = strip_fenced(turn.text)
    return own_voice(plain) if turn.role == "user" else plain


@cache
def _gate() -> GateSettings:
    return GateSettings()
