"""Asking: every bank a fresh memory, every question with the context that the memory gives."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import islice
from pathlib import Path

from bench.banks import Bank, Question, read_banks
from bench.figures import surroundings
from bench.metrics import Mean, mean
from bench.qa.answers import Answered, AnswerFile, Key
from bench.qa.model import CountedModel, Use
from bench.qa.protocols import PROTOCOLS, QaProtocol, can_be_asked
from bench.retrievers import Mnemic
from mnemic.clock import Clock, ManualClock
from mnemic.errors import BadAnswer, InvalidInput, ModelError, ModelRefused

OpenMemory = Callable[[Clock | None], Mnemic]
_STEP = 20  # questions between two lines of progress


@dataclass(frozen=True, slots=True)
class QaResult:
    """One file: the scores of all its answered questions, by category, and what they used.

    ``asked`` is how many were asked in this run; the others had been answered before. ``failed``
    have no answer or verdict that can be used: they are asked again by the next run, and what they
    used in this one is in ``lost``.
    """

    file: str
    format: str
    questions: int
    asked: int
    failed: int
    scores: dict[str, Mean]
    categories: dict[str, dict[str, Mean]]
    context_tokens: float
    answering: Use
    judging: Use
    lost: Use


@dataclass(frozen=True, slots=True)
class QaReport:
    surroundings: dict[str, str | int]
    model: str
    judge: str
    results: tuple[QaResult, ...]


@dataclass(slots=True)
class _Run:
    """One file while it is asked."""

    file: str
    total: int
    answers: AnswerFile
    model: CountedModel
    judge: CountedModel
    tell: Callable[[str], None]
    format: str = ""
    keys: list[Key] = field(default_factory=list)
    asked: int = 0
    failed: int = 0
    lost: Use = field(default_factory=Use)

    def failed_by(self, error: ModelError, asked: CountedModel) -> None:
        """Count a question that failed; an error of the service, not of the question, ends it."""
        if error.away:
            raise error
        self.failed += 1
        self.lost += asked.take_use()


def measure_qa(
    files: Sequence[Path],
    *,
    model: CountedModel,
    judge: CountedModel,
    out: Path,
    open_memory: OpenMemory,
    limit: int | None = None,
    tell: Callable[[str], None] = lambda _: None,
) -> QaReport:
    """Ask the questions of the files, at most ``limit`` of each; answers are kept in ``out``.

    A service that fails ends the run with its error; what was answered stays, and a repeat goes on.
    """
    names = [path.stem for path in files]
    if len(set(names)) < len(names):
        raise InvalidInput(
            "Two of the files have the same name, by which answers are kept",
            remedy="Ask them in two runs, each with its own --out",
        )
    answers = AnswerFile(out, model.name, judge.name)
    results: list[QaResult] = []
    for path in files:
        total = sum(1 for _ in _asked(path, limit))
        if not total:
            raise InvalidInput(
                f"{path} has no question with an answer",
                remedy="Name data with answers, such as LoCoMo, LongMemEval, BEAM or MemDaily",
            )
        run = _Run(path.stem, total, answers, model, judge, tell)
        try:
            for bank, questions in _by_bank(path, limit):
                _ask_bank(run, bank, questions, open_memory)
        except ModelError:
            tell(f"{run.file}: {len(run.keys)} of {total} questions done, kept in {out}")
            raise
        results.append(_result(run))
    return QaReport(surroundings(), model.name, judge.name, tuple(results))


def _asked(path: Path, limit: int | None) -> Iterator[tuple[Bank, Question]]:
    pairs = (
        (bank, question)
        for bank in read_banks(path)
        for question in bank.questions
        if can_be_asked(question)
    )
    return islice(pairs, limit)


def _by_bank(path: Path, limit: int | None) -> Iterator[tuple[Bank, list[Question]]]:
    current: Bank | None = None
    questions: list[Question] = []
    for bank, question in _asked(path, limit):
        if current is not None and bank is not current:
            yield current, questions
            questions = []
        current = bank
        questions.append(question)
    if current is not None:
        yield current, questions


def _ask_bank(
    run: _Run, bank: Bank, questions: Sequence[Question], open_memory: OpenMemory
) -> None:
    protocol, run.format = PROTOCOLS[bank.format], bank.format
    memory: Mnemic | None = None
    try:
        for question in questions:
            key = run.file, bank.name, question.id
            kept = run.answers.get(key)
            if kept is None:
                if memory is None:
                    memory = open_memory(_clock(questions))
                    memory.add(bank.items)
                kept = _answer(run, bank, question, protocol, memory)
            if kept is not None and kept.scores is None:
                _judge(run, question, kept, protocol)
            run.keys.append(key)
            if len(run.keys) % _STEP == 0 or len(run.keys) == run.total:
                run.tell(
                    f"{run.file}: {len(run.keys)} of {run.total} questions, {run.asked} asked now,"
                    f" {run.failed} failed"
                )
    finally:
        if memory is not None:
            memory.close()


def _clock(questions: Sequence[Question]) -> Clock | None:
    """The time at which the questions are asked, where it is published."""
    latest = max((question.at for question in questions), default="")
    return ManualClock(datetime.fromisoformat(latest).astimezone()) if latest else None


def _answer(
    run: _Run, bank: Bank, question: Question, protocol: QaProtocol, memory: Mnemic
) -> Answered | None:
    context = memory.mind.context(question.query)
    run.asked += 1
    try:
        reply = run.model.write(protocol.prompt(question, context.text))
    except (BadAnswer, ModelRefused) as error:
        run.failed_by(error, run.model)
        return None
    answered = Answered(
        file=run.file,
        bank=bank.name,
        question=question.id,
        category=question.category,
        model=run.model.name,
        judge=run.judge.name,
        reply=reply,
        context_tokens=context.tokens,
        answering=run.model.take_use(),
    )
    run.answers.add(answered)
    return answered


def _judge(run: _Run, question: Question, kept: Answered, protocol: QaProtocol) -> None:
    try:
        scores = protocol.score(question, kept.reply, run.judge)
    except (BadAnswer, ModelRefused) as error:
        run.failed_by(error, run.judge)
        return
    run.answers.judged(kept, scores, run.judge.take_use())


def _result(run: _Run) -> QaResult:
    found = [run.answers.get(key) for key in run.keys]
    kept = [one for one in found if one is not None and one.scores is not None]
    categories = sorted({one.category for one in kept})
    return QaResult(
        file=run.file,
        format=run.format,
        questions=len(kept),
        asked=run.asked,
        failed=run.failed,
        scores=_means(kept),
        categories={
            name: _means([one for one in kept if one.category == name]) for name in categories
        },
        context_tokens=sum(one.context_tokens for one in kept) / max(1, len(kept)),
        answering=sum((one.answering for one in kept), Use()),
        judging=sum((one.judging for one in kept), Use()),
        lost=run.lost,
    )


def _means(answers: Sequence[Answered]) -> dict[str, Mean]:
    names = dict.fromkeys(name for one in answers for name in one.scores or {})
    return {
        name: mean([one.scores[name] for one in answers if one.scores and name in one.scores])
        for name in names
    }
