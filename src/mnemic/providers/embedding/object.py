"""An embedder that is an object of the host."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta

from mnemic.errors import InvalidInput
from mnemic.late import np
from mnemic.providers.embedding.base import Vectors, checked
from mnemic.providers.objects import GuardedObject, method_of, name_of
from mnemic.types import EmbeddingModel

_MOST_DIMENSIONS = 65_536


class ObjectEmbedder:
    """Asks a model of the host, a batch at a time; a blank text has a row of zeros, unasked."""

    def __init__(
        self,
        model: EmbeddingModel,
        calls: GuardedObject,
        *,
        batch: int,
        query_timeout: timedelta | None = None,
    ) -> None:
        self.name = name_of(model, "embedder")
        self.dimensions = _dimensions_of(model)
        self._embed = method_of(model, "embed", "embedder")
        self._embed_query = self._embed
        if getattr(model, "embed_query", None) is not None:
            self._embed_query = method_of(model, "embed_query", "embedder")
        self._calls, self._batch, self._query_timeout = calls, batch, query_timeout

    def embed(self, texts: Sequence[str], *, query: bool = False) -> Vectors:
        spoken = [at for at, text in enumerate(texts) if text.strip()]
        rows = np.zeros((len(texts), self.dimensions), dtype=np.float32)
        for start in range(0, len(spoken), self._batch):
            places = spoken[start : start + self._batch]
            rows[places] = self._ask([texts[at] for at in places], query=query)
        return rows

    def _ask(self, texts: list[str], *, query: bool) -> Vectors:
        method = self._embed_query if query else self._embed
        hurry = self._query_timeout if query else None
        answer = self._calls.call(lambda: method(texts), hurry=hurry)
        return checked(answer, texts=len(texts), dimensions=self.dimensions, model=self.name)


def _dimensions_of(model: EmbeddingModel) -> int:
    dimensions: object = getattr(model, "dimensions", None)
    if type(dimensions) is not int or not 1 <= dimensions <= _MOST_DIMENSIONS:
        raise InvalidInput(
            "embedder.dimensions is not the length of a vector",
            remedy="Give it a whole number, such as dimensions = 384",
        )
    return dimensions
