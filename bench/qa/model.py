"""The model of the settings as it is asked here: every call is counted."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from time import sleep

from mnemic.errors import ConfigError, ModelRateLimited, ModelUnavailable
from mnemic.providers.chat.base import Answer, ChatModel, Meter, Object, Spent, T, WrongShape
from mnemic.providers.chat.choose import chat_model_for
from mnemic.providers.services import SERVICES
from mnemic.settings import Settings
from mnemic.types import Json

_MILLION = 1_000_000
_TRIES = 4
_LONGEST_WAIT = 60.0  # seconds
_SCORES = (0.0, 0.5, 1.0)
_VERDICT: Mapping[str, Json] = {
    "type": "object",
    "properties": {"score": {"type": "number"}, "reason": {"type": "string"}},
    "required": ["score", "reason"],
    "additionalProperties": False,
}


@dataclass(frozen=True, slots=True)
class Price:
    """Of a million tokens."""

    input: float
    output: float


@dataclass(frozen=True, slots=True)
class Use:
    """Calls and their tokens; ``cost`` is None where the price is not known."""

    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cost: float | None = 0.0

    def __add__(self, other: Use) -> Use:
        known = self.cost is not None and other.cost is not None
        return Use(
            self.calls + other.calls,
            self.input_tokens + other.input_tokens,
            self.output_tokens + other.output_tokens,
            (self.cost or 0.0) + (other.cost or 0.0) if known else None,
        )


class CountedModel:
    """Answers and judges; ``take_use`` gives what that used since it was taken last."""

    def __init__(self, model: ChatModel, purpose: str, price: Price | None = None) -> None:
        self._model = model.add_meter(Meter(lambda: None, self._record))
        self._purpose, self._price = purpose, price
        self._use = Use()

    @property
    def name(self) -> str:
        return self._model.name

    def write(self, prompt: str) -> str:
        return _patiently(lambda: self._model.write(prompt, purpose=self._purpose)).value

    def agrees(self, prompt: str) -> bool:
        """Whether the model says yes; the published judges look for the word anywhere."""
        return "yes" in self.write(prompt).lower()

    def grade(self, prompt: str) -> float:
        """0, 0.5 or 1."""
        return _patiently(
            lambda: self._model.ask(prompt, purpose=self._purpose, schema=_VERDICT, parse=_grade)
        ).value

    def take_use(self) -> Use:
        used, self._use = self._use, Use()
        return used

    def _record(self, _: str, spent: Spent) -> None:
        cost = spent.cost
        if self._price is not None:
            price = self._price
            cost = (
                spent.input_tokens * price.input + spent.output_tokens * price.output
            ) / _MILLION
        self._use += Use(1, spent.input_tokens, spent.output_tokens, cost)


def _patiently(call: Callable[[], Answer[T]]) -> Answer[T]:
    """A call that is tried again while the server is busy, for as long as it asks to wait."""
    for attempt in range(_TRIES - 1):
        try:
            return call()
        except (ModelRateLimited, ModelUnavailable) as error:
            asked = error.retry_after
            wait = 2.0**attempt if asked is None else asked.total_seconds()
            sleep(min(wait, _LONGEST_WAIT))
    return call()


def _grade(found: Object) -> float:
    score = found.get("score")
    if isinstance(score, bool) or not isinstance(score, int | float) or score not in _SCORES:
        raise WrongShape("score is not 0.0, 0.5 or 1.0")
    return float(score)


def model_of(settings: Settings) -> ChatModel:
    """The model that the settings name, or an error that says how to name one."""
    model = chat_model_for(settings)
    if model is None:
        raise ConfigError(
            "No model is set to answer the questions",
            remedy="Set one, as in --set model.provider=openai --set model.name=NAME, with the key"
            " in MNEMIC_MODEL__API_KEY; providers are " + ", ".join(SERVICES),
        )
    return model
