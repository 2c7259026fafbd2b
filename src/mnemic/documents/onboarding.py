"""Onboarding: asked once ever, an answer at a time; a crash in between loses no answer."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal

from mnemic.clock import Clock
from mnemic.language.answers import read_confirmation
from mnemic.language.detection import language_of
from mnemic.learn.reconciler import Reconciler
from mnemic.prompts import ByLanguage, Language
from mnemic.rules.slots import fold
from mnemic.settings import Settings
from mnemic.store.contract import Store, Unit
from mnemic.store.upkeep import OnboardingRow
from mnemic.types import Candidate, Kind, SafeText, constant

Stage = Literal["agent", "user", "summary", "done"]


@dataclass(frozen=True, slots=True)
class OnboardingQuestion:
    """One question: its name and text in both languages, and the kind of memory it becomes."""

    key: str
    stage: Stage
    names: ByLanguage[str]
    texts: ByLanguage[str]
    kind: Kind
    subject: str


def _question(
    key: str, stage: Stage, kind: Kind, names: tuple[str, str], texts: tuple[str, str]
) -> OnboardingQuestion:
    subject = "agent" if stage == "agent" else "user"
    return OnboardingQuestion(
        key,
        stage,
        ByLanguage(en=names[0], zh=names[1]),
        ByLanguage(en=texts[0], zh=texts[1]),
        kind,
        subject,
    )


QUESTIONS: tuple[OnboardingQuestion, ...] = (
    _question(
        "role", "agent", "trait", ("role", "身份定位"),
        ("What should I be for you?", "你希望我是什么样的身份？"),
    ),
    _question(
        "tone", "agent", "trait", ("tone", "语气"),
        ("How should I speak?", "我该用什么语气说话？"),
    ),
    _question(
        "boundaries", "agent", "trait", ("boundaries", "边界"),
        ("Where should I stop and ask?", "哪些事我该先停下来问你？"),
    ),
    _question(
        "taboos", "agent", "trait", ("taboos", "禁区"),
        ("What must I never do?", "哪些事我绝对不能做？"),
    ),
    _question(
        "priorities", "agent", "trait", ("priorities", "优先行为"),
        ("What should I put first?", "我应当优先做什么？"),
    ),
    _question(
        "name", "user", "identity", ("name", "称呼"),
        ("What may I call you?", "我该怎么称呼你？"),
    ),
    _question(
        "job", "user", "identity", ("occupation", "职业背景"),
        ("What do you do?", "你的职业背景是什么？"),
    ),
    _question(
        "prefers", "user", "preference", ("technical preferences", "技术偏好"),
        ("Which tools and technologies do you prefer?", "你偏好哪些技术和工具？"),
    ),
    _question(
        "works with", "user", "preference", ("way of working", "协作习惯"),
        ("How do you like to work with me?", "你习惯怎样和我协作？"),
    ),
)  # fmt: skip
_BY_NAME = {fold(name): q for q in QUESTIONS for name in (q.key, *q.names.values())}
_SKIP = frozenset(map(fold, ("skip", "-", "跳过", "略", "没有", "无")))
_CHANGE = re.compile(
    r"^\s*(?:change|set|修改|改|更改|把)?\s*(?P<name>[^:：=]{1,40}?)\s*(?:to\b|[:：=]|改成|改为)\s*"
    r"(?P<text>.+)$",
    re.IGNORECASE | re.DOTALL,
)
_WORDS: ByLanguage[Mapping[str, str]] = ByLanguage(
    en={
        "agent": "About me",
        "user": "About you",
        "agent's": "The assistant's {}: {}",
        "user's": "The user's {}: {}",
        "nothing": "(nothing yet)",
        "confirm": 'Is that right? Say "confirm", or change something: "tone: short and dry".',
        "unclear": 'I did not understand. Say "confirm", or name what to change: "name: Lin".',
    },
    zh={
        "agent": "关于我",
        "user": "关于你",
        "agent's": "助手的{}：{}",
        "user's": "用户的{}：{}",
        "nothing": "（暂无）",
        "confirm": "这样对吗？回复“确认”，或者修改其中一项，例如“语气：简短直接”。",
        "unclear": "没有看懂。请回复“确认”，或者说明要改哪一项，例如“称呼：小林”。",
    },
)


def next_question(answers: Mapping[str, str]) -> OnboardingQuestion | None:
    """The first one that was neither answered nor skipped."""
    return next((question for question in QUESTIONS if question.key not in answers), None)


def stage_of(answers: Mapping[str, str]) -> Stage:
    """Agent, then user, then the summary."""
    question = next_question(answers)
    return "summary" if question is None else question.stage


def read_answer(text: str) -> str:
    """An answer in one line; empty when it was skipped."""
    line = " ".join(text.split())
    return "" if fold(line) in _SKIP else line


def confirms(text: str) -> bool:
    return read_confirmation(text) == "confirm"


def read_change(text: str) -> tuple[str, str] | None:
    """The key and the new answer of a requested change; None where it is not understood."""
    match = _CHANGE.match(text)
    question = _BY_NAME.get(fold(match["name"])) if match else None
    return None if match is None or question is None else (question.key, read_answer(match["text"]))


def summary(answers: Mapping[str, str], language: Language) -> str:
    """The answers as a summary for a person."""
    words = _WORDS[language]
    parts = []
    for stage in ("agent", "user"):
        lines = [
            f"- {q.names[language]}: {answers[q.key]}"
            for q in QUESTIONS
            if q.stage == stage and answers.get(q.key)
        ]
        parts.append("\n".join([f"{words[stage]}:", *(lines or [words["nothing"]])]))
    return "\n\n".join(parts)


def wording(language: Language, name: str) -> str:
    return _WORDS[language][name]


def candidates(answers: Mapping[str, str], language: Language) -> list[Candidate]:
    """The memories of a confirmed onboarding: the owner's own statements, permanent."""
    words = _WORDS[language]
    return [
        Candidate(
            kind=question.kind,
            content=words[f"{question.subject}'s"].format(question.names[language], answer),
            subject=question.subject,
            predicate=question.key,
            value=answer,
            importance=1.0 if question.kind == "identity" else None,
            confidence=1.0,
            duration="permanent",
            asked=True,
            is_update=True,
            origin="manual",
        )
        for question in QUESTIONS
        if (answer := answers.get(question.key))
    ]


_LANGUAGE = "_language"
_LONGEST = 2_000  # characters of one answer


@dataclass(frozen=True, slots=True)
class OnboardingState:
    """The stage of onboarding, and the next text to show; empty when it is done."""

    stage: Stage
    text: str = ""
    key: str = ""

    @property
    def done(self) -> bool:
        return self.stage == "done"


class Onboarding:
    """The onboarding of one space. ``settled`` is called at its end, to write documents."""

    def __init__(
        self,
        store: Store,
        space: str,
        clock: Clock,
        settings: Settings,
        *,
        reconciler: Reconciler,
        settled: Callable[[], None],
    ) -> None:
        self._store = store
        self._space = space
        self._clock = clock
        self._settings = settings
        self._reconciler = reconciler
        self._settled = settled

    def state(self) -> OnboardingState:
        """The next question. Where the preset has no onboarding, it is done unless it was begun."""
        with self._store.read(self._space) as unit:
            row = unit.onboarding.get()
        if row is None and not self._settings.documents.onboarding:
            return OnboardingState("done")
        return self._next(row or OnboardingRow("agent", {}))

    def begin(self) -> OnboardingState:
        """Begin even where the preset has no onboarding; answered questions are not repeated."""
        with self._store.write(self._space) as unit:
            row = unit.onboarding.get() or OnboardingRow("agent", {})
            unit.onboarding.put(row, self._clock.now())
        return self._next(row)

    def answer(self, text: str) -> OnboardingState:
        """Store the answer to the last question."""
        answer = self._reconciler.guard.text(text, "answer", _LONGEST)
        with self._store.write(self._space) as unit:
            row = unit.onboarding.get() or OnboardingRow("agent", {})
            if row.stage == "done":
                return OnboardingState("done")
            after, unclear = self._after(unit, row, answer)
            unit.onboarding.put(after, self._clock.now())
        if after.stage == "done":
            self._settled()
        return self._next(after, unclear=unclear)

    def _after(
        self, unit: Unit, row: OnboardingRow, answer: SafeText
    ) -> tuple[OnboardingRow, bool]:
        """The state after an answer, and whether the answer was not understood."""
        answers, guard = dict(row.answers), self._reconciler.guard
        language = language_of([answer], self._settings.memory.language)
        answers.setdefault(_LANGUAGE, constant(language))
        question = next_question(answers)
        if question is not None:
            answers[question.key] = guard.text(read_answer(answer), "answer", _LONGEST)
            if next_question(answers) is None:
                # By all that was said: the first answer may have been one English name.
                texts = [text for key, text in answers.items() if key != _LANGUAGE]
                language = language_of(texts, self._settings.memory.language)
                answers[_LANGUAGE] = constant(language)
            return OnboardingRow(stage_of(answers), answers), False
        if confirms(answer):
            self._keep(unit, answers)
            return OnboardingRow("done", answers), False
        change = read_change(answer)
        if change is None:
            return OnboardingRow("summary", answers), True
        return OnboardingRow(
            "summary", answers | {change[0]: guard.text(change[1], "answer", _LONGEST)}
        ), False

    def _keep(self, unit: Unit, answers: dict[str, SafeText]) -> None:
        now = self._clock.now()
        for candidate in candidates(answers, _language(answers)):
            operation = f"onboarding:{candidate.predicate}"
            self._reconciler.settle(unit, candidate, operation_id=operation, now=now)
        unit.journal.add_event(
            "onboarding",
            operation_id=constant("onboarding"),
            subject=self._reconciler.guard.name(self._space, "space"),
            payload={"answers": sum(map(bool, answers.values())) - 1},
            at=now,
        )

    def _next(self, row: OnboardingRow, *, unclear: bool = False) -> OnboardingState:
        if row.stage == "done":
            return OnboardingState("done")
        setting = self._settings.memory.language
        language = _language(row.answers, "en" if setting == "auto" else setting)
        question = next_question(row.answers)
        if question is not None:
            return OnboardingState(question.stage, question.texts[language], question.key)
        last = wording(language, "unclear" if unclear else "confirm")
        return OnboardingState("summary", f"{summary(row.answers, language)}\n\n{last}")


def _language(answers: object, default: Language = "en") -> Language:
    language = answers.get(_LANGUAGE) if isinstance(answers, dict) else None
    return language if isinstance(language, str) else default
