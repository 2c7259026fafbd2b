"""The facts in a model's answer: read leniently, stored strictly.

Clear variants are brought into form: another case or name of a kind, "80%", "30 days", "turn 1", a
bare list, the complete facts of an answer that was cut off. Good facts are kept; what is wrong with
the others goes back to the model once, and what is wrong then is left out, with the reason.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date, datetime, time, timedelta
from itertools import chain

from mnemic.errors import InvalidInput
from mnemic.language.dates.moments import moment
from mnemic.language.guard import Guard
from mnemic.language.word_file import WordFile
from mnemic.late import dataclass
from mnemic.learn.candidates import check_candidate
from mnemic.providers.chat.base import Object, Schema, WrongShape
from mnemic.providers.chat.fields import (
    C,
    choice_in,
    flag_in,
    is_nothing,
    numbers_in,
    share_in,
    text_in,
)
from mnemic.providers.chat.json_answer import object_in, values_in
from mnemic.rules.lifetimes import DURATIONS, is_duration
from mnemic.rules.slots import fold
from mnemic.rules.speakers import least_trusted
from mnemic.settings.vocabulary import SCOPE
from mnemic.types import KINDS, Candidate, Json, Kind, SafeCandidate, Trust, Turn

LEARNED: tuple[Kind, ...] = tuple(kind for kind in KINDS if kind != "credential")
KIND_NAMES = ("kind", "type", "category", "fact_type")
_TEXTS = ("subject", "predicate", "value", "project", "topic")
_LISTS = ("facts", "memories", "statements", "items", "entries", "results", "records", "事实")
_CONTENTS = ("content", "text", "statement", "fact", "memory", "description", "内容")
_SHARES = ("importance", "confidence")
_CITED = ("turns", "turn", "sources", "source", "turn_numbers", "turn_ids", "evidence", "轮次")
_MOST = 100  # statements of one answer
_NAMED = 6  # wrong ones that the model is told about
_DEEPEST = 3  # objects around the list
_LIST = re.compile(r"[^{\[]*(\[\s*\{.*\}\s*,?\s*\])", re.DOTALL)
_DAYS = (0, 1, 7, 30, 365)
_FILE = WordFile("mnemic.learn", "answers.toml")


def schema(*, summary: bool = False) -> Schema:
    """The form of an answer, with a ``summary`` of the turns where one is wanted."""
    day: dict[str, Json] = {"type": "string", "description": "ISO 8601 date or time, or empty"}
    fact: dict[str, Json] = {
        "type": "object",
        "properties": {
            "kind": {"type": "string", "enum": list(LEARNED)},
            "content": {"type": "string"},
            **{name: {"type": "string"} for name in _TEXTS},
            "importance": {"type": "number"},
            "confidence": {"type": "number"},
            "duration": {"type": "string", "enum": ["", *DURATIONS]},
            "valid_from": day,
            "valid_to": day,
            "is_update": {"type": "boolean"},
            "withdraws": {"type": "boolean"},
            "turns": {"type": "array", "items": {"type": "integer"}},
        },
        "required": ["kind", "content", "turns"],
        "additionalProperties": False,
    }
    parts: dict[str, Json] = {"facts": {"type": "array", "items": fact}}
    if summary:
        parts["summary"] = {"type": "string"}
    return {
        "type": "object",
        "properties": parts,
        "required": list(parts),
        "additionalProperties": False,
    }


@dataclass(frozen=True, slots=True)
class Rejection:
    """A fact of an answer that cannot be used, and why; ``sources`` where it names its turns."""

    reason: str
    sources: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ExtractionResult:
    """What an extractor found in some turns; ``summary`` says what they were about."""

    candidates: tuple[Candidate, ...] = ()
    rejected: tuple[Rejection, ...] = ()
    summary: str = ""


class _Unwanted(Exception):
    """A fact that no correction makes usable."""


class FactReader:
    """Reads the answers about some turns, which they name by their numbers from 1."""

    def __init__(self, turns: Sequence[Turn], guard: Guard) -> None:
        self._turns, self._guard = turns, guard
        self._kept: dict[SafeCandidate, None] = {}
        self._rejected: list[Rejection] = []
        self._wrong: list[Rejection] = []
        self._asked_again = False
        self._summary = ""
        self._shares: dict[str, list[Json]] = {}

    @property
    def proposals(self) -> ExtractionResult:
        """What there is so far; what was to be corrected counts as rejected."""
        return ExtractionResult(tuple(self._kept), (*self._rejected, *self._wrong), self._summary)

    def parse(self, answer: Object) -> ExtractionResult:
        """Take the facts of a whole object, and its summary."""
        summary = answer.get("summary")
        if isinstance(summary, str) and not is_nothing(summary):
            self._summary = " ".join(summary.split())
        return self._take(_entries(answer), broken=False)

    def parse_partial(self, text: str) -> ExtractionResult:
        """Take the complete facts of any other answer."""
        if text.strip() and (is_nothing(text) or _FILE.pattern("no_facts").fullmatch(text.strip())):
            return self._take([], broken=False)
        values, broken = values_in(text)
        if not (broken or any(type(v) is list for v in values)) and (span := _LIST.match(text)):
            values = [object_in(f'{{"facts": {span[1]}}}')["facts"]]  # its punctuation is mended
        if not values:
            raise WrongShape("it was cut off" if broken else "there is no JSON object in it")
        if len(values) == 1 and not broken:
            entries = _entries(values[0])
        else:
            entries = [fact for value in values for fact in _parts(value)]
        if not entries and not any(is_nothing(value) for value in values):
            raise WrongShape("there is no fact in it")
        return self._take(entries, broken=broken)

    def _take(self, entries: Sequence[Json], *, broken: bool) -> ExtractionResult:
        before, wrong = len(self._kept), list[Rejection]()
        objects = [entry for entry in entries if isinstance(entry, dict)]
        self._shares = {name: [fact.get(name) for fact in objects] for name in _SHARES}
        for n, entry in enumerate(entries[:_MOST]):
            try:
                self._kept[self._candidate(entry, f"facts[{n}]")] = None
            except _Unwanted as unwanted:
                self._rejected.append(Rejection(str(unwanted), self._sources(entry)))
            except WrongShape as shape:
                wrong.append(Rejection(str(shape), self._sources(entry)))
        if len(entries) > _MOST:
            self._rejected.append(Rejection(f"{len(entries) - _MOST} facts more than {_MOST}"))
        if broken:
            wrong.append(Rejection(f"it was cut off after {len(entries)} whole facts"))
        if self._asked_again:
            self._rejected += wrong
            self._wrong = self._wrong[len(self._kept) - before + len(wrong) :]
            return self.proposals
        self._wrong = wrong
        if wrong:
            self._asked_again = True
            reasons = "; ".join(rejection.reason for rejection in wrong[:_NAMED])
            raise WrongShape(reasons, partial=bool(self._kept))
        return self.proposals

    def _candidate(self, entry: Json, place: str) -> SafeCandidate:
        fact: Object = entry if isinstance(entry, dict) else {"content": entry}
        content = text_in(_first(fact, _CONTENTS), f"{place}.content")
        if not content or not isinstance(_first(fact, _CONTENTS), str):
            raise WrongShape(f"{place}.content has to be a statement")
        kind_word = _first(fact, (*KIND_NAMES, self._guard.words.kinds.name))
        if fold(str(kind_word)) == "credential":
            raise _Unwanted("credentials are kept only when the user asks")
        word = self._guard.words.kinds.find(str(kind_word))
        kind = "fact" if kind_word is None else word or kind_of(kind_word)
        cited = self._find_cited(fact)
        if not cited:
            most = len(self._turns)
            raise WrongShape(f"{place}.turns has to list numbers from 1 to {most} that say it")
        valid_from, valid_to = _validity(fact, cited)
        texts = {name: text_in(fact.get(name), f"{place}.{name}") for name in _TEXTS}
        candidate = Candidate(
            kind=kind or "fact",
            text=content,
            importance=self._share(fact, "importance", place),
            confidence=self._share(fact, "confidence", place),
            duration=_duration(_first(fact, ("duration", "priority"))),
            is_update=flag_in(fact.get("is_update"), f"{place}.is_update"),
            withdraws=flag_in(fact.get("withdraws"), f"{place}.withdraws"),
            trust=least_trusted([_trust(turn) for turn in cited]),
            sources=tuple(turn.id for turn in cited),
            valid_from=valid_from,
            valid_to=valid_to,
            subject=texts["subject"],
            predicate=texts["predicate"],
            value=texts["value"],
            project="" if is_nothing(texts["project"]) else texts["project"],
            topic="" if is_nothing(texts["topic"]) else texts["topic"],
            metadata=self._scope(fact),
        )
        try:
            safe = check_candidate(candidate, self._guard)
        except InvalidInput as error:
            raise WrongShape(f"{place}: {error}") from error
        if kind is None and safe not in self._kept:
            note = f"{place}.kind is unknown, so it was kept as a fact: {kind_word!r}"
            self._rejected.append(Rejection(note, candidate.sources))
        return safe

    def _share(self, fact: Object, name: str, place: str) -> float | None:
        return share_in(fact.get(name), f"{place}.{name}", self._shares[name])

    def _scope(self, fact: Object) -> dict[str, str]:
        """The scope, where the document has scopes; a wrong one is left out, not the fact."""
        word = fact.get(SCOPE)
        scope = self._guard.words.scopes.find(word) if isinstance(word, str) else None
        return {SCOPE: scope} if scope else {}

    def _find_cited(self, fact: Object) -> list[Turn]:
        """The turns a fact stands on; one that names only others' cannot be believed."""
        cited = _first(fact, _CITED)
        if cited is None:  # then it is of what the owner says here; grounding looks for the words
            turns = [turn for turn in self._turns if turn.trust == "owner" and turn.role == "user"]
            return turns or list(self._turns)
        numbers = dict.fromkeys(numbers_in(cited))
        return [self._turns[n - 1] for n in numbers if 1 <= n <= len(self._turns)]

    def _sources(self, entry: Json) -> tuple[str, ...]:
        cited = self._find_cited(entry) if isinstance(entry, dict) else []
        return tuple(turn.id for turn in cited)


def aliases(names: Sequence[C]) -> dict[str, C]:
    """What models write for some names."""
    return {word: name for name in names for word in _FILE.phrases(name)}


def kind_of(value: Json) -> Kind | None:
    """The kind that a word stands for; None for an unknown one."""
    try:
        return choice_in(value, LEARNED, "kind", aliases(LEARNED))
    except WrongShape:
        return None


def _entries(answer: Json, depth: int = 0) -> list[Json]:
    """The facts of an answer, however it wraps them."""
    if is_nothing(answer):
        return []
    if isinstance(answer, list):
        lists = [entry if isinstance(entry, list) else [entry] for entry in answer]
        return list(chain.from_iterable(lists))
    if isinstance(answer, dict) and depth < _DEEPEST:
        name = next((name for name in _LISTS if name in answer), None)
        if name is not None:
            return _entries(answer[name], depth + 1)
        if _is_fact(answer):
            return [answer]
        inner = list(answer.values())
        if len(inner) == 1 and isinstance(inner[0], list | dict):
            return _entries(inner[0], depth + 1)
        if all(isinstance(fact, dict) for fact in inner):  # {"1": {…}, "2": {…}}
            return inner
    elif isinstance(answer, str) and depth:
        return [answer]
    raise WrongShape('"facts" has to be a list')


def _parts(value: Json) -> list[Json]:
    """The facts in one value of a broken answer; brackets in prose hold none."""
    try:
        entries = _entries(value)
    except WrongShape:
        return []
    return [entry for entry in entries if isinstance(entry, dict) and _is_fact(entry)]


def _is_fact(value: Object) -> bool:
    return any(name in value for name in KIND_NAMES) or any(
        isinstance(value.get(name), str) for name in _CONTENTS
    )


def _first(fact: Object, names: Sequence[str]) -> Json:
    return next((fact[name] for name in names if fact.get(name) is not None), None)


def _trust(turn: Turn) -> Trust:
    """What an agent says beside a tool's result may be the tool's words."""
    return "tool" if turn.trust == "agent" and turn.tool_results else turn.trust


def _duration(value: Json) -> str:
    """A word of DURATIONS or a span such as "30d"; anything else leaves it to the kind."""
    word = " ".join(value.casefold().split()) if isinstance(value, str) else ""
    if is_duration(word):
        return word
    if word in _FILE.phrases("ever"):
        return "permanent"
    span = _FILE.pattern("span").fullmatch(word)
    if span is None:
        return ""
    count = int(span[1]) if span[1].isdigit() else 1
    unit = next(n for n in range(5) if span[n + 2])
    return f"{count}h" if unit == 0 else f"{count * _DAYS[unit]}d"


def _validity(fact: Object, cited: Sequence[Turn]) -> tuple[datetime | None, datetime | None]:
    """From when to when it holds; a wrong date is left out, not the fact.

    An end that was over when it was said is part of the statement, not the end of it.
    """
    said_at = max(cited, key=lambda turn: turn.at).at
    since = _moment(fact.get("valid_from"), said_at, last=False)
    until = _moment(fact.get("valid_to"), said_at, last=True)
    if until is not None and (until <= said_at or (since is not None and until <= since)):
        until = None
    return since, until


def _moment(value: Json, said_at: datetime, *, last: bool) -> datetime | None:
    """A day or a time in the zone of the turn; the ``last`` day counts to its end."""
    text = value.strip() if isinstance(value, str) else ""
    try:
        if len(text) == len("2026-02-12"):
            day = date.fromisoformat(text)
            midnight = datetime.combine(day, time(), said_at.tzinfo)
            return moment(midnight + timedelta(days=1) if last else midnight)
        at = datetime.fromisoformat(text)
        return moment(at if at.tzinfo is not None else at.replace(tzinfo=said_at.tzinfo))
    except (ValueError, OverflowError, InvalidInput):
        return None
