"""Having a model tell an episode: what it is shown, and how its answer is read."""

from __future__ import annotations

from collections.abc import Sequence
from typing import get_args

from recollect.language.fence import fence
from recollect.language.story import SUMMARY_CHARS, EpisodeDraft
from recollect.language.tokens import count_tokens
from recollect.learn.extractors import TOOL_CHARS
from recollect.learn.transcript import line
from recollect.prompts import Language, filled
from recollect.providers.chat.base import Answer, ChatModel, Object, Schema, WrongShape
from recollect.settings import Settings
from recollect.types import Outcome, Turn

PURPOSE = "episode"
OUTCOMES: tuple[Outcome, ...] = get_args(Outcome)
SCHEMA: Schema = {
    "type": "object",
    "properties": {
        "summary": {"type": "string"},
        "goal": {"type": "string"},
        "outcome": {"type": "string", "enum": list(OUTCOMES)},
        "entities": {"type": "array", "items": {"type": "string"}},
        "tags": {"type": "array", "items": {"type": "string"}},
        "importance": {"type": "number"},
    },
    "required": ["summary", "goal", "outcome", "entities", "tags", "importance"],
    "additionalProperties": False,
}
_SKIPPED = "[…]"


def ask_for_episode(
    model: ChatModel, turns: Sequence[Turn], language: Language, settings: Settings
) -> Answer[EpisodeDraft]:
    """The story of these turns in the model's words."""
    shown = conversation(turns, TOOL_CHARS, settings.extraction.batch_tokens.high)
    return model.ask(
        fence(shown, "conversation"),
        purpose=PURPOSE,
        schema=SCHEMA,
        parse=parse_episode,
        system=filled("episode", language, summary_chars=SUMMARY_CHARS),
    )


def conversation(turns: Sequence[Turn], tool_chars: int, most_tokens: int) -> str:
    """Turns as text: the first, and as many of the last as there is room for."""
    lines = [line(turn, tool_chars) for turn in turns]
    if not lines:
        return ""
    room = most_tokens - count_tokens(lines[0])
    kept: list[str] = []
    for shown in reversed(lines[1:]):
        room -= count_tokens(shown)
        if room < 0:
            kept.append(_SKIPPED)
            break
        kept.append(shown)
    return "\n".join([lines[0], *reversed(kept)])


def parse_episode(answer: Object) -> EpisodeDraft:
    """An answer as a draft; one of the wrong shape is told what is wrong with it."""
    outcome = next((one for one in OUTCOMES if one == answer.get("outcome")), None)
    if outcome is None:
        raise WrongShape(f'"outcome" has to be one of {", ".join(OUTCOMES)}')
    summary = _text(answer, "summary")
    if not summary:
        raise WrongShape('"summary" is empty')
    return EpisodeDraft(
        summary=summary,
        goal=_text(answer, "goal"),
        outcome=outcome,
        entities=_texts(answer, "entities"),
        tags=_texts(answer, "tags"),
        importance=_share(answer, "importance"),
    )


def _text(answer: Object, key: str) -> str:
    value = answer.get(key) or ""
    if not isinstance(value, str):
        raise WrongShape(f'"{key}" has to be text')
    return " ".join(value.split())


def _texts(answer: Object, key: str) -> tuple[str, ...]:
    value = answer.get(key) or []
    if not isinstance(value, list):
        raise WrongShape(f'"{key}" has to be a list of texts')
    texts = [item for item in value if isinstance(item, str)]
    if len(texts) < len(value):
        raise WrongShape(f'"{key}" has to hold nothing but texts')
    return tuple(dict.fromkeys(" ".join(item.split()) for item in texts if item.strip()))


def _share(answer: Object, key: str) -> float | None:
    value = answer.get(key)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        raise WrongShape(f'"{key}" has to be a number from 0 to 1')
    return float(value)
