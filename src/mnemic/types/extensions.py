"""What a host may bring: its own language model, embedding model, vector search and actions."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from typing import Any, Protocol, TypeAlias

from mnemic.late import dataclass
from mnemic.types.context import Message
from mnemic.types.ledger import Event, NewDailyEvent, NewTurn
from mnemic.types.literals import Json
from mnemic.types.memory import NewEpisode, NewMemory


@dataclass(frozen=True, slots=True)
class ModelOutput:
    """The text of a language model with its usage; what is not given is estimated."""

    text: str
    input_tokens: int | None = None
    output_tokens: int | None = None


class LanguageModel(Protocol):
    """A model that writes text. It may be called from several threads."""

    @property
    def name(self) -> str:
        """The model, as usage and prices know it."""

    def complete(
        self, messages: Sequence[Message], *, schema: Mapping[str, Json] | None = None
    ) -> str | ModelOutput:
        """The answer to the messages, of which the first may be a system text.

        With a ``schema`` the answer is to be one JSON object; the system text says so as well.
        """


class EmbeddingModel(Protocol):
    """A model that makes vectors. Two models with one name make the same vectors.

    A model that embeds queries in another way than passages also has ``embed_query``, with the
    signature of ``embed``.
    """

    @property
    def name(self) -> str:
        """The model and its variant; stored with each vector."""

    @property
    def dimensions(self) -> int:
        """The length of every vector."""

    def embed(self, texts: Sequence[str]) -> Sequence[Sequence[float]]:
        """One vector for each text, in order; an array of numpy is one, too."""


class VectorBackend(Protocol):
    """Nearest-neighbor search by an engine of one's own.

    The database keeps the vectors; the backend holds a copy, which is cleared and filled again at
    the first query of a process and after removals. ``table`` names one of several independent
    sets. Vectors have length 1, so the inner product is the cosine.
    """

    def add(self, table: str, ids: Sequence[int], vectors: Sequence[Sequence[float]]) -> None:
        """Take in vectors under ids that are new to the table."""

    def search(
        self, table: str, vector: Sequence[float], limit: int
    ) -> Sequence[tuple[int, float]]:
        """The ids and cosines of the nearest vectors, at most ``limit``."""

    def clear(self, table: str) -> None:
        """Remove everything of the table, which may not exist."""


Action: TypeAlias = Callable[[Event], object]
HostMessage: TypeAlias = NewTurn | Mapping[str, Any]
NewRecord: TypeAlias = NewMemory | NewEpisode | NewDailyEvent


@dataclass(frozen=True, slots=True)
class Extensions:
    """The host's own parts of one mind; ``actions`` are run by event rules, by name."""

    model: LanguageModel | None = None
    embedder: EmbeddingModel | None = None
    vectors: VectorBackend | None = None
    actions: Mapping[str, Action] = field(default_factory=dict)
