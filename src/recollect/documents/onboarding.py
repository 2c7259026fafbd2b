"""Onboarding: asked once ever, an answer at a time; a crash in between loses no answer."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from recollect.clock import Clock
from recollect.documents import onboarding_rules as rules
from recollect.documents.onboarding_rules import Stage
from recollect.language.detection import Language, language_of
from recollect.learn.reconciler import Reconciler
from recollect.settings import Settings
from recollect.store.contract import Store, Unit
from recollect.store.upkeep import OnboardingRow
from recollect.types import SafeText, constant

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
        question = rules.next_question(answers)
        if question is not None:
            answers[question.key] = guard.text(rules.read_answer(answer), "answer", _LONGEST)
            if rules.next_question(answers) is None:
                # By all that was said: the first answer may have been one English name.
                texts = [text for key, text in answers.items() if key != _LANGUAGE]
                language = language_of(texts, self._settings.memory.language)
                answers[_LANGUAGE] = constant(language)
            return OnboardingRow(rules.stage_of(answers), answers), False
        if rules.confirms(answer):
            self._keep(unit, answers)
            return OnboardingRow("done", answers), False
        change = rules.read_change(answer)
        if change is None:
            return OnboardingRow("summary", answers), True
        return OnboardingRow(
            "summary", answers | {change[0]: guard.text(change[1], "answer", _LONGEST)}
        ), False

    def _keep(self, unit: Unit, answers: dict[str, SafeText]) -> None:
        now = self._clock.now()
        for candidate in rules.candidates(answers, _language(answers)):
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
        question = rules.next_question(row.answers)
        if question is not None:
            return OnboardingState(question.stage, question.texts[language], question.key)
        last = rules.wording(language, "unclear" if unclear else "confirm")
        return OnboardingState("summary", f"{rules.summary(row.answers, language)}\n\n{last}")


def _language(answers: object, default: Language = "en") -> Language:
    language = answers.get(_LANGUAGE) if isinstance(answers, dict) else None
    return "zh" if language == "zh" else "en" if language == "en" else default
