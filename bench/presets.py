"""The documents' presets at the documents' sizes: search, gate and the hook before a compression,
beside a bare FTS5 query of the same words in the same run.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

from bench.bare import BareFts5
from bench.contexts import Known
from bench.corpus import Corpus
from bench.figures import Figure, at_most, figure
from bench.grown import TOKENIZER
from bench.minds import bench_mind
from bench.processes import output_of
from bench.timing import MILLI, Timed, side_by_side
from mnemic.engine.mind import Mind

PRESETS = ("openakita", "shiyi", "myclaw", "semibot")
_K = 5
_SEARCH_LIMIT = 5.0  # ms, of the processor: A appendix B, D §5
_GATE_LIMIT = 1.0
_HOOK_LIMIT = 10.0
_AIMED_SIZE = 5_000
_BLOCK, _WARM, _PATIENCE = 10, 20, 30.0
_ROUNDS = 3  # of the questions: what else the machine does only adds to one's cost
_BARE = "bare FTS5"

# In a process of its own: what is asked for is the first call. The worker has come to rest, as in
# any host that talks before its context is full.
_HOOK = """
import time, mnemic
mind = mnemic.open(":memory:", preset="openakita", embedding__provider="none")
session = mind.session("s")
for text in ("我叫李雷，在杭州工作", "以后所有脚本必须加中文注释", "We deploy on port 8080"):
    session.user(text)
worked = -1.0
while time.process_time() - worked > 0.005:
    worked = time.process_time()
    time.sleep(1.3)  # longer than a worker looks for work
begun = time.thread_time()
mind.before_compression("s")
print(time.thread_time() - begun)
mind.close()
"""


def measure_presets(
    folder: Path, corpus: Corpus, size: int, queries: int, tell: Callable[[str], None]
) -> list[Figure]:
    """Processor time of each preset on one database, by the same questions in turn."""
    tokenizer = TOKENIZER[corpus.tongue]
    with Known(folder, corpus) as known:
        known.grow(size, tell)
        path, memories = known.path, known.memories
    asked = [one.text for one in corpus.questions(memories, queries, seed=0)]
    minds = {preset: bench_mind(path, preset=preset) for preset in PRESETS}
    with BareFts5(folder / f"presets-{corpus.tongue}-{tokenizer}.db", tokenizer) as bare:
        if bare.rows < memories:
            bare.add([(text,) for text in corpus.texts(bare.rows, memories - bare.rows)])
        tell(f"{corpus.tongue}: {queries} questions to {memories:,} memories, by preset")
        figures = _figures(minds, bare, asked, corpus.tongue, memories)
    for mind in minds.values():
        mind.close()
    return figures


def _figures(
    minds: dict[str, Mind], bare: BareFts5, asked: list[str], tongue: str, memories: int
) -> list[Figure]:
    again = asked * _ROUNDS
    contenders: dict[str, Callable[[int], object]] = {
        _BARE: lambda n: bare.search(bare.match(again[n]), _K)
    }
    for preset, mind in minds.items():
        contenders[f"{preset} search"] = lambda n, mind=mind: mind.recall(again[n], limit=_K)  # type: ignore[misc]
        contenders[f"{preset} gate"] = lambda n, mind=mind: mind.gate(again[n])  # type: ignore[misc]
    timed = side_by_side(
        contenders,
        len(again),
        block=_BLOCK,
        warm_up=lambda: side_by_side(contenders, min(_WARM, len(asked)), block=1),
        patience=_PATIENCE,
    )
    baseline = _usual(timed[_BARE], len(asked))
    rows = []
    for name, one in timed.items():
        if name == _BARE:
            continue
        value = _usual(one, len(asked))
        limit = _SEARCH_LIMIT if name.endswith("search") else _GATE_LIMIT
        rows.append(
            figure(
                "presets", f"{name}, {tongue}, {memories:,} memories, processor, p50", "ms", value,
                beside=_BARE, baseline=baseline,
                target=at_most(limit) if memories == _AIMED_SIZE else None,
                details={"preset": name.split()[0], "language": tongue, "size": memories},
            )
        )  # fmt: skip
    return rows


def _usual(timed: Timed, questions: int) -> float:
    """The median over the questions, of each the best round."""
    best = [min(timed.busy[n::questions]) for n in range(min(questions, len(timed.busy)))]
    return sorted(best)[len(best) // 2] * MILLI


def measure_hook() -> Figure:
    """The first hook before a compression in a process."""
    value = float(output_of([sys.executable, "-c", _HOOK])) * MILLI
    return figure(
        "presets", "openakita hook before a compression, first call, processor", "ms", value,
        target=at_most(_HOOK_LIMIT), details={"preset": "openakita"},
    )  # fmt: skip
