"""Embeddings from a server: OpenAI and what speaks like it, DashScope, Ollama."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from typing import Any

from mnemic.errors import BadVector
from mnemic.late import np
from mnemic.providers.embedding.base import Vectors, check_vectors
from mnemic.providers.services import SERVICES
from mnemic.providers.wire import Wire
from mnemic.settings.environment import EmbeddingSettings

_LONGEST_VECTOR = 4096  # numbers, where the length is not known yet
_NUMBER_BYTES = 32  # one number as JSON, with room for white space
_LARGEST = 64 << 20


class HttpEmbedder:
    """A model behind an address. Nothing is sent before the first text."""

    def __init__(self, wire: Wire, embedding: EmbeddingSettings) -> None:
        service = self._service = SERVICES[embedding.provider]
        self._wire, self._model = wire, embedding.model or service.embedding
        self._requested, self._query_timeout = embedding.dimensions, embedding.query_timeout
        usual = service.dimensions if self._model == service.embedding else 0
        self._expected = self._answered = self._requested or usual
        self._batch = min(embedding.batch, service.most_texts)
        requested = f"-{self._requested}" if self._requested else ""
        self.name = f"{embedding.provider}-{self._model}{requested}"

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
