"""The protocol of a chat model, and its answers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Generic, Literal, Protocol, TypeAlias, TypeVar

from mnemic.late import dataclass
from mnemic.types import Json

T = TypeVar("T")
Role = Literal["user", "assistant"]
Schema: TypeAlias = Mapping[str, Json]
Object: TypeAlias = dict[str, Json]
OnText: TypeAlias = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class ChatMessage:
    """One message to the model, or from it."""

    role: Role
    text: str


@dataclass(frozen=True, slots=True)
class Spent:
    """The usage of an answer; ``cost`` is None where the price of the model is not known."""

    model: str
    input_tokens: int
    output_tokens: int
    cost: float | None = None

    def __add__(self, other: Spent) -> Spent:
        costs = None if self.cost is None or other.cost is None else self.cost + other.cost
        return Spent(
            self.model,
            self.input_tokens + other.input_tokens,
            self.output_tokens + other.output_tokens,
            costs,
        )


@dataclass(frozen=True, slots=True)
class Answer(Generic[T]):
    """A checked value and its usage, repairs included."""

    value: T
    spent: Spent


class WrongShape(ValueError):
    """A wrong answer, in words for the model; ``partial``: only what is wrong is asked again."""

    def __init__(self, message: str, *, partial: bool = False) -> None:
        super().__init__(message)
        self.partial = partial


@dataclass(frozen=True, slots=True)
class Meter:
    """Usage hooks, called before and after every call to the server.

    ``allow`` raises where no call may be made. ``record`` gets the purpose and the usage, also of
    unusable answers, which are paid for all the same.
    """

    allow: Callable[[], None]
    record: Callable[[str, Spent], None]


class ChatModel(Protocol):
    """Answers with checked values. All failures are ModelErrors; safe from several threads."""

    @property
    def name(self) -> str:
        """The model, as usage and prices know it."""

    def ask(
        self,
        messages: str | Sequence[ChatMessage],
        *,
        purpose: str,
        schema: Schema,
        parse: Callable[[Object], T],
        parse_partial: Callable[[str], T] | None = None,
        system: str = "",
    ) -> Answer[T]:
        """An object that ``parse`` has accepted, never half of one.

        ``schema`` tells the model what to answer; ``parse`` judges it, and raises WrongShape.
        ``parse_partial`` takes what can be used of an answer that is no whole object.
        """

    def write(
        self,
        messages: str | Sequence[ChatMessage],
        *,
        purpose: str,
        system: str = "",
        on_text: OnText | None = None,
    ) -> Answer[str]:
        """A whole text, not empty. ``on_text`` gets its pieces as they come, where they do."""

    def add_meter(self, meter: Meter) -> ChatModel:
        """The same model over the same connections, with every call counted."""

    def close(self) -> None:
        """Drop the connections; the next call makes new ones."""
