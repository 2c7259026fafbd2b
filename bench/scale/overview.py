"""What is asked of a whole database or a whole memory: /metrics, stats and audit over HTTP."""

from __future__ import annotations

import http.client
import time
from collections.abc import Callable
from dataclasses import replace
from urllib.parse import urlsplit

import mnemic
from bench.contexts import memory_rows
from bench.corpus import Synthetic
from bench.figures import Figure, Target, at_most, figure
from bench.scale.service import processor_seconds, serving
from mnemic import NewTurn
from mnemic.learn.memories import memory_terms
from mnemic.store.codec import as_text
from mnemic.types import SafeText

_LARGE = "large"
_BATCH = 5_000
_TIMES = 5  # of which the best counts
_CALLS: dict[str, tuple[str, str, Target]] = {
    "metrics": ("GET", "/metrics", at_most(50)),
    "stats": ("GET", "/v1/spaces/large/stats", at_most(40)),
    "audit": ("GET", "/v1/spaces/large/audit", at_most(10_000)),
}


def measure_overview(
    target: str, memories: int, spaces: int, tell: Callable[[str], None]
) -> list[Figure]:
    """Milliseconds and bytes of each, with the memories in one space beside so many others."""
    with mnemic.connect(target, worker="none") as engine:
        _plant(engine, memories, tell)
        tell(f"{spaces:,} more spaces")
        for n in range(spaces):
            engine.mind(f"person {n}").record(session="s", role="user", text=f"I live at {n}")
    with serving(target, "--workers", "1", "--learners", "0") as (process, said):
        return [
            _measure(process, said, name, f"{memories:,} memories, {spaces:,} spaces")
            for name in _CALLS
        ]


def _plant(engine: mnemic.Engine, memories: int, tell: Callable[[str], None]) -> None:
    """Past the reconciler, so that it takes minutes and not hours."""
    corpus, mind = Synthetic("mixed"), engine.mind(_LARGE)
    for first in range(0, memories, _BATCH):
        tell(f"{first:,} of {memories:,} memories")
        count = min(_BATCH, memories - first)
        session = f"s{first}"
        said = corpus.texts(first, count)
        mind.record_many(NewTurn(session=session, role="user", text=text) for text in said)
        turns = mind.turns(session=session, limit=_BATCH)
        rows = memory_rows(corpus, first, count, turns)
        with engine._store.write(_LARGE) as unit:
            for row, turn in zip(rows, turns, strict=True):
                memory = replace(row, text=_reworded(row.text), sources=(turn.source,))
                unit.memories.add(memory, memory_terms(memory))


def _reworded(text: SafeText) -> SafeText:
    """What a turn says in other words: its second half first."""
    middle = len(text) // 2
    return as_text(f"{text[middle:]} {text[:middle]}")


def _measure(process: int, said: dict[str, str], name: str, of: str) -> Figure:
    method, path, target = _CALLS[name]
    connection = http.client.HTTPConnection(urlsplit(said["url"]).netloc, timeout=600)
    took: list[float] = []
    size, before = 0, processor_seconds(process)
    while len(took) < _TIMES and sum(took) < target.limit / 1e3:
        started = time.perf_counter()
        connection.request(method, path, headers={"authorization": f"Bearer {said['token']}"})
        answer = connection.getresponse()
        size = len(answer.read())
        took.append(time.perf_counter() - started)
        assert answer.status == 200, (path, answer.status)
    connection.close()
    worked = (processor_seconds(process) - before) / len(took)
    details = {"bytes": size, "first ms": 1e3 * took[0], "processor ms": 1e3 * worked}
    return figure("overview", f"{name}: {of}", "ms", 1e3 * min(took), target=target,
                  details=details)  # fmt: skip
