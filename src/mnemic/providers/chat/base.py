"""The messages, answers and usage of a chat model."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Generic, Literal, TypeAlias, TypeVar

from mnemic.late import dataclass
from mnemic.types import Json

if TYPE_CHECKING:
    from mnemic.providers.chat.chat import ChatModel
else:
    ChatModel = Any  # named in annotations alone

__all__ = [
    "Answer", "ChatMessage", "ChatModel", "Meter", "Object", "OnText", "Role", "Schema", "Spent",
    "T", "WrongShape",
]  # fmt: skip

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
