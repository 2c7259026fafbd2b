"""A database of ours and a bare one with the same turns, growing from size to size."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Self

from recollect.bench.bare import BareFts5, Tokenizer, connect
from recollect.bench.corpus import Corpus, Tongue
from recollect.bench.minds import bench_mind

_BATCH = 20_000
TOKENIZER: dict[Tongue, Tokenizer] = {"en": "unicode61", "zh": "trigram", "mixed": "trigram"}


class Grown:
    """Both files; what an earlier run left in the folder is gone on with."""

    def __init__(self, folder: Path, corpus: Corpus) -> None:
        self.corpus = corpus
        self.tokenizer = TOKENIZER[corpus.tongue]
        self.path = folder / f"recall-{corpus.tongue}.db"
        self.bare_path = folder / f"recall-{corpus.tongue}-{self.tokenizer}.db"
        self.mind = bench_mind(self.path)
        self.bare = BareFts5(self.bare_path, self.tokenizer)
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

    def close(self) -> None:
        self.mind.close()
        self.bare.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
