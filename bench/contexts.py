"""Building a context as the memory grows, beside the recall that it contains."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Self

from bench.corpus import Corpus
from bench.figures import Figure, figure, ratio_at_most
from bench.minds import bench_mind
from bench.timing import MILLI, Timed, percentile, side_by_side
from mnemic.ids import new_id
from mnemic.language.guard import DEFAULT
from mnemic.learn.memories import memory_terms
from mnemic.store.sqlite.store import SqliteStore
from mnemic.types import EMPTY, GENERAL_TOPIC, GLOBAL_PROJECT, KINDS, Kind, Memory, Turn

_BATCH = 2_000
_LONGEST = 120  # characters of a statement
EACH = 10  # statements that one turn is the source of
_TALK = 60  # turns of the conversation that goes on
_SESSION = "now"
_BLOCK = 5
_WARM = 10
_PATIENCE = 60.0
_AIMED_SIZE, _LIMIT = 100_000, 1.2
_KINDS: tuple[Kind, ...] = tuple(kind for kind in KINDS if kind != "credential")
_USUAL, _CONTEXT, _TALKING = "usual recall", "context", "context in a conversation"
_SAME = {_CONTEXT: "the same recall", _TALKING: "the same recall, with the talk"}


def measure_contexts(
    folder: Path, corpus: Corpus, sizes: list[int], queries: int, tell: Callable[[str], None]
) -> list[Figure]:
    """Latency at each size; both are asked the same questions in turn."""
    figures: list[Figure] = []
    with Known(folder, corpus) as known:
        for size in sorted(sizes):
            if known.memories > size:
                tell(f"{corpus.tongue}: more than {size:,} memories are there, size left out")
                continue
            known.grow(size, tell)
            tell(f"{corpus.tongue}: {queries} contexts from {size:,} memories")
            figures += _at(known, queries)
    return figures


class Known:
    """A database of memories and one conversation; what an earlier run left is gone on with."""

    def __init__(self, folder: Path, corpus: Corpus) -> None:
        self.corpus = corpus
        self.path = folder / f"context-{corpus.tongue}.db"
        self.mind = bench_mind(self.path)
        self._store = SqliteStore(str(self.path), busy_timeout=60, now=lambda: datetime.now(UTC))
        self.memories = self.mind.stats().memories
        if not self.mind.turns(session=_SESSION, limit=1):
            with self.mind.session(_SESSION) as talk:
                for number, text in enumerate(corpus.texts(0, _TALK)):
                    (talk.assistant if number % 2 else talk.user)(text)

    def grow(self, size: int, tell: Callable[[str], None]) -> None:
        """Have exactly the first ``size`` statements of the corpus, and the turns they are of."""
        while self.memories < size:
            first, count = self.memories, min(_BATCH, size - self.memories)
            said = self.corpus.turns(first // EACH, count // EACH + 1)
            self.mind.record_many(said)
            turns = self.mind.turns(session=said[0].session, limit=_BATCH)
            with self._store.write(self.mind.space) as unit:
                for row in memory_rows(self.corpus, first, count, turns):
                    unit.memories.add(row, memory_terms(row))
            self.memories += count
            tell(f"{self.corpus.tongue}: {self.memories:,} memories")

    def close(self) -> None:
        self._store.close()
        self.mind.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def memory_rows(corpus: Corpus, first: int, count: int, turns: list[Turn]) -> Iterator[Memory]:
    """Statements of the corpus as memories of these turns."""
    now = datetime.now(UTC)
    for number, text in enumerate(corpus.texts(first, count), first):
        content = DEFAULT.text(text[:_LONGEST], "text")
        yield Memory(
            id=new_id(now),
            kind=_KINDS[number % len(_KINDS)],
            text=content,
            subject=EMPTY,
            predicate=EMPTY,
            project=GLOBAL_PROJECT,
            topic=GENERAL_TOPIC,
            tags=(),
            importance=(number * 7 % 100) / 100,
            confidence=1.0,
            trust="owner",
            status="active",
            created_at=now,
            updated_at=now,
            last_accessed_at=now,
            valid_from=now,
            sources=(turns[number // EACH % len(turns)].source,),
        )


def _at(known: Known, queries: int) -> list[Figure]:
    asked = [one.text for one in known.corpus.questions(known.memories, queries, seed=0)]
    mind, recall = known.mind, known.mind.settings.recall
    said = mind.turns(session=_SESSION, newest_first=True, limit=recall.enrich_turns)
    around = [turn.text for turn in reversed(said)]
    few, more = recall.evidence, 2 * recall.evidence
    contenders: dict[str, Callable[[int], object]] = {
        _USUAL: lambda n: mind.recall(asked[n]),
        _CONTEXT: lambda n: mind.context(asked[n]),
        _SAME[_CONTEXT]: lambda n: mind.recall(asked[n], limit=few),
        _TALKING: lambda n: mind.context(asked[n], session=_SESSION),
        _SAME[_TALKING]: lambda n: mind.recall(asked[n], limit=more, around=around),
    }
    timed = side_by_side(
        contenders,
        len(asked),
        block=_BLOCK,
        warm_up=lambda: side_by_side(contenders, min(_WARM, len(asked)), block=1),
        patience=_PATIENCE,
    )
    return [row for name in _SAME for row in _rows(known, name, timed)]


def _rows(known: Known, part: str, timed: dict[str, Timed]) -> list[Figure]:
    """The target is beside the very recall that a context contains, as many hits and all."""
    ours, same, usual, size = timed[part], timed[_SAME[part]], timed[_USUAL], known.memories
    name = f"{part}, {known.corpus.tongue}, {size:,} memories"
    aimed = ratio_at_most(_LIMIT) if size == _AIMED_SIZE else None
    details: dict[str, float | str] = {
        "part": part, "language": known.corpus.tongue, "size": size, "asked": len(ours.seconds)
    }  # fmt: skip
    return [
        figure(
            "context", f"{name}, p50", "ms", ours.median * MILLI,
            beside=_SAME[part], baseline=same.median * MILLI, ratio=ours.ratio(same),
            details={**details, "p": 50},
        ),
        figure(
            "context", f"{name}, p95", "ms", ours.p95 * MILLI,
            beside=_SAME[part], baseline=same.p95 * MILLI, ratio=ours.ratio(same, p=95),
            target=aimed, details={**details, "p": 95},
        ),
        figure(  # a busy machine blurs the 95th of a few milliseconds; the processor's time less
            "context", f"{name}, processor time, p95", "ms", percentile(ours.busy, 95) * MILLI,
            beside=_SAME[part], baseline=percentile(same.busy, 95) * MILLI, details=details,
        ),
        figure(
            "context", f"{name}, p95", "ms", ours.p95 * MILLI,
            beside=_USUAL, baseline=usual.p95 * MILLI, ratio=ours.ratio(usual, p=95),
            details={**details, "p": 95},
        ),
    ]  # fmt: skip
