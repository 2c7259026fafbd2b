"""Every peer on the same banks: what it finds, what that costs, and whether its score tells a
question that nothing answers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from math import inf
from pathlib import Path
from random import Random
from statistics import median

from bench.banks import Bank, Question, read_banks
from bench.calibration import auc
from bench.compare.environments import CannotRun, Environments
from bench.compare.foreign import Asked, draw_foreign, speakers
from bench.compare.peers import Peer
from bench.compare.process import PeerProcess
from bench.metrics import DEPTH, Mean, mean, score
from bench.timing import MILLI
from mnemic.errors import InvalidInput

_SEED = 11
_SHOWN = ("recall@5", "recall@10", "mrr")
_SESSIONS = "longmemeval"  # whose protocol ranks sessions by their users' turns
_SESSION_CUTS = (5, 10)
_SESSION_DEPTH = 60  # turns, so that ten sessions are among them


@dataclass(frozen=True, slots=True)
class Sample:
    """How much of a file: banks from its start, questions of each drawn with a fixed seed."""

    banks: int | None = None
    questions: int | None = None


@dataclass(frozen=True, slots=True)
class Row:
    """One peer on one file, or why it has no figures. Milliseconds are of the processor: those of
    an item taken in on average, of a search in the median. ``auc`` is None with a single bank.
    """

    file: str
    peer: str
    version: str = ""
    failure: str = ""
    banks: int = 0
    items: int = 0
    questions: int = 0
    metrics: dict[str, Mean] = field(default_factory=dict)
    ingest_ms: float = 0.0
    search_ms: float = 0.0
    auc: float | None = None


@dataclass(slots=True)
class _Tally:
    banks: int = 0
    items: int = 0
    added: float = 0.0
    searched: list[float] = field(default_factory=list)
    scores: list[dict[str, float]] = field(default_factory=list)
    own: list[float] = field(default_factory=list)
    foreign: list[float] = field(default_factory=list)


def compare(
    files: Sequence[Path],
    peers: Sequence[Peer],
    environments: Environments,
    sample: Sample,
    tell: Callable[[str], None] = lambda _: None,
) -> list[Row]:
    """Run each peer over each file; one that fails has a row that says why."""
    rows: list[Row] = []
    for path in files:
        asked = [
            Asked(speakers(bank), tuple(question.query for question in bank.questions))
            for bank in _sampled(path, sample)
        ]
        if not any(bank.queries for bank in asked):
            raise InvalidInput(f"{path} asks no question with gold", remedy="See bench/banks.py")
        foreign = draw_foreign(asked)
        for peer in peers:
            tell(f"{path.stem}: {peer.title}")
            rows.append(_measure_peer(path, peer, environments, sample, foreign))
    return rows


def _measure_peer(
    path: Path,
    peer: Peer,
    environments: Environments,
    sample: Sample,
    foreign: Sequence[Sequence[str]],
) -> Row:
    tally = _Tally()
    try:
        with PeerProcess(peer, environments) as process:
            for bank, strange in zip(_sampled(path, sample), foreign, strict=True):
                _measure_bank(process, bank, strange, tally)
            version = process.version
    except CannotRun as error:
        return Row(path.stem, peer.title, failure=str(error))
    return Row(
        file=path.stem,
        peer=peer.title,
        version=version,
        banks=tally.banks,
        items=tally.items,
        questions=len(tally.scores),
        metrics={name: mean([one[name] for one in tally.scores]) for name in tally.scores[0]},
        ingest_ms=tally.added / max(1, tally.items) * MILLI,
        search_ms=median(tally.searched) * MILLI,
        auc=auc(tally.own, tally.foreign),
    )


def _measure_bank(process: PeerProcess, bank: Bank, foreign: Sequence[str], tally: _Tally) -> None:
    by_session = bank.format == _SESSIONS
    depth = _SESSION_DEPTH if by_session else DEPTH
    sessions = {item.id: item.session for item in bank.items}
    tally.added += process.add(bank.items)
    tally.banks, tally.items = tally.banks + 1, tally.items + len(bank.items)
    for question in bank.questions:
        found, seconds = process.search(question.query, depth)
        tally.searched.append(seconds)
        tally.own.append(_best(found))
        ranked = [id_ for id_, _ in found]
        figures = score(ranked, question.gold)
        shown = {name: figures[name] for name in _SHOWN}
        if by_session:
            shown |= score_sessions(ranked, question.gold, sessions)
        tally.scores.append(shown)
    for query in foreign:
        found, seconds = process.search(query, depth)
        tally.searched.append(seconds)
        tally.foreign.append(_best(found))
    process.end_memory()


def _best(found: Sequence[tuple[str, float]]) -> float:
    return max((value for _, value in found), default=-inf)


def score_sessions(
    ranked: Sequence[str], gold: Sequence[str], sessions: dict[str, str]
) -> dict[str, float]:
    """LongMemEval's own figures: whether any, and whether all, of the sessions with an answer are
    among the first k sessions that the ranked turns come from.
    """
    order = list(dict.fromkeys(sessions[id_] for id_ in ranked))
    wanted = {sessions[id_] for id_ in gold}
    figures: dict[str, float] = {}
    for k in _SESSION_CUTS:
        first = set(order[:k])
        figures[f"session any@{k}"] = float(bool(first & wanted))
        figures[f"session all@{k}"] = float(wanted <= first)
    return figures


def _sampled(path: Path, sample: Sample) -> Iterator[Bank]:
    """The banks with the questions that are asked."""
    for bank in read_banks(path, sample.banks):
        shaped = _as_published(bank) if bank.format == _SESSIONS else bank
        asked = [question for question in shaped.questions if question.gold]
        if sample.questions is not None and len(asked) > sample.questions:
            chosen = Random(f"{_SEED} {bank.name}").sample(range(len(asked)), sample.questions)
            asked = [asked[place] for place in sorted(chosen)]
        yield replace(shaped, questions=tuple(asked))


def _as_published(bank: Bank) -> Bank:
    """What LongMemEval's protocol searches: the users' turns alone. A question without an answer
    among them is left out, as it is there.
    """
    items = tuple(item for item in bank.items if item.speaker == "user")
    ids = {item.id for item in items}

    def keep(question: Question) -> Question:
        return replace(question, gold=tuple(id_ for id_ in question.gold if id_ in ids))

    return replace(bank, items=items, questions=tuple(map(keep, bank.questions)))
