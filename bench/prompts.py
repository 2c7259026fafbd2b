"""What reaches the prompt: answers of labeled conversations in contexts of several budgets.

    python -m bench.prompts FOLDER… [--half even|odd] [--each N] [--keep DIR]

A folder holds one JSON file per conversation, with `sessions` (id, at, turns), `zone` and
`questions` (query, type, evidence as "SESSION#INDEX"). Folders are grouped by the first part of
their name (en-a and en-b are en). Each conversation is a memory of its own, recorded with its own
dates and drained; its questions are asked a day after its last session, and so are those of the
next conversation of its group, which nothing in this one answers.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from bench.minds import bench_mind
from mnemic.clock import ManualClock
from mnemic.engine.mind import Mind
from mnemic.types import Context, Memory, Turn

_BUDGETS = (500, 1500, 4000)
_HALVES = ("even", "odd")
_SINGLE = "single"
_BETWEEN_TURNS = timedelta(seconds=30)
_RECORDED = "recorded"  # a finished database has this file beside it


@dataclass
class Tally:
    """Sums over the questions of one group at one budget."""

    found: dict[str, list[bool]] = field(default_factory=lambda: defaultdict(list))
    answering: int = 0
    lines: int = 0
    tokens: list[int] = field(default_factory=list)
    foreign_empty: list[bool] = field(default_factory=list)
    foreign_lines: int = 0
    seconds: float = 0.0
    asked: int = 0

    def row(self) -> list[str]:
        """The figures in the order of the table's columns."""
        one_turn = [hit for hits in self.found.values() for hit in hits]
        return [
            _share(self.found[_SINGLE]),
            str(len(self.found[_SINGLE])),
            _share(one_turn),
            str(len(one_turn)),
            f"{self.answering / self.lines:.2f}" if self.lines else "-",
            f"{self.lines / max(1, len(one_turn)):.1f}",
            f"{sum(self.tokens) / max(1, len(self.tokens)):.0f}",
            _share(self.foreign_empty),
            f"{self.foreign_lines / max(1, len(self.foreign_empty)):.1f}",
            f"{1000 * self.seconds / max(1, self.asked):.1f}",
        ]


_COLUMNS = (
    "single", "n", "one turn", "n", "lines that answer", "lines", "tokens", "foreign empty",
    "foreign lines", "processor ms",
)  # fmt: skip


def measure(
    folders: Sequence[Path], budgets: Sequence[int], half: str, each: int, keep: Path
) -> dict[str, Tally]:
    """The tallies by group and budget."""
    tallies: dict[str, Tally] = defaultdict(Tally)
    for folder in folders:
        group = folder.name.split("-")[0]
        talks = [json.loads(path.read_text(encoding="utf-8")) for path in _files(folder, half)]
        for place, talk in enumerate(talks[:each] if each else talks):
            stranger = talks[(place + 1) % len(talks)]
            with _remember(talk, keep) as mind:
                for budget in budgets:
                    tally = tallies[f"{group} {budget}"]
                    _ask_own(mind, talk, budget, tally)
                    _ask_foreign(mind, stranger, budget, tally)
    return tallies


def _files(folder: Path, half: str) -> list[Path]:
    """The files of a folder, or those at its even or odd places, counted from 1."""
    files = sorted(folder.glob("*.json"))
    return files[1 - _HALVES.index(half) :: 2] if half else files


def _remember(talk: Mapping[str, Any], keep: Path) -> Mind:
    """A mind that has heard a conversation; a database that an earlier run finished is reused."""
    last = datetime.fromisoformat(talk["sessions"][-1]["at"])
    folder = keep / talk["id"]
    folder.mkdir(parents=True, exist_ok=True)
    clock = ManualClock(last + timedelta(days=1))
    mind = bench_mind(
        folder / "talk.db", {"schedule.zone": talk["zone"], "recall.touch": False}, clock=clock
    )
    if (folder / _RECORDED).exists():
        return mind
    for session in talk["sessions"]:
        at = datetime.fromisoformat(session["at"])
        with mind.session(session["id"]):
            for turn in session["turns"]:
                mind.record(session=session["id"], role=turn["role"], text=turn["text"], at=at)
                at += _BETWEEN_TURNS
    mind.drain()
    (folder / _RECORDED).touch()
    return mind


def _ask_own(mind: Mind, talk: Mapping[str, Any], budget: int, tally: Tally) -> None:
    """Questions that one turn answers: whether what it says is in the prompt."""
    turns = {f"{turn.session}#{turn.index}": turn for turn in mind.turns(limit=10_000)}
    memories = mind.memories(limit=10_000)
    for question in talk["questions"]:
        if len(question["evidence"]) != 1:
            continue
        turn = turns[question["evidence"][0]]
        answers = {turn.id, *(one.id for one in memories if _says(one, turn))}
        context = _ask(mind, question["query"], budget, tally)
        shown = {id_ for part in context.sections for id_ in part.ids}
        tally.found[question["type"]].append(
            bool(answers & shown) or _plain(turn.text) in _plain(context.text)
        )
        lines = _evidence(context)
        tally.answering += len(answers.intersection(lines))
        tally.lines += len(lines)
        tally.tokens.append(context.tokens)


def _says(memory: Memory, turn: Turn) -> bool:
    """Whether a memory was learned from a turn and says at least half of it."""
    learned = any(source.turn_id == turn.id for source in memory.sources)
    return learned and 2 * len(memory.text) >= len(turn.text)


def _ask_foreign(mind: Mind, stranger: Mapping[str, Any], budget: int, tally: Tally) -> None:
    """Questions about somebody else: nothing should be in the prompt as evidence for them."""
    for question in stranger["questions"]:
        if len(question["evidence"]) == 1:
            lines = _evidence(_ask(mind, question["query"], budget, tally))
            tally.foreign_empty.append(not lines)
            tally.foreign_lines += len(lines)


def _ask(mind: Mind, query: str, budget: int, tally: Tally) -> Context:
    started = time.process_time()
    context = mind.context(query, budget=budget)
    tally.seconds += time.process_time() - started
    tally.asked += 1
    return context


def _evidence(context: Context) -> tuple[str, ...]:
    return next((part.ids for part in context.sections if part.name == "evidence"), ())


def _plain(text: str) -> str:
    return "".join(text.split())


def _share(hits: Sequence[bool]) -> str:
    return f"{sum(hits) / len(hits):.2f}" if hits else "-"


def _table(tallies: Mapping[str, Tally]) -> Iterator[str]:
    yield "| | " + " | ".join(_COLUMNS) + " |"
    yield "|---" * (len(_COLUMNS) + 1) + "|"
    for name, tally in tallies.items():
        yield f"| {name} | " + " | ".join(tally.row()) + " |"


def main() -> None:
    """Print one table."""
    reader = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    reader.add_argument("folders", nargs="+", type=Path)
    reader.add_argument("--budgets", nargs="+", type=int, default=_BUDGETS)
    reader.add_argument("--half", choices=_HALVES, default="")
    reader.add_argument("--each", type=int, default=0, help="conversations of a folder; 0: all")
    reader.add_argument("--keep", type=Path, help="keep the databases here, to use again")
    asked = reader.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        keep = asked.keep or Path(temporary)
        tallies = measure(asked.folders, asked.budgets, asked.half, asked.each, keep)
    print("\n".join(_table(tallies)))


if __name__ == "__main__":
    main()
