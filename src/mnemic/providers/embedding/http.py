"""Embeddings from a server: OpenAI and what speaks like it, DashScope, Ollama."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Literal

from mnemic.errors import BadVector
from mnemic.late import np
from mnemic.providers.embedding.base import Vectors, check_vectors
from mnemic.providers.wire import Wire

Protocol = Literal["openai", "ollama"]
_LONGEST_VECTOR = 4096  # numbers, where the length is not known yet
_NUMBER_BYTES = 32  # one number as JSON, with room for white space
_LARGEST = 64 << 20


@dataclass(frozen=True)
class EmbeddingService:
    """The address of a provider, its usual model, its protocol and its limits."""

    base_url: str
    model: str  # where none is named (documents A §4.6 and E §9)
    dimensions: int  # of that model
    protocol: Protocol = "openai"
    most_texts: int = 2048  # in one call
    needs_key: bool = True


SERVICES = {
    "openai": EmbeddingService("https://api.openai.com/v1", "text-embedding-3-small", 1536),
    "dashscope": EmbeddingService(
        "https://dashscope.aliyuncs.com/compatible-mode/v1",
        "text-embedding-v3",
        1024,
        most_texts=10,
    ),
    "ollama": EmbeddingService(
        "http://127.0.0.1:11434", "nomic-embed-text", 768, "ollama", needs_key=False
    ),
}


class HttpEmbedder:
    """A model behind an address. Nothing is sent before the first text."""

    def __init__(
        self,
        wire: Wire,
        *,
        provider: str,
        model: str,
        dimensions: int = 0,
        ask_dimensions: bool = False,
        batch: int = 64,
        query_timeout: timedelta | None = None,
    ) -> None:
        """``ask_dimensions`` of the server; ``query_timeout`` is the longest wait for a query."""
        self._query_timeout = query_timeout
        self._wire, self._model = wire, model
        self._service = SERVICES[provider]
        self._expected = self._answered = dimensions
        self._requested = dimensions if ask_dimensions else 0
        self._batch = min(batch, self._service.most_texts)
        self.name = f"{provider}-{model}" + (f"-{self._requested}" if self._requested else "")

    @property
    def dimensions(self) -> int:
        return self._expected or self._answered

    def expect(self, dimensions: int) -> None:
        """Refuse vectors of another length. One answer alone does not decide what is right."""
        self._expected = self._expected or dimensions

    def embed(self, texts: Sequence[str], *, query: bool = False) -> Vectors:
        # Servers refuse a blank text; its vector is zero anyway.
        hurry = self._query_timeout if query else None
        spoken = [at for at, text in enumerate(texts) if text.strip()]
        answers = [
            self._ask([texts[at] for at in spoken[start : start + self._batch]], hurry=hurry)
            for start in range(0, len(spoken), self._batch)
        ]
        lengths = {answer.shape[1] for answer in answers} or {self.dimensions}
        if len(lengths) > 1:
            raise BadVector(f"{self._model} answered vectors of different lengths")
        (self._answered,) = lengths
        rows = np.zeros((len(texts), self._answered), dtype=np.float32)
        if answers:
            rows[spoken] = np.concatenate(answers)
        return rows

    def close(self) -> None:
        """Drop the connections."""
        self._wire.close()

    def _ask(self, texts: list[str], *, hurry: timedelta | None) -> Vectors:
        payload: dict[str, object] = {"model": self._model, "input": texts}
        if self._requested:
            payload["dimensions"] = self._requested
        numbers = len(texts) * max(self.dimensions, _LONGEST_VECTOR)
        largest = min(_LARGEST, (1 << 20) + numbers * _NUMBER_BYTES)
        if self._service.protocol == "ollama":
            answer = self._wire.post("/api/embed", payload, largest=largest, hurry=hurry)
            vectors = _ollama(answer, self._model)
        else:
            payload["encoding_format"] = "float"
            answer = self._wire.post("/embeddings", payload, largest=largest, hurry=hurry)
            vectors = _openai(answer, len(texts), self._model)
        rows = check_vectors(
            vectors, texts=len(texts), dimensions=self._expected, model=self._model
        )
        if not rows.any(axis=1).all():
            raise BadVector(
                f"{self._model} answered a vector of zeros for a text",
                remedy="Check that the model is one for embeddings",
            )
        return rows


def _openai(answer: Any, texts: int, model: str) -> list[object]:
    """The vectors in the order of the texts: each entry says which text it belongs to."""
    try:
        placed = {
            entry.get("index", at): entry["embedding"] for at, entry in enumerate(answer["data"])
        }
        return [placed[at] for at in range(texts)] if len(placed) == texts else [*placed.values()]
    except (KeyError, TypeError, AttributeError) as error:
        raise BadVector(
            f"{model} answered something other than a vector for each text",
            remedy="Check that the address is one for embeddings",
        ) from error


def _ollama(answer: Any, model: str) -> object:
    try:
        return answer["embeddings"]
    except (KeyError, TypeError) as error:
        raise BadVector(
            f"{model} answered without vectors",
            remedy="Check that the address is one of Ollama 0.2 or newer",
        ) from error
