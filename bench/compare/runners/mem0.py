"""mem0 without a model: infer=False, Qdrant in a folder, with its BM25.

Its entities need a spaCy model that is not on the package index; they are left out.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

from fastembed import SparseTextEmbedding
from langchain_core.embeddings import Embeddings
from mem0 import Memory

from bench.compare import vectors
from bench.compare.protocol import Found, Item, render, serve

_USER = "u"
# fastembed would download its own list.
_STOP = frozenset(
    "a about all also am an and any are as at be been but by can could did do does for from had has"
    " have he her his how i if in into is it its me my of on or our she so some that the their them"
    " then there these they this to was we were what when where which who why will with would you"
    " your".split()
)


class _Embedder(Embeddings):
    """MiniLM as LangChain's interface has it."""

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        rows: list[list[float]] = vectors.embed(texts).tolist()
        return rows

    def embed_query(self, text: str) -> list[float]:
        return self.embed_documents([text])[0]


class Mem0Peer:
    def __init__(self) -> None:
        self._folder = Path(tempfile.mkdtemp(prefix="mem0-"))
        self._memory: Any = Memory.from_config(
            {
                "vector_store": {
                    "provider": "qdrant",
                    "config": {
                        "collection_name": "items",
                        "embedding_model_dims": vectors.WIDTH,
                        "path": str(self._folder / "vectors"),
                    },
                },
                "embedder": {"provider": "langchain", "config": {"model": _Embedder()}},
                "llm": {"provider": "openai", "config": {"api_key": "unused", "model": "unused"}},
                "history_db_path": str(self._folder / "history.db"),
            }
        )
        self._memory.vector_store._bm25_encoder = SparseTextEmbedding(
            model_name="Qdrant/bm25", specific_model_path=str(self._folder), stopwords=set(_STOP)
        )

    def add(self, items: Sequence[Item]) -> None:
        for item in items:
            self._memory.add(
                render(item), user_id=_USER, infer=False, metadata={"item": item["id"]}
            )

    def search(self, query: str, limit: int) -> Found:
        answer = self._memory.search(query, filters={"user_id": _USER}, top_k=limit, threshold=0.0)
        return [(hit["metadata"]["item"], float(hit["score"])) for hit in answer["results"]]

    def close(self) -> None:
        for part in (self._memory.vector_store, getattr(self._memory, "_entity_store", None)):
            client = getattr(part, "client", None)
            if client is not None:
                client.close()
        shutil.rmtree(self._folder, ignore_errors=True)


if __name__ == "__main__":
    serve(version("mem0ai"), Mem0Peer)
