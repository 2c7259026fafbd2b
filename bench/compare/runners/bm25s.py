"""bm25s: English words stemmed and without stop words; Chinese by pairs of characters."""

from __future__ import annotations

import re
from collections.abc import Sequence
from importlib.metadata import version
from typing import Any

import bm25s
import numpy as np
import Stemmer

from bench.compare.protocol import Found, Item, render, serve

_HAN = re.compile("[\u3400-\u9fff]+")


class Bm25sPeer:
    def __init__(self) -> None:
        self._stemmer = Stemmer.Stemmer("english")
        self._ids: list[str] = []
        self._index: Any = None

    def add(self, items: Sequence[Item]) -> None:
        self._ids = [item["id"] for item in items]
        self._index = bm25s.BM25()
        self._index.index(self._words([render(item) for item in items]), show_progress=False)

    def search(self, query: str, limit: int) -> Found:
        words = self._words([query])[0]
        if not words:
            return []
        scores = self._index.get_scores(words)
        order = np.argsort(-scores, kind="stable")[:limit]
        return [(self._ids[place], float(scores[place])) for place in order if scores[place] > 0]

    def close(self) -> None:
        self._index = None

    def _words(self, texts: list[str]) -> list[list[str]]:
        paired = [_HAN.sub(_pairs, text) for text in texts]
        words: list[list[str]] = bm25s.tokenize(
            paired, stopwords="en", stemmer=self._stemmer, return_ids=False, show_progress=False
        )
        return words


def _pairs(run: re.Match[str]) -> str:
    text = run.group()
    pairs = [text[n : n + 2] for n in range(len(text) - 1)] or [text]
    return f" {' '.join(pairs)} "


if __name__ == "__main__":
    serve(version("bm25s"), Bm25sPeer)
