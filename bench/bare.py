"""The baseline: one bare FTS5 table, written and searched as its manual shows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Literal, Self

import apsw

from bench.words import match_any, plain_words, trigrams, without_stop
from mnemic.index.segment import index_text, query_terms

# "segmented" is given the engine's own terms: what FTS5 does with exactly the same words.
Tokenizer = Literal["unicode61", "trigram", "segmented"]

# What the engine promises, the baseline has to do as well.
DURABLE = (
    "PRAGMA journal_mode = WAL",
    "PRAGMA synchronous = FULL",
    "PRAGMA fullfsync = ON",
    "PRAGMA checkpoint_fullfsync = ON",
    "PRAGMA temp_store = MEMORY",
    "PRAGMA cache_size = -16384",
    "PRAGMA journal_size_limit = 67108864",
)
WORDS: dict[Tokenizer, Callable[[str], list[str]]] = {
    "unicode61": plain_words,
    "trigram": trigrams,
    "segmented": lambda text: [term.text for term in query_terms(text)],
}
_TOKENIZE: dict[Tokenizer, str] = {
    "unicode61": "unicode61",
    "trigram": "trigram",
    "segmented": "unicode61 remove_diacritics 0 categories ''L* M* N* P* S* Co''",
}


def connect(path: Path | str) -> apsw.Connection:
    """A connection as durable and with as much cache as the engine's."""
    conn = apsw.Connection(str(path))
    for pragma in DURABLE:
        conn.execute(pragma)
    return conn


class BareFts5:
    """Texts in an FTS5 table."""

    def __init__(self, path: Path | str, tokenizer: Tokenizer) -> None:
        self._conn = connect(path)
        self._words = WORDS[tokenizer]
        self._segments = tokenizer == "segmented"
        self._conn.execute(
            "CREATE VIRTUAL TABLE IF NOT EXISTS bare"
            f" USING fts5 (text, tokenize = '{_TOKENIZE[tokenizer]}')"
        )

    @property
    def rows(self) -> int:
        return int(self._conn.execute("SELECT ifnull(max(rowid), 0) FROM bare").get)

    def add(self, rows: Sequence[tuple[str]]) -> None:
        texts = [(index_text(text),) for (text,) in rows] if self._segments else rows
        with self._conn:
            self._conn.executemany("INSERT INTO bare (text) VALUES (?)", texts)

    def match(self, query: str, *, stop: bool = True) -> str:
        """The query for the words of a question, with or without its stop words."""
        words = self._words(query)
        return match_any(words if stop else without_stop(words))

    def search(self, match: str, limit: int) -> list[tuple[int, str]]:
        """The best rows and their texts."""
        if not match:
            return []
        found: list[Any] = self._conn.execute(
            "SELECT rowid, text FROM bare WHERE bare MATCH ? ORDER BY rank LIMIT ?", (match, limit)
        ).fetchall()
        return found

    def settle(self) -> None:
        """Bring everything from the log into the file."""
        self._conn.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()

    def close(self) -> None:
        self._conn.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
