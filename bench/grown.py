"""A database of ours and a bare one with the same turns, growing from size to size."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Self

from bench.bare import BareFts5, Tokenizer, connect
from bench.corpus import Corpus, Tongue
from bench.minds import NO_VECTORS, bench_mind
from mnemic.index.segment import query_terms
from mnemic.store.rows import Scope
from mnemic.store.sqlite.store import SqliteStore
from mnemic.types import Turn

_BATCH = 20_000
# Nothing is learned from these turns: what is asked for is to be in them, and vectors.
_QUIET = {**NO_VECTORS, "triggers.quiet_gap": "never", "triggers.buffer_tokens": 0}
# unicode61 takes a run of Chinese for one word and trigram finds no word of two characters: there
# FTS5 is given the engine's own words.
TOKENIZER: dict[Tongue, Tokenizer] = {"en": "unicode61", "zh": "segmented", "mixed": "segmented"}


class Grown:
    """Both files; what an earlier run left in the folder is gone on with."""

    def __init__(self, folder: Path, corpus: Corpus, name: str = "recall") -> None:
        self.corpus = corpus
        self.tokenizer = TOKENIZER[corpus.tongue]
        self.path = folder / f"{name}-{corpus.tongue}.db"
        self.bare_path = folder / f"{name}-{corpus.tongue}-{self.tokenizer}.db"
        self.mind = bench_mind(self.path, _QUIET)
        self.bare = BareFts5(self.bare_path, self.tokenizer)
        self.store = SqliteStore(str(self.path), busy_timeout=5, now=lambda: datetime.now(UTC))
        self.turns = self.mind.stats().turns

    def grow(self, size: int, tell: Callable[[str], None]) -> None:
        """Let both have exactly the first ``size`` turns of the corpus."""
        while self.turns < size:
            count = min(_BATCH, size - self.turns)
            self.mind.record_many(self.corpus.turns(self.turns, count))
            self.turns += count
            tell(f"{self.corpus.tongue}: {self.turns:,} turns")
        while (rows := self.bare.rows) < size:
            texts = self.corpus.texts(rows, min(_BATCH, size - rows))
            self.bare.add([(text,) for text in texts])
            tell(f"{self.corpus.tongue}: {rows + len(texts):,} bare rows")

    def sizes(self) -> tuple[int, int]:
        """Bytes of our file and of the bare one, with empty logs."""
        self.bare.settle()
        conn = connect(self.path)
        conn.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
        conn.close()
        return self.path.stat().st_size, self.bare_path.stat().st_size

    def search_text(self, query: str, k: int) -> list[Turn]:
        """The best turns by their words alone: what a bare query answers, too."""
        with self.store.read(self.mind.space) as unit:
            found = unit.text.search(query_terms(query), Scope(types=("turn",)), k)
            turns = unit.ledger.turns_by_doc([match.doc for match in found.matches])
            return [turns[match.doc] for match in found.matches]

    def close(self) -> None:
        self.store.close()
        self.mind.close()
        self.bare.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
