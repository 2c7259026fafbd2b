"""What a full run proved, by feature and by statement, and the page that says so."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Generic, Literal, Protocol, TypeVar

from tests.conformance.catalog import Catalog, Feature
from tests.conformance.statements import Statement, Statements

Outcome = Literal["passed", "failed", "skipped"]
State = Literal["passes", "fails", "in part", "not built yet"]

PASSING_ROW = re.compile(r"^\| ([A-Z][0-9]+) \| passes \|", re.MULTILINE)
KEPT_ROW = re.compile(
    r"^\| ([A-Z][0-9]+) \| [^|]* \| [^|]* \| (?:works|better, because [^|]*) \|", re.MULTILINE
)
LINKED_TESTS = 3  # a row; the rest are counted
SHOWN_INPUTS = 4
_INPUT_NAME = 24  # characters of the name of an input

HEADER = """\
# Conformance

What Mnemic owes, and the tests that prove it. Written by `make test`; do not edit.

- **passes**: claimed as complete, and every test marked with it passes, for every preset named
- **fails**: a test marked with it fails, or it is claimed and nothing proves it
- **in part**: some tests are there and pass; not yet claimed as complete
- **not built yet**: no test is marked with it
"""

STATEMENTS_HEADER = """\

# Statement by statement

What each document says about its own system, lived through under its preset by tests that use the
public interface only (`tests/conformance/public_interface.py` holds them to it).

- **works**: true as the document says it, and every test marked with it passes
- **better, because …**: done differently on purpose, for the reason given; its tests pass
- **fails**: a test marked with it fails, or it is claimed and nothing proves it
- **in part**: some tests are there and pass; not yet claimed as true
- **not proved**: no test is marked with it

*inputs* is how often its tests were run with something else: another test, or another parameter of
one, by name.
"""


class Owed(Protocol):
    """What can be claimed: a feature or a statement."""

    @property
    def id(self) -> str: ...
    @property
    def built(self) -> bool: ...
    @property
    def presets(self) -> tuple[str, ...]: ...


OwedT = TypeVar("OwedT", bound=Owed)


@dataclass(frozen=True, slots=True)
class Proof:
    """One marked test and how it ended; no preset means it holds for all of them."""

    id: str
    preset: str | None
    test: str
    outcome: Outcome
    inputs: str = ""


@dataclass(frozen=True, slots=True)
class Verdict(Generic[OwedT]):
    """Where a feature or statement stands, why if it fails, and every test marked with it."""

    owed: OwedT
    state: State
    reason: str
    tests: tuple[str, ...]
    inputs: tuple[str, ...] = ()


Verdicts = Mapping[str, Verdict[OwedT]]


def judge(owed: Mapping[str, OwedT], proofs: Iterable[Proof]) -> dict[str, Verdict[OwedT]]:
    """A verdict for each, in the catalog's order; proofs of anything else are passed over."""
    by_id: dict[str, list[Proof]] = {id_: [] for id_ in owed}
    for proof in proofs:
        if proof.id in by_id:
            by_id[proof.id].append(proof)
    return {id_: _verdict(one, by_id[id_]) for id_, one in owed.items()}


def _verdict(owed: OwedT, proofs: list[Proof]) -> Verdict[OwedT]:
    tests = tuple(sorted({proof.test for proof in proofs}))
    inputs = tuple(sorted({f"{proof.test}[{proof.inputs}]" for proof in proofs}))
    reason = _what_is_wrong(owed, proofs)
    if reason:
        return Verdict(owed, "fails", reason, tests, inputs)
    if owed.built:
        return Verdict(owed, "passes", "", tests, inputs)
    return Verdict(owed, "in part" if tests else "not built yet", "", tests, inputs)


def _what_is_wrong(owed: Owed, proofs: list[Proof]) -> str:
    failed = sorted({proof.test for proof in proofs if proof.outcome == "failed"})
    if failed:
        return f"{', '.join(failed)} failed"
    if not owed.built:
        return ""
    if not proofs:
        return "no test is marked with it"
    proven = {proof.preset for proof in proofs if proof.outcome == "passed"}
    if not proven:
        return "every test marked with it was skipped"
    missing = [preset for preset in owed.presets if preset not in proven]
    if missing and None not in proven:
        return f"nothing proves it for {', '.join(missing)}"
    return ""


def broken_claims(verdicts: Verdicts[Feature], page: str) -> Iterator[str]:
    """What features.toml or the committed page claims and this run did not bear out."""
    words = ("built", "passes", "features.toml no longer says built")
    return _broken(verdicts, set(PASSING_ROW.findall(page)), words)


def broken_statements(verdicts: Verdicts[Statement], page: str) -> Iterator[str]:
    """The same for statements.toml, where everything is claimed that is not listed as open."""
    words = ("true", "holds", "statements.toml lists it as open")
    return _broken(verdicts, set(KEPT_ROW.findall(page)), words)


def _broken(
    verdicts: Mapping[str, Verdict[OwedT]], on_page: set[str], words: tuple[str, str, str]
) -> Iterator[str]:
    claim, on_page_as, taken_back = words
    for id_, verdict in verdicts.items():
        if verdict.state == "passes":
            continue
        if verdict.owed.built:
            yield f"{id_} is claimed as {claim}, but {verdict.reason}"
        elif id_ in on_page:
            yield (
                f"{id_} {on_page_as} according to the page, but {taken_back}; "
                "to take the claim back, change its row on the page too"
            )
    for id_ in sorted(on_page - set(verdicts)):
        yield f"{id_} {on_page_as} according to the page, but the catalog does not know it"


def summary(verdicts: Verdicts[Feature]) -> str:
    """How many features stand where, in one line."""
    states = Counter(verdict.state for verdict in verdicts.values())
    parts = [f"{states['passes']} of {len(verdicts)} features pass"]
    other: tuple[State, ...] = ("fails", "in part", "not built yet")
    parts += [f"{states[state]} {state}" for state in other if states[state]]
    return ", ".join(parts)


def statement_summary(verdicts: Verdicts[Statement]) -> str:
    """The same for statements."""
    states = Counter(_word(verdict) for verdict in verdicts.values())
    parts = [f"{states[word]} {word}" for word in ("better", "fails", "in part", "not proved")]
    shown = [part for part in parts if not part.startswith("0 ")]
    return ", ".join([f"{states['works']} of {len(verdicts)} statements work", *shown])


def render(
    catalog: Catalog,
    verdicts: Verdicts[Feature],
    statements: Statements,
    kept: Verdicts[Statement],
) -> str:
    """The page: the same verdicts always give the same text."""
    lines = [HEADER, f"{summary(verdicts)}."]
    if kept:
        lines += [f"{statement_summary(kept)}."]
    lines += ["", f"Documents: {'; '.join(f'{k} {v}' for k, v in catalog.documents.items())}."]
    for letter, title in catalog.sections.items():
        features = [verdict for verdict in verdicts.values() if verdict.owed.section == letter]
        head = "| id | state | what | from | presets | tests |"
        lines += _table(f"## {title}", head, [_feature_row(one) for one in features])
    if kept:
        lines.append(STATEMENTS_HEADER.rstrip())
    for letter, title in statements.titles.items():
        said = [verdict for verdict in kept.values() if verdict.owed.letter == letter]
        head = "| id | section | what the document says | state | tests | inputs |"
        lines += _table(f"## {title}", head, [_statement_row(one) for one in said])
    return "\n".join(lines) + "\n"


def _table(title: str, head: str, rows: list[str]) -> list[str]:
    return ["", title, "", head, "|---" * (head.count("|") - 1) + "|", *rows] if rows else []


def _feature_row(verdict: Verdict[Feature]) -> str:
    feature = verdict.owed
    return _row(
        feature.id,
        verdict.state,
        feature.what,
        ", ".join(feature.documents),
        ", ".join(feature.presets) or "every preset",
        _links(verdict.tests),
    )


def _statement_row(verdict: Verdict[Statement]) -> str:
    statement, word = verdict.owed, _word(verdict)
    state = f"better, because {statement.better}" if word == "better" else word
    features = f" ({', '.join(statement.features)})" if statement.features else ""
    return _row(
        statement.id,
        statement.section,
        statement.what + features,
        state,
        _links(verdict.tests),
        _inputs(verdict.inputs),
    )


def _inputs(inputs: tuple[str, ...]) -> str:
    """How many inputs were tried, and the names of the first."""
    names = [one.rpartition("[")[2].rstrip("]") for one in inputs]
    shown = [name[:_INPUT_NAME] for name in names if name][:SHOWN_INPUTS]
    return f"{len(inputs)}: {', '.join(shown)}" if shown else str(len(inputs))


def _word(verdict: Verdict[Statement]) -> str:
    if verdict.state == "passes":
        return "better" if verdict.owed.better else "works"
    return "not proved" if verdict.state == "not built yet" else verdict.state


def _row(*cells: str) -> str:
    return f"| {' | '.join(cell.replace('|', '&#124;') for cell in cells)} |"


def _links(tests: tuple[str, ...]) -> str:
    """A few of the tests, of as many files as possible, and how many more there are."""
    places: Counter[str] = Counter()
    spread: list[tuple[int, str]] = []
    for test in tests:
        path = test.partition("::")[0]
        spread.append((places[path], test))
        places[path] += 1
    shown = sorted(test for _, test in sorted(spread)[:LINKED_TESTS])
    more = [f"and {len(tests) - len(shown)} more"] if len(tests) > len(shown) else []
    return "<br>".join([*map(_link, shown), *more])


def _link(test: str) -> str:
    path = test.partition("::")[0]
    return f"[{test}](../{path})"
