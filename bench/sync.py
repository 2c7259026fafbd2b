"""What an exchange between two devices costs: ``python -m bench.sync [--turns N] [--server URL]``.

Two devices on one machine, a folder beside them, no model and no vectors: the cost of finding,
writing, reading and uniting changes. With the address of an empty database, the first device is
there. Prints a table in markdown.
"""

from __future__ import annotations

import argparse
import random
import tempfile
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import mnemic
from mnemic import NewTurn

_WORDS = (
    "garden invoice train violin harbor bread tea meeting deadline budget river window paper"
    " 会议 预算 火车 面包 窗户 今天 明天 我们 项目"
    " together because should remember yesterday the of and"
).split()
_BEGIN = datetime(2026, 1, 1, tzinfo=UTC)
_QUICK: dict[str, Any] = {
    "index": {"vectors": "none"},
    "documents": {"write": []},
    "ledger": {"jsonl": False},
    "extraction": {"engine": "rules"},
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--turns", type=int, default=100_000)
    parser.add_argument("--server", help="an empty database for the first device")
    chosen = parser.parse_args()
    turns = chosen.turns
    rng = random.Random(1)
    with tempfile.TemporaryDirectory(prefix="mnemic-sync-") as name:
        home = Path(name)
        folder = home / "shared"
        places = [chosen.server or home / "a" / "memory.db", home / "b" / "memory.db"]
        minds = [mnemic.open(place, worker="none", **_QUICK) for place in places]
        first, second = minds
        first.sync_folder(folder)
        first.sync_folder(folder, add=second.devices().public_key)
        _say(first, rng, 0, turns)
        print(
            "| new turns | written in (processor) | read in (processor) | bytes | bytes per turn |"
        )
        print("|---|---|---|---|---|")
        before = 0
        for new in (turns, 0, 0, 1, 100, 10_000):
            if new != turns:
                _say(first, rng, turns + before, new)
            size = _size(folder)
            written = _timed(lambda: first.sync_folder(folder))
            read = _timed(lambda: second.sync_folder(folder))
            grown = _size(folder) - size
            each = f"{grown / new:,.0f}" if new else "-"
            print(f"| {new:,} | {written} | {read} | {grown:,} | {each} |", flush=True)
            before += new
        text = sum(len(turn.text.encode()) for turn in first.turns(limit=1_000)) / 1_000
        print(f"\nA turn has {text:.0f} bytes of text on average.")
        for mind in minds:
            mind.close()


def _say(mind: mnemic.Mind, rng: random.Random, first: int, count: int) -> None:
    def turns() -> Any:
        for number in range(first, first + count):
            text = " ".join(rng.choices(_WORDS, k=rng.randint(8, 40)))
            yield NewTurn(
                f"session-{number // 40}",
                "user" if number % 2 == 0 else "assistant",
                f"{text} {number}",
                at=_BEGIN + timedelta(minutes=number),
            )

    mind.record_many(turns())


def _timed(work: Any) -> str:
    """Seconds, and those of them that the processor worked."""
    begun, used = time.perf_counter(), time.process_time()
    work()
    return f"{time.perf_counter() - begun:.2f} s ({time.process_time() - used:.2f} s)"


def _size(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*.change"))


if __name__ == "__main__":
    main()
