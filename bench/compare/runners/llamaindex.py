"""LlamaIndex: its vector index and its BM25 retriever, joined by reciprocal ranks."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.metadata import version
from typing import Any

from llama_index.core import VectorStoreIndex
from llama_index.core.base.embeddings.base import BaseEmbedding
from llama_index.core.llms import MockLLM
from llama_index.core.retrievers import QueryFusionRetriever
from llama_index.core.schema import TextNode
from llama_index.retrievers.bm25 import BM25Retriever

from bench.compare import vectors
from bench.compare.protocol import Found, Item, render, serve


class _Embedder(BaseEmbedding):
    """MiniLM as LlamaIndex's interface has it."""

    def _get_text_embedding(self, text: str) -> list[float]:
        return self._get_text_embeddings([text])[0]

    def _get_text_embeddings(self, texts: list[str]) -> list[list[float]]:
        rows: list[list[float]] = vectors.embed(texts).tolist()
        return rows

    def _get_query_embedding(self, query: str) -> list[float]:
        return self._get_text_embedding(query)

    async def _aget_query_embedding(self, query: str) -> list[float]:
        return self._get_query_embedding(query)


class LlamaIndexPeer:
    def __init__(self) -> None:
        self._nodes: list[Any] = []
        self._index: Any = None
        self._words: Any = None
        self._retriever: Any = None

    def add(self, items: Sequence[Item]) -> None:
        self._nodes = [TextNode(id_=item["id"], text=render(item)) for item in items]
        self._index = VectorStoreIndex(self._nodes, embed_model=_Embedder(embed_batch_size=32))

    def search(self, query: str, limit: int) -> Found:
        found = self._fusion(limit).retrieve(query)
        return [(hit.node.node_id, float(hit.score or 0)) for hit in found]

    def close(self) -> None:
        self._nodes.clear()

    def _fusion(self, limit: int) -> Any:
        """Both retrievers, made once for the depth that is asked for."""
        if self._retriever is None:
            depth = min(limit, len(self._nodes))
            self._retriever = QueryFusionRetriever(
                [
                    self._index.as_retriever(similarity_top_k=depth),
                    BM25Retriever.from_defaults(nodes=self._nodes, similarity_top_k=depth),
                ],
                llm=MockLLM(),
                similarity_top_k=limit,
                num_queries=1,
                mode="reciprocal_rerank",
                use_async=False,
            )
        return self._retriever


if __name__ == "__main__":
    serve(version("llama-index-core"), LlamaIndexPeer)
