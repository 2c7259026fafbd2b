"""Batches for training, made of the arrays of `data.py` by worker processes."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from torch.utils.data import IterableDataset, get_worker_info

Ints = NDArray[np.int64]
SCRIPTS = ("latin", "han")
GROUP = 16  # turns a question is compared with
BATCH = 128  # questions a step
TAG_BATCH = 96  # turns with labels a step
VOICE_BATCH = 24  # messages that may have somebody else's text in them
LABELS = ("tags", "relations", "subjects", "times", "voices")
_FACTS, _VOICE = 1, 2  # what is labeled of a turn
_NEAR = 15


class Rows(NamedTuple):
    """Inputs of one script and of like length, with the places they have in the batch."""

    script: int
    places: Sequence[int]
    ids: Ints
    mask: NDArray[np.float32]
    own: NDArray[np.bool_]


class Labeled(NamedTuple):
    """Turns with labels: for each piece those of `LABELS`, for each turn whether it is a trap and
    whether its facts are labeled.
    """

    rows: Rows
    labels: Sequence[Ints]
    trap: NDArray[np.float32]
    known: NDArray[np.bool_]


class Batch(NamedTuple):
    """One step."""

    questions: Sequence[Rows]
    turns: Sequence[Rows]
    banks: Ints
    labeled: Sequence[Labeled]


class Data:
    """The arrays, with what is often looked up."""

    def __init__(self, path: Path) -> None:
        self.arrays = a = {name: value.astype(np.int64) for name, value in np.load(path).items()}
        self.window_ends = np.append(a["window_starts"][1:], len(a["ids"]))
        self.windows_of: list[list[int]] = [[] for _ in a["turn_bank"]]
        for n, turn in enumerate(a["window_turn"].tolist()):
            self.windows_of[turn].append(n)
        self.turns_of: list[list[int]] = [[] for _ in a["bank_kind"]]
        for n, bank in enumerate(a["turn_bank"].tolist()):
            self.turns_of[bank].append(n)
        self.gold = _stretches(a["gold"], a["gold_starts"])
        self.question = _stretches(a["question_ids"], a["question_starts"])
        split = a["bank_split"][a["question_bank"]]
        answered = np.array([len(gold) > 0 for gold in self.gold])
        self.train = np.flatnonzero((split == 0) & answered)
        self.held = np.flatnonzero((split == 1) & answered)
        split = a["bank_split"][a["turn_bank"][a["window_turn"]]]
        facts, voice = a["tagged"] & _FACTS > 0, a["tagged"] & _VOICE > 0
        self.tag_train = np.flatnonzero(facts & (split == 0)).tolist()
        self.tag_held = np.flatnonzero(facts & (split == 1)).tolist()
        self.voice_train = np.flatnonzero(voice & ~facts & (split == 0)).tolist()
        self.voice_held = np.flatnonzero(voice & (split == 1)).tolist()
        self.near = self._find_near()

    def window(self, n: int) -> Ints:
        """The pieces of a window."""
        return self.arrays["ids"][self.arrays["window_starts"][n] : self.window_ends[n]]

    def own(self, n: int) -> Ints:
        """Those of the turn itself, but for the closing mark."""
        return self.window(n)[self.arrays["window_own"][n] : -1]

    def _find_near(self) -> dict[int, list[int]]:
        """For each question turns that share rare pieces with it, and those beside its gold."""
        a, near = self.arrays, {}
        index: dict[tuple[int, int], dict[int, list[int]]] = {}
        for q in self.train.tolist():
            bank, script = int(a["question_bank"][q]), int(a["question_script"][q])
            if (bank, script) not in index:
                index[bank, script] = self._pieces_of(bank, script)
            size, points = len(self.turns_of[bank]), dict[int, float]()
            for piece in set(self.question[q].tolist()):
                turns = index[bank, script].get(piece, [])
                weight = float(np.log((size + 1) / (len(turns) + 0.5)))
                if weight > 1:
                    for turn in turns:
                        points[turn] = points.get(turn, 0.0) + weight
            best = sorted(points, key=lambda turn: -points[turn])[:40]
            first, last = self.turns_of[bank][0], self.turns_of[bank][-1]
            gold = self.gold[q].tolist()
            beside = [g + d for g in gold for d in (-2, -1, 1, 2) if first <= g + d <= last]
            ordered = dict.fromkeys([*best[:_NEAR], *beside, *best[_NEAR:]])
            near[q] = [turn for turn in ordered if turn not in gold]
        return near

    def _pieces_of(self, bank: int, script: int) -> dict[int, list[int]]:
        where: dict[int, list[int]] = {}
        for turn in self.turns_of[bank]:
            mine = [w for w in self.windows_of[turn] if self.arrays["window_script"][w] == script]
            for piece in {piece for w in mine for piece in self.own(w).tolist()}:
                where.setdefault(piece, []).append(turn)
        return where


def _stretches(values: Ints, starts: Ints) -> list[Ints]:
    ends = np.append(starts[1:], len(values))
    return [values[start:end] for start, end in zip(starts, ends, strict=True)]


def fill_up(script: int, places: Sequence[int], rows: Sequence[Ints], own: Sequence[int]) -> Rows:
    """Rows filled up to one length; a question is its own from its first piece on."""
    length = (max(len(row) for row in rows) + 7) // 8 * 8
    ids = np.zeros((len(rows), length), np.int64)
    mask = np.zeros((len(rows), length), np.float32)
    mine = np.zeros((len(rows), length), bool)
    for n, (row, start) in enumerate(zip(rows, own, strict=True)):
        ids[n, : len(row)] = row
        mask[n, : len(row)] = 1
        mine[n, start : len(row) - (1 if start else 0)] = True
    return Rows(script, places, ids, mask, mine)


def group_rows(
    rows: Sequence[Ints], own: Sequence[int], scripts: Sequence[int], at_once: int = 640
) -> list[Rows]:
    """Rows of one script and of like length together."""
    groups = []
    for script in range(len(SCRIPTS)):
        mine = [n for n, of in enumerate(scripts) if of == script]
        mine.sort(key=lambda n: len(rows[n]))
        for start in range(0, len(mine), at_once):
            part = mine[start : start + at_once]
            groups.append(fill_up(script, part, [rows[n] for n in part], [own[n] for n in part]))
    return groups


def question_rows(data: Data, questions: Sequence[int]) -> list[Rows]:
    """Questions as inputs."""
    scripts = data.arrays["question_script"][questions].tolist()
    return group_rows([data.question[q] for q in questions], [0] * len(questions), scripts)


def window_rows(data: Data, windows: Sequence[int]) -> list[Rows]:
    """Windows of turns as inputs."""
    own = data.arrays["window_own"][windows].tolist()
    scripts = data.arrays["window_script"][windows].tolist()
    return group_rows([data.window(w) for w in windows], own, scripts)


def labeled_rows(data: Data, windows: Sequence[int]) -> list[Labeled]:
    """Turns with labels as inputs; their own pieces begin with the text itself."""
    a, groups = data.arrays, []
    for script in range(len(SCRIPTS)):
        mine = [w for w in windows if a["window_script"][w] == script]
        if not mine:
            continue
        own = a["window_text"][mine].tolist()
        rows = fill_up(script, range(len(mine)), [data.window(w) for w in mine], own)
        labels = []
        for name in LABELS:
            values = np.zeros(rows.ids.shape, np.int64)
            for n, w in enumerate(mine):
                start, end = a["window_starts"][w], data.window_ends[w]
                values[n, : end - start] = a[name][start:end]
            labels.append(values)
        trap = (a["turn_trap"][a["window_turn"][mine]] > 0).astype(np.float32)
        groups.append(Labeled(rows, labels, trap, a["tagged"][mine] & _FACTS > 0))
    return groups


class Batches(IterableDataset[Batch]):
    """Batches without end; each worker shuffles by itself."""

    def __init__(self, data: Data, pool: Sequence[int], seed: int) -> None:
        self._data, self._pool, self._seed = data, list(pool), seed

    def __iter__(self) -> Iterator[Batch]:
        worker: Any = get_worker_info()
        draw = random.Random(self._seed * 1000 + (worker.id if worker else 0))
        data, waiting = self._data, list[int]()
        while True:
            while len(waiting) < BATCH:
                more = self._pool[:]
                draw.shuffle(more)
                waiting = more + waiting
            now, waiting = waiting[-BATCH:], waiting[:-BATCH]
            windows = [
                self._choose_window(q, turn, draw) for q in now for turn in self._group(q, draw)
            ]
            labeled = draw.choices(data.tag_train, k=TAG_BATCH)
            labeled += draw.choices(data.voice_train, k=VOICE_BATCH)
            yield Batch(
                question_rows(data, now),
                window_rows(data, windows),
                data.arrays["question_bank"][now],
                labeled_rows(data, labeled),
            )

    def _group(self, q: int, draw: random.Random) -> list[int]:
        """One turn that answers, then hard and easy ones that do not."""
        gold, near = self._data.gold[q].tolist(), self._data.near[q]
        others = draw.sample(near, min(len(near), (GROUP - 1) * 2 // 3))
        bank = self._data.turns_of[self._data.arrays["question_bank"][q]]
        rest = [turn for turn in bank if turn not in gold and turn not in others]
        draw.shuffle(rest)
        others += rest[: GROUP - 1 - len(others)]
        while len(others) < GROUP - 1:
            others.append(draw.choice(others or bank))
        return [draw.choice(gold), *others]

    def _choose_window(self, q: int, turn: int, draw: random.Random) -> int:
        """Of a long turn the window that shares most with the question."""
        windows = self._data.windows_of[turn]
        if len(windows) == 1:
            return windows[0]
        asked = set(self._data.question[q].tolist())
        shared = {w: len(asked & set(self._data.own(w).tolist())) for w in windows}
        return max(windows, key=lambda w: (shared[w], draw.random()))
