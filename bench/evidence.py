"""What a context shows: how much of it is evidence, what it costs, and whether it is empty where
nothing fits.

Every bank is a fresh memory. Its own questions that have gold are asked, and as many questions of
other banks of the same file, which it cannot answer.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from bench.banks import Bank, Question, read_banks
from bench.calibration import Calibration, auc, calibration
from bench.figures import surroundings
from bench.metrics import DEPTH, Mean, mean, ratio
from bench.retrievers import Mnemic
from mnemic.errors import InvalidInput, NotFound
from mnemic.types import Context, Hit

_SEED = 20
_PART = "evidence"
_STEP = 20  # questions between two lines of progress


@dataclass(frozen=True, slots=True)
class NothingFits:
    """Own questions beside foreign ones: the area under the curve of the best score, and the share
    of each that was shown no evidence.
    """

    questions: int
    auc: float
    empty_own: float
    empty_foreign: float


@dataclass(frozen=True, slots=True)
class EvidenceResult:
    """One file. ``precision`` is the share of the shown lines that are gold, ``recall`` the share
    of a question's gold that its context shows; ``tokens`` are those of the evidence part.
    ``nothing_fits`` is None where the file has one bank.
    """

    file: str
    banks: int
    questions: int
    precision: Mean
    recall: Mean
    lines: Mean
    tokens: Mean
    tokens_per_gold_line: float | None
    calibration: Calibration | None
    nothing_fits: NothingFits | None


@dataclass(frozen=True, slots=True)
class EvidenceReport:
    surroundings: dict[str, str | int]
    results: tuple[EvidenceResult, ...]


@dataclass(slots=True)
class _Tally:
    """What was shown for the questions of a file so far."""

    lines: list[float] = field(default_factory=list)
    gold_lines: list[float] = field(default_factory=list)
    tokens: list[float] = field(default_factory=list)
    recall: list[float] = field(default_factory=list)
    scores: list[float] = field(default_factory=list)
    right: list[bool] = field(default_factory=list)
    own_best: list[float] = field(default_factory=list)
    foreign_best: list[float] = field(default_factory=list)
    own_empty: list[bool] = field(default_factory=list)
    foreign_empty: list[bool] = field(default_factory=list)

    @property
    def asked(self) -> int:
        return len(self.lines) + len(self.foreign_best)


def measure_evidence(
    files: Sequence[Path],
    *,
    limit: int | None = None,
    tell: Callable[[str], None] = lambda _: None,
    open_memory: Callable[[], Mnemic] = Mnemic,
) -> EvidenceReport:
    """Run the engine over the files, at most ``limit`` banks of each."""
    results = [_measure_file(path, limit, tell, open_memory) for path in files]
    return EvidenceReport(surroundings(), tuple(results))


def _measure_file(
    path: Path, limit: int | None, tell: Callable[[str], None], open_memory: Callable[[], Mnemic]
) -> EvidenceResult:
    # The questions are read before the banks: a file may be larger than the memory.
    own = [[q.query for q in _with_gold(bank)] for bank in read_banks(path, limit)]
    foreign = foreign_questions(own)
    total = sum(map(len, own)) + sum(map(len, foreign))
    if not total:
        raise InvalidInput(f"{path} asks no question with gold", remedy="See bench/banks.py")
    tally, told = _Tally(), 0
    for number, bank in enumerate(read_banks(path, limit), 1):
        memory = open_memory()
        try:
            memory.add(bank.items)
            for question in _with_gold(bank):
                _ask_own(memory, question, tally)
            for query in foreign[number - 1]:
                _ask_foreign(memory, query, tally)
        finally:
            memory.close()
        if tally.asked // _STEP > told or tally.asked == total or number == 1:
            told = tally.asked // _STEP
            tell(
                f"{path.stem}: {number} of {len(own)} banks, {tally.asked:,} of {total:,} questions"
            )
    return _result(path.stem, len(own), tally)


def _with_gold(bank: Bank) -> list[Question]:
    return [question for question in bank.questions if question.gold]


def foreign_questions(own: Sequence[Sequence[str]], seed: int = _SEED) -> list[list[str]]:
    """For every bank as many questions of the others, and none that it is asked itself."""
    rng = Random(seed)
    drawn: list[list[str]] = []
    everyone = sorted({query for queries in own for query in queries})
    for queries in own:
        others = [query for query in everyone if query not in set(queries)]
        drawn.append(rng.sample(others, min(len(queries), len(others))))
    return drawn


def _ask_own(memory: Mnemic, question: Question, tally: _Tally) -> None:
    gold = frozenset(question.gold)
    hits = memory.mind.recall(question.query, limit=DEPTH, min_score=0.0)
    of_hit = {hit.id: memory.items_of(hit.sources) for hit in hits}
    tally.scores += [hit.score for hit in hits]
    tally.right += [bool(of_hit[hit.id] & gold) for hit in hits]
    tally.own_best.append(_best(hits))
    context = memory.mind.context(question.query)
    ids, tokens = _shown(context)
    shown = [of_hit[id_] if id_ in of_hit else _items(memory, id_) for id_ in ids]
    # A memory may stand among the core, which every prompt has, instead of among the evidence.
    whole = [*shown, *(_items(memory, id_) for id_ in _core(context))]
    tally.lines.append(len(shown))
    tally.gold_lines.append(sum(bool(items & gold) for items in shown))
    tally.tokens.append(tokens)
    seen = {item for items in whole for item in items}
    tally.recall.append(len(gold & seen) / len(gold))
    tally.own_empty.append(not ids)


def _ask_foreign(memory: Mnemic, query: str, tally: _Tally) -> None:
    tally.foreign_best.append(_best(memory.mind.recall(query, limit=1, min_score=0.0)))
    ids, _ = _shown(memory.mind.context(query))
    tally.foreign_empty.append(not ids)


def _best(hits: Iterable[Hit]) -> float:
    return max((hit.score for hit in hits), default=0.0)


def _shown(context: Context) -> tuple[tuple[str, ...], int]:
    """The records of the evidence part, and its tokens."""
    return next(((use.ids, use.tokens) for use in context.sections if use.name == _PART), ((), 0))


def _core(context: Context) -> tuple[str, ...]:
    return tuple(id_ for use in context.sections if use.name == "core" for id_ in use.ids)


def _items(memory: Mnemic, id_: str) -> frozenset[str]:
    """The items of a record that is not among the hits: a turn or a memory."""
    if of_turn := memory.item_of_turn(id_):
        return frozenset({of_turn})
    try:
        return memory.items_of(memory.mind.get(id_).sources)
    except NotFound:
        return frozenset()


def _result(file: str, banks: int, tally: _Tally) -> EvidenceResult:
    gold_lines, separation = sum(tally.gold_lines), auc(tally.own_best, tally.foreign_best)
    nothing = None
    if separation is not None:
        nothing = NothingFits(
            questions=len(tally.foreign_best),
            auc=separation,
            empty_own=_part(tally.own_empty),
            empty_foreign=_part(tally.foreign_empty),
        )
    return EvidenceResult(
        file=file,
        banks=banks,
        questions=len(tally.lines),
        precision=ratio(tally.gold_lines, tally.lines),
        recall=mean(tally.recall),
        lines=mean(tally.lines),
        tokens=mean(tally.tokens),
        tokens_per_gold_line=sum(tally.tokens) / gold_lines if gold_lines else None,
        calibration=calibration(tally.scores, tally.right),
        nothing_fits=nothing,
    )


def _part(flags: Sequence[bool]) -> float:
    return sum(flags) / len(flags)
