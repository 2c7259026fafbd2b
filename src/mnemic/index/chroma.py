"""ChromaDB as the vector engine: a folder beside the database, one collection for each table.

It is a disposable copy: the rows in the database are the truth, and a collection that has not seen
them all is brought up to date, or made again.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator, Sequence
from hashlib import sha256
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from mnemic import private
from mnemic.errors import MissingExtra, StoreDamaged
from mnemic.index.engine import VectorEngine, VectorTable
from mnemic.index.nearest import Docs, Floats, Near, Seen, best_documents
from mnemic.late import np
from mnemic.locks import ForkSafeLock
from mnemic.types import RecordType

_SAMPLE = 256
_INDEX = {"hnsw": {"space": "cosine", "ef_search": 200}}
_RANKED = ["distances", "metadatas"]
_AT_ONCE = 2_000  # rows in one call; the library has a limit of its own above this
_REMEDY = "Remove the folder, it is made again; or set index.vectors to auto"


class ChromaEngine(VectorEngine):
    """Collections in a folder, opened when first used."""

    lasting = True
    always = True

    def __init__(self, folder: Path) -> None:
        if find_spec("chromadb") is None:  # at once, without the import, which takes a second
            raise MissingExtra(
                "index.vectors is chromadb, and chromadb is not installed",
                remedy='Install it: pip install "mnemic[chroma]"; or set index.vectors to auto',
            )
        self._folder = folder
        self._client: Any = None
        self._opening = ForkSafeLock()

    def table(self, space: str, embedder: str, type_: RecordType, dimensions: int) -> VectorTable:
        about = {"space": space, "embedder": embedder, "type": type_}
        return ChromaTable(self._open(), about, self._folder)

    def keep_only(self, space: str, embedder: str) -> None:
        client = self._open()
        for collection in client.list_collections():
            about = collection.metadata or {}
            if about.get("space") == space and about.get("embedder") != embedder:
                client.delete_collection(collection.name)

    def erase(self) -> None:
        """Remove the folder: inside of it, what was deleted stays in logs and free pages."""
        self.close()
        shutil.rmtree(self._folder, ignore_errors=True)

    def close(self) -> None:
        with self._opening:
            client, self._client = self._client, None
        if client is not None:
            client.close()

    def _open(self) -> Any:
        with self._opening:
            if self._client is None:
                chromadb = import_module("chromadb")
                quiet = import_module("chromadb.config").Settings(anonymized_telemetry=False)
                try:
                    private.make_folder(self._folder)
                    self._client = chromadb.PersistentClient(str(self._folder), settings=quiet)
                except Exception as error:  # It raises many types of its own, and bare ones.
                    raise _broken(self._folder, error) from error
            return self._client


class ChromaTable:
    """One collection. A row is named by its document and the number of its passage."""

    memory = 0  # the vectors are Chroma's

    def __init__(self, client: Any, about: dict[str, str], folder: Path) -> None:
        self._client = client
        self._about = about
        self._folder = folder
        key = json.dumps(about, sort_keys=True).encode()
        # Names of collections are short and plain; spaces and models are not.
        self._name = f"{about['type']}-{sha256(key).hexdigest()[:32]}"
        self._collection = self._get_collection()

    @property
    def seen(self) -> Seen:
        metadata = self._collection.metadata or {}
        reached = str(metadata.get("reached", ""))
        return Seen(int(metadata.get("rewrites", 0)), int(reached) if reached else None)

    def __len__(self) -> int:
        return int(self._call("count"))

    def restart(self, rewrites: int) -> None:
        try:
            self._client.delete_collection(self._name)
        except Exception as error:
            raise _broken(self._folder, error) from error
        self._collection = self._get_collection()
        self._mark(Seen(rewrites))

    def add(self, docs: Docs, vectors: Floats, reached: int) -> None:
        ids = _names(docs)
        for start in range(0, len(docs), _AT_ONCE):
            portion = slice(start, start + _AT_ONCE)
            about = [{"doc": doc} for doc in docs[portion].tolist()]
            self._call("upsert", ids=ids[portion], embeddings=vectors[portion], metadatas=about)
        # Last of all: after a crash these rows are written once more, over themselves.
        self._mark(Seen(self.seen.rewrites, reached))

    def search(self, query: Floats, limit: int) -> list[Near]:
        def nearest(count: int) -> Iterator[tuple[int, float]]:
            answer = self._call("query", query_embeddings=[query], n_results=count, include=_RANKED)
            for about, distance in zip(answer["metadatas"][0], answer["distances"][0], strict=True):
                yield int(about["doc"]), 1 - float(distance)

        return best_documents(nearest, len(self), limit)

    def cosines(self, query: Floats, docs: Docs) -> Floats:
        numbers = sorted(set(docs.tolist()))
        best: dict[int, float] = {}
        if numbers:
            answer = self._call(
                "get", where={"doc": {"$in": numbers}}, include=["embeddings", "metadatas"]
            )
            for about, cosine in zip(answer["metadatas"], _products(answer, query), strict=True):
                doc = int(about["doc"])
                best[doc] = max(float(cosine), best.get(doc, -1.0))
        return np.array([best.get(doc, np.nan) for doc in docs.tolist()], np.float32)

    def sample(self, query: Floats) -> Floats:
        return _products(self._call("get", limit=_SAMPLE, include=["embeddings"]), query)

    def _mark(self, seen: Seen) -> None:
        reached = "" if seen.reached is None else str(seen.reached)
        marked = {**self._about, "rewrites": seen.rewrites, "reached": reached}
        self._call("modify", metadata=marked)

    def _get_collection(self) -> Any:
        try:
            return self._client.get_or_create_collection(
                self._name, metadata=self._about, embedding_function=None, configuration=_INDEX
            )
        except Exception as error:
            raise _broken(self._folder, error) from error

    def _call(self, method: str, **arguments: Any) -> Any:
        try:
            return getattr(self._collection, method)(**arguments)
        except Exception as error:  # Only a copy fails here: text search answers meanwhile.
            raise _broken(self._folder, error) from error


def _names(docs: Docs) -> list[str]:
    """Documents come in order, their passages side by side."""
    numbers = (np.arange(len(docs)) - np.searchsorted(docs, docs, "left")).tolist()
    return [f"{doc}:{number}" for doc, number in zip(docs.tolist(), numbers, strict=True)]


def _products(answer: dict[str, Sequence[Any]], query: Floats) -> Floats:
    rows = np.asarray(answer["embeddings"], np.float32)
    return rows @ query if len(rows) else np.zeros(0, np.float32)


def _broken(folder: Path, error: Exception) -> StoreDamaged:
    return StoreDamaged(
        f"The vectors in {folder.name} cannot be used: {type(error).__name__}: {error}",
        remedy=_REMEDY,
    )
