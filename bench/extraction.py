"""How well the rules learn without a model, on labeled messages that ship with the engine."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from bench.figures import surroundings
from bench.utterances import (
    LANGUAGES,
    POSITIVES,
    TRAPS,
    Figures,
    Outcome,
    Utterance,
    figures,
    score,
    utterances,
)
from mnemic.language.extract import EarlierMessage, extract
from mnemic.settings import Settings, load
from mnemic.types import Candidate

PRECISION, RECALL = 0.95, 0.75  # what is asked of the rules

_SAID_AT = datetime(2026, 2, 11, 9, 0, tzinfo=UTC)  # any moment will do, but the same for each run


@dataclass(frozen=True, slots=True)
class Slip:
    """An utterance from which something else was learned than its labels say.

    Those held out are not told: whoever reads them tunes the rules on them.
    """

    id: str
    text: str
    wrong: tuple[str, ...]
    missed: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ExtractionReport:
    """The figures of all utterances, of the half no rule was tuned on, and of each sort."""

    utterances: int
    all: Figures
    held_out: Figures
    languages: Mapping[str, Figures]
    categories: Mapping[str, Figures]
    traps: Mapping[str, Figures]
    ms_per_message: float
    ok: bool
    slips: tuple[Slip, ...]
    surroundings: dict[str, str | int]


def measure_extraction(settings: Settings | None = None) -> ExtractionReport:
    """Run the rules over every utterance and score what they learn."""
    settings = settings or load()
    said = utterances()
    for one in said:  # the patterns are compiled at first use
        learn(one, settings)
    begun = time.perf_counter()
    learned = [learn(one, settings) for one in said]
    spent = time.perf_counter() - begun
    outcomes = [score(one.labels, found) for one, found in zip(said, learned, strict=True)]
    pairs = list(zip(said, outcomes, strict=True))
    whole = figures(outcomes)
    return ExtractionReport(
        utterances=len(said),
        all=whole,
        held_out=figures([outcome for one, outcome in pairs if one.held_out]),
        languages=_by(pairs, LANGUAGES, lambda one: one.language),
        categories=_by(pairs, POSITIVES, lambda one: one.category),
        traps=_by(pairs, TRAPS, lambda one: one.category),
        ms_per_message=1_000 * spent / len(said),
        ok=whole.precision.value >= PRECISION and whole.recall.value >= RECALL,
        slips=tuple(_slips(pairs)),
        surroundings=surroundings(),
    )


def learn(one: Utterance, settings: Settings) -> tuple[Candidate, ...]:
    """What the rules learn from an utterance."""
    return extract(
        one.text,
        said_at=_SAID_AT,
        role=one.role,
        earlier=[EarlierMessage(message.role, message.text) for message in one.before],
    )


def _by(
    pairs: Sequence[tuple[Utterance, Outcome]],
    names: Iterable[str],
    of: Callable[[Utterance], str],
) -> dict[str, Figures]:
    grouped = {name: [outcome for one, outcome in pairs if of(one) == name] for name in names}
    return {name: figures(outcomes) for name, outcomes in grouped.items() if outcomes}


def _slips(pairs: Iterable[tuple[Utterance, Outcome]]) -> Iterable[Slip]:
    for one, outcome in pairs:
        if not one.held_out and (outcome.wrong or outcome.missed):
            wrong = tuple(_told(found) for found in outcome.wrong)
            missed = tuple(f"{x.kind} {x.subject}/{x.predicate}: {x.value}" for x in outcome.missed)
            yield Slip(one.id, one.text, wrong, missed)


def _told(found: Candidate) -> str:
    ends = "ends " if found.withdraws else ""
    return f"{ends}{found.kind} {found.subject}/{found.predicate}: {found.value}"
