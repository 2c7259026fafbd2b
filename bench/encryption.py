"""What encryption at rest costs: ``python -m bench.encryption [TURNS]``.

The same turns go into a plain file and into encrypted ones, a batch each in turns, so that whatever
else the machine does reaches all alike. Milliseconds at the median, and at the 95th percentile.
"""

from __future__ import annotations

import statistics
import sys
import tempfile
import time
from pathlib import Path

import mnemic
from bench.corpus import Synthetic
from mnemic.store.sqlite import keys

ROUNDS = 20
KEYS: dict[str, str | bytes | None] = {
    "plain": None, "passphrase": "correct horse battery", "32 bytes": bytes(range(32)),
}  # fmt: skip


def main() -> None:
    turns = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
    with tempfile.TemporaryDirectory() as folder:
        measure(Path(folder), turns)


def measure(folder: Path, turns: int) -> None:
    files = {name: folder / name.replace(" ", "-") / "memory.db" for name in KEYS}
    texts = Synthetic("mixed").texts(0, turns)
    times: dict[str, dict[str, list[float]]] = {
        name: {"open": [], "record": [], "recall": []} for name in KEYS
    }
    for name, file in files.items():
        with _open(file, name) as mind:
            mind.record_many(
                mnemic.NewTurn(session=f"s{n // 50}", role="user", text=text)
                for n, text in enumerate(texts)
            )
    for number in range(ROUNDS):
        for name, file in files.items():
            keys._derive.cache_clear()  # as in a new process
            took = times[name]
            begun = time.perf_counter()
            mind = _open(file, name)
            mind.stats()
            took["open"].append(time.perf_counter() - begun)
            with mind:
                for n in range(10):
                    text = texts[(number * 10 + n) * 7 % turns]
                    begun = time.perf_counter()
                    mind.record(session="n", role="user", text=text)
                    recorded = time.perf_counter()
                    mind.recall(text[:80])
                    took["record"].append(recorded - begun)
                    took["recall"].append(time.perf_counter() - recorded)
    print("| | " + " | ".join(times["plain"]) + " | file |\n|---|---|---|---|---|")
    for name, took in times.items():
        cells = [
            f"{statistics.median(one) * 1e3:.1f} / {statistics.quantiles(one, n=20)[18] * 1e3:.1f}"
            for one in took.values()
        ]
        size = files[name].stat().st_size / 1e6
        print(f"| {name} | " + " | ".join(cells) + f" | {size:.1f} MB |")


def _open(file: Path, name: str) -> mnemic.Mind:
    return mnemic.open(file, worker="none", key=KEYS[name], documents__write=())


if __name__ == "__main__":
    main()
