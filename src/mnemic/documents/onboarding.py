"""Onboarding: asked once ever, an answer at a time; a crash in between loses no answer."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Mapping
from functools import cache
from importlib import resources
from typing import Any

from mnemic.documents.report import OnboardingState, Stage
from mnemic.language.answers import read_confirmation
from mnemic.language.detection import language_of
from mnemic.late import dataclass
from mnemic.learn.reconciler import Reconciler
from mnemic.patterns import defer
from mnemic.prompts import ByLanguage, Language
from mnemic.rules.slots import fold
from mnemic.space import Space
from mnemic.store.contract import Unit
from mnemic.store.rows import OnboardingRow
from mnemic.types import Candidate, Kind, SafeText, constant


@dataclass(frozen=True, slots=True)
class OnboardingQuestion:
    """One question: its name and text in both languages, and the kind of memory it becomes."""

    key: str
    stage: Stage
    names: ByLanguage[str]
    texts: ByLanguage[str]
    kind: Kind


@cache
def _read_script() -> dict[str, Any]:
    text = resources.files(__package__).joinpath("onboarding.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)


@cache
def list_questions() -> tuple[OnboardingQuestion, ...]:
    """Every question, in order."""
    return tuple(
        OnboardingQuestion(**entry | {n: ByLanguage(entry[n]) for n in ("names", "texts")})
        for entry in _read_script()["question"]
    )


def _words(language: Language) -> Mapping[str, str]:
    return ByLanguage[Mapping[str, str]](_read_script()["words"])[language]


_SKIP = frozenset(map(fold, ("skip", "-", "跳过", "略", "没有", "无")))
_CHANGE = defer(
    r"^\s*(?:change|set|修改|改|更改|把)?\s*(?P<name>[^:：=]{1,40}?)\s*(?:to\b|[:：=]|改成|改为)\s*"
    r"(?P<text>.+)$",
    re.IGNORECASE | re.DOTALL,
)
_CORRECTS = defer(r"^\s*(?:no|wrong|not quite|不对|不是|错了)\s*[,，.。!！]\s*", re.IGNORECASE)
_CALLED = defer(
    r"(?:我(?:其实)?叫|叫我|我的名字(?:是|叫)|\bmy name is|\bcall me)\s*(?P<text>[^,，.。!！]+)",
    re.IGNORECASE,
)
_WANTS_CHANGE = frozenset(map(fold, ("修改", "改", "要改", "更改", "change", "edit", "change it")))


def next_question(answers: Mapping[str, str]) -> OnboardingQuestion | None:
    """The first one that was neither answered nor skipped."""
    return next((question for question in list_questions() if question.key not in answers), None)


def stage_of(answers: Mapping[str, str]) -> Stage:
    """Agent, then user, then the summary."""
    question = next_question(answers)
    return "summary" if question is None else question.stage


def read_answer(text: str) -> str:
    """An answer in one line; empty when it was skipped."""
    line = " ".join(text.split())
    return "" if fold(line) in _SKIP else line


def read_change(text: str) -> tuple[str, str] | None:
    """The key and the new answer of a requested change; None where it is not understood."""
    request = _CORRECTS.sub("", text)
    if called := _CALLED.search(request):
        return "name", read_answer(called["text"])
    match = _CHANGE.match(request)
    if match is None:
        return None
    for question in list_questions():
        if fold(match["name"]) in map(fold, (question.key, *question.names.values())):
            return question.key, read_answer(match["text"])
    return None


def summary(answers: Mapping[str, str], language: Language) -> str:
    """The answers as a summary for a person."""
    words = _words(language)
    parts = []
    for stage in ("agent", "user"):
        lines = [
            f"- {q.names[language]}: {answers[q.key]}"
            for q in list_questions()
            if q.stage == stage and answers.get(q.key)
        ]
        parts.append("\n".join([f"{words[stage]}:", *(lines or [words["nothing"]])]))
    return "\n\n".join(parts)


def candidates(answers: Mapping[str, str], language: Language) -> list[Candidate]:
    """The memories of a confirmed onboarding: the owner's own statements, permanent."""
    words = _words(language)
    return [
        Candidate(
            kind=question.kind,
            text=words[f"{question.stage}'s"].format(question.names[language], answer),
            subject=question.stage,
            predicate=question.key,
            value=answer,
            importance=1.0 if question.kind == "identity" else None,
            confidence=1.0,
            duration="permanent",
            asked=True,
            is_update=True,
            origin="manual",
        )
        for question in list_questions()
        if (answer := answers.get(question.key))
    ]


_LANGUAGE = "_language"
_LONGEST = 2_000  # characters of one answer


@dataclass(frozen=True, slots=True)
class Onboarding:
    """The onboarding of one space. ``settled`` is called at its end, to write documents."""

    space: Space
    reconciler: Reconciler
    settled: Callable[[], None]

    def state(self) -> OnboardingState:
        """The next question. Where the preset has no onboarding, it is done unless it was begun."""
        with self.space.read() as unit:
            row = unit.onboarding.get()
        if row is None and not self.space.settings.documents.onboarding:
            return OnboardingState("done")
        return self._next(row or OnboardingRow("agent", {}))

    def begin(self) -> OnboardingState:
        """Begin even where the preset has no onboarding; answered questions are not repeated."""
        with self.space.write() as unit:
            row = unit.onboarding.get() or OnboardingRow("agent", {})
            unit.onboarding.put(row, self.space.now())
        return self._next(row)

    def answer(self, text: str) -> OnboardingState:
        """Store the answer to the last question."""
        answer = self.space.guard.text(text, "answer", _LONGEST)
        with self.space.write() as unit:
            row = unit.onboarding.get() or OnboardingRow("agent", {})
            if row.stage == "done":
                return OnboardingState("done")
            after, unclear = self._after(unit, row, answer)
            unit.onboarding.put(after, self.space.now())
        if after.stage == "done":
            self.settled()
        return self._next(after, unclear=unclear)

    def _after(self, unit: Unit, row: OnboardingRow, answer: SafeText) -> tuple[OnboardingRow, str]:
        """The state after an answer, and the text to show where it changed nothing."""
        answers, guard = dict(row.answers), self.space.guard
        language = language_of([answer], self.space.settings.memory.language)
        answers.setdefault(_LANGUAGE, constant(language))
        question = next_question(answers)
        if question is not None:
            answers[question.key] = guard.text(read_answer(answer), "answer", _LONGEST)
            if next_question(answers) is None:
                # By all that was said: the first answer may have been one English name.
                texts = [text for key, text in answers.items() if key != _LANGUAGE]
                language = language_of(texts, self.space.settings.memory.language)
                answers[_LANGUAGE] = constant(language)
            return OnboardingRow(stage_of(answers), answers), ""
        verdict = read_confirmation(answer)
        if verdict == "confirm":
            self._keep(unit, answers)
            return OnboardingRow("done", answers), ""
        change = read_change(answer)
        if change is None:
            wants = fold(answer.strip()) in _WANTS_CHANGE or verdict == "ignore"
            return OnboardingRow("summary", answers), "which" if wants else "unclear"
        return OnboardingRow(
            "summary", answers | {change[0]: guard.text(change[1], "answer", _LONGEST)}
        ), ""

    def _keep(self, unit: Unit, answers: dict[str, SafeText]) -> None:
        now = self.space.now()
        for candidate in candidates(answers, _language(answers)):
            operation = f"onboarding:{candidate.predicate}"
            self.reconciler.settle(unit, candidate, operation_id=operation, now=now)
        unit.journal.begin(constant("onboarding"), now).note(
            "onboarding",
            self.space.guard.name(self.space.name, "space"),
            answers=sum(map(bool, answers.values())) - 1,
        )

    def _next(self, row: OnboardingRow, *, unclear: str = "") -> OnboardingState:
        """``unclear`` is the text for an answer that changes nothing."""
        if row.stage == "done":
            return OnboardingState("done")
        setting = self.space.settings.memory.language
        language = _language(row.answers, "en" if setting == "auto" else setting)
        question = next_question(row.answers)
        if question is not None:
            return OnboardingState(question.stage, question.texts[language], question.key)
        last = _words(language)[unclear or "confirm"]
        return OnboardingState("summary", f"{summary(row.answers, language)}\n\n{last}")


def _language(answers: Mapping[str, str], default: Language = "en") -> Language:
    return answers.get(_LANGUAGE, default)
