"""MemPalace: drawers in its Chroma backend, candidates by vectors and words (`union`).

Its default model is MiniLM, downloaded at first use; here the same weights are given to it. The
score is the similarity that it shows.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Sequence
from importlib.metadata import version
from typing import Any

from chromadb.utils.embedding_functions import ONNXMiniLM_L6_V2
from mempalace.palace import get_collection
from mempalace.searcher import search_memories

from bench.compare.protocol import Found, Item, render, serve
from bench.compare.vectors import embed

_BATCH = 500


def give_model(function: Any) -> None:
    """Let its embedding function take the vectors from our copy of its model."""
    function._forward = lambda _, documents, batch_size=32: embed(list(documents))
    function._download_model_if_not_exists = lambda _: None


class MemPalacePeer:
    def __init__(self) -> None:
        self._folder = tempfile.mkdtemp(prefix="palace-")

    def add(self, items: Sequence[Item]) -> None:
        drawers = get_collection(self._folder, create=True)
        for start in range(0, len(items), _BATCH):
            some = items[start : start + _BATCH]
            drawers.add(
                ids=[item["id"] for item in some],
                documents=[render(item) for item in some],
                metadatas=[
                    {
                        "wing": "talk",
                        "room": item["session"] or "talk",
                        # Lexical candidates are told apart by their file.
                        "source_file": item["id"],
                        "filed_at": item["timestamp"],
                    }
                    for item in some
                ],
            )

    def search(self, query: str, limit: int) -> Found:
        answer = search_memories(query, self._folder, n_results=limit, candidate_strategy="union")
        if "error" in answer:
            raise RuntimeError(answer["error"])
        return [(hit["source_path"], float(hit["similarity"] or 0)) for hit in answer["results"]]

    def close(self) -> None:
        shutil.rmtree(self._folder, ignore_errors=True)


if __name__ == "__main__":
    give_model(ONNXMiniLM_L6_V2)
    serve(version("mempalace"), MemPalacePeer)
