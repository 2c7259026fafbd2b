"""What a full run proved, feature by feature, and the page that says so."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

from tests.conformance.catalogue import Catalogue, Feature

Outcome = Literal["passed", "failed", "skipped"]
State = Literal["passes", "fails", "in part", "not built yet"]

PASSING_ROW = re.compile(r"^\| ([A-Z][0-9]+) \| passes \|", re.MULTILINE)

HEADER = """\
# Conformance

What Recollect owes, and the tests that prove it. Written by `make test`; do not edit.

- **passes**: claimed as complete, and every test marked with it passes, for every preset named
- **fails**: a test marked with it fails, or it is claimed and nothing proves it
- **in part**: some tests are there and pass; not yet claimed as complete
- **not built yet**: no test is marked with it
"""


@dataclass(frozen=True, slots=True)
class Proof:
    """One marked test and how it ended; no preset means it holds for all of them."""

    feature: str
    preset: str | None
    test: str
    outcome: Outcome


@dataclass(frozen=True, slots=True)
class Verdict:
    """Where a feature stands, why if it fails, and every test marked with it."""

    feature: Feature
    state: State
    reason: str
    tests: tuple[str, ...]


def judge(catalogue: Catalogue, proofs: Iterable[Proof]) -> dict[str, Verdict]:
    """A verdict for every feature, in the catalogue's order."""
    by_id: dict[str, list[Proof]] = {id_: [] for id_ in catalogue.features}
    for proof in proofs:
        by_id[proof.feature].append(proof)
    return {id_: _verdict(feature, by_id[id_]) for id_, feature in catalogue.features.items()}


def _verdict(feature: Feature, proofs: list[Proof]) -> Verdict:
    tests = tuple(sorted({proof.test for proof in proofs}))
    reason = _what_is_wrong(feature, proofs)
    if reason:
        return Verdict(feature, "fails", reason, tests)
    if feature.built:
        return Verdict(feature, "passes", "", tests)
    return Verdict(feature, "in part" if tests else "not built yet", "", tests)


def _what_is_wrong(feature: Feature, proofs: list[Proof]) -> str:
    failed = sorted({proof.test for proof in proofs if proof.outcome == "failed"})
    if failed:
        return f"{', '.join(failed)} failed"
    if not feature.built:
        return ""
    if not proofs:
        return "no test is marked with it"
    proven = {proof.preset for proof in proofs if proof.outcome == "passed"}
    if not proven:
        return "every test marked with it was skipped"
    missing = [preset for preset in feature.presets if preset not in proven]
    if missing and None not in proven:
        return f"nothing proves it for {', '.join(missing)}"
    return ""


def broken_claims(verdicts: Mapping[str, Verdict], page: str) -> Iterator[str]:
    """What features.toml or the committed page claims and this run did not bear out."""
    on_page = set(PASSING_ROW.findall(page))
    for id_, verdict in verdicts.items():
        if verdict.state == "passes":
            continue
        if verdict.feature.built:
            yield f"{id_} is claimed as built, but {verdict.reason}"
        elif id_ in on_page:
            yield (
                f"{id_} passes according to the page, but features.toml no longer says built; "
                "to take the claim back, change its row on the page too"
            )
    for id_ in sorted(on_page - set(verdicts)):
        yield f"{id_} passes according to the page, but features.toml does not know it"


def summary(verdicts: Mapping[str, Verdict]) -> str:
    """How many features stand where, in one line."""
    states = [verdict.state for verdict in verdicts.values()]
    parts = [f"{states.count('passes')} of {len(states)} features pass"]
    other: tuple[State, ...] = ("fails", "in part", "not built yet")
    parts += [f"{states.count(state)} {state}" for state in other if state in states]
    return ", ".join(parts)


def render(catalogue: Catalogue, verdicts: Mapping[str, Verdict]) -> str:
    """The page: the same verdicts always give the same text."""
    lines = [HEADER, f"{summary(verdicts)}.", ""]
    lines += [f"Documents: {'; '.join(f'{k} {v}' for k, v in catalogue.documents.items())}."]
    for letter, title in catalogue.sections.items():
        rows = [verdict for verdict in verdicts.values() if verdict.feature.section == letter]
        if rows:
            lines += ["", f"## {title}", ""]
            lines += ["| id | state | what | from | presets | tests |"]
            lines += ["|---|---|---|---|---|---|", *map(_row, rows)]
    return "\n".join(lines) + "\n"


def _row(verdict: Verdict) -> str:
    feature = verdict.feature
    cells = (
        feature.id,
        verdict.state,
        feature.what,
        ", ".join(feature.documents),
        ", ".join(feature.presets) or "every preset",
        "<br>".join(map(_link, verdict.tests)),
    )
    return f"| {' | '.join(cell.replace('|', '&#124;') for cell in cells)} |"


def _link(test: str) -> str:
    path = test.partition("::")[0]
    return f"[{test}](../{path})"
