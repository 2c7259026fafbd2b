"""How each benchmark asks and scores: what the model is shown, and what its answer is worth.

The first metric of a protocol is the one its publisher reports.
"""

from __future__ import annotations

import re
from typing import Protocol

from bench.banks import Question
from bench.qa import prompts
from bench.qa.model import CountedModel
from bench.qa.scoring import f1, f1_of_parts, order_score

_HAN = re.compile(r"[\u3400-\u9fff]")


class QaProtocol(Protocol):
    """One benchmark's way to ask and to score."""

    def prompt(self, question: Question, context: str) -> str: ...

    def score(self, question: Question, reply: str, judge: CountedModel) -> dict[str, float]: ...


class PlainQa:
    """Bank files of our own: an answer that a judge compares with the right one."""

    def prompt(self, question: Question, context: str) -> str:
        return prompts.ANSWER[_language(question)].format(
            context=context, question=question.query, at=question.at or "unknown"
        )

    def score(self, question: Question, reply: str, judge: CountedModel) -> dict[str, float]:
        return {"judge": float(_agrees(question, reply, judge))}


class LocomoQa:
    """F1 by category, as published, and the verdict of a judge, as others report it.

    Of an adversarial question the answer is chosen from two, and right is that it was not
    mentioned; a judge has nothing to add.
    """

    def prompt(self, question: Question, context: str) -> str:
        if question.choices:
            return prompts.LOCOMO_CHOICE.format(
                context=context, question=question.query, **question.choices
            )
        hint = prompts.LOCOMO_DATE if question.category == "temporal" else ""
        return prompts.LOCOMO_ANSWER.format(context=context, question=question.query + hint)

    def score(self, question: Question, reply: str, judge: CountedModel) -> dict[str, float]:
        if question.choices:
            chosen = _chosen(reply, question.choices).lower()
            silent = "not mentioned" in chosen or "no information available" in chosen
            return {"f1": float(silent)}
        answer = question.answer
        if question.category == "open-domain":
            answer = answer.split(";")[0].strip()
        measure = f1_of_parts if question.category == "multi-hop" else f1
        return {
            "f1": measure(reply, answer),
            "judge": float(_agrees(question, reply, judge)),
        }


class LongMemEvalQa:
    """A judge says yes or no, by a prompt for each type of question."""

    def prompt(self, question: Question, context: str) -> str:
        return prompts.LONGMEMEVAL_ANSWER.format(
            context=context, question=question.query, at=question.at
        )

    def score(self, question: Question, reply: str, judge: CountedModel) -> dict[str, float]:
        shown = prompts.longmemeval_judge(question.category, question.answerable)
        filled = shown.format(question=question.query, answer=question.answer, reply=reply)
        return {"accuracy": float(judge.agrees(filled))}


class BeamQa:
    """Each criterion of the rubric is judged 0, 0.5 or 1, and ``score`` is their mean; of the order
    of events it is Kendall's tau of the lines of the reply that name an event of the rubric.
    """

    def prompt(self, question: Question, context: str) -> str:
        return prompts.BEAM_ANSWER.format(context=context, question=question.query)

    def score(self, question: Question, reply: str, judge: CountedModel) -> dict[str, float]:
        grades = [
            judge.grade(
                prompts.BEAM_JUDGE.format(question=question.query, criterion=one, reply=reply)
            )
            for one in question.rubric
        ]
        rubric = sum(grades) / len(grades)
        if question.category != "event_ordering":
            return {"score": rubric, "rubric": rubric}
        lines = [line.strip() for line in reply.splitlines() if line.strip()]
        named = _aligned(question.rubric, lines, judge)
        return {"score": order_score(question.rubric, named), "rubric": rubric}


class MemDailyQa:
    """One of the choices; right is the letter alone."""

    def prompt(self, question: Question, context: str) -> str:
        choices = "\n".join(f"{label}: {text}" for label, text in (question.choices or {}).items())
        return prompts.MEMDAILY_ANSWER.format(
            context=context, question=question.query, choices=choices, at=question.at
        )

    def score(self, question: Question, reply: str, judge: CountedModel) -> dict[str, float]:
        return {"accuracy": float("".join(reply.split()) == question.right)}


PROTOCOLS: dict[str, QaProtocol] = {
    "bank": PlainQa(),
    "locomo": LocomoQa(),
    "longmemeval": LongMemEvalQa(),
    "beam": BeamQa(),
    "memdaily": MemDailyQa(),
}


def can_be_asked(question: Question) -> bool:
    """Whether there is something to hold an answer against."""
    return bool(question.answer or question.choices or question.rubric)


def _language(question: Question) -> str:
    return "zh" if _HAN.search(question.query) else "en"


def _agrees(question: Question, reply: str, judge: CountedModel) -> bool:
    shown = prompts.JUDGE[_language(question)]
    return judge.agrees(shown.format(question=question.query, answer=question.answer, reply=reply))


def _chosen(reply: str, choices: dict[str, str] | object) -> str:
    """The choice whose letter the reply is, alone or in brackets; else the reply itself."""
    letter = reply.strip().lower().removeprefix("(").removesuffix(")")
    return choices.get(letter, reply) if isinstance(choices, dict) else reply


def _aligned(events: tuple[str, ...], lines: list[str], judge: CountedModel) -> list[str]:
    """Every line as the first event, not taken yet, that it names; else as it is."""
    free = list(events)
    named: list[str] = []
    for line in lines:
        same = next(
            (one for one in free
             if judge.agrees(prompts.BEAM_SAME.format(first=one, second=line))), None,
        )  # fmt: skip
        named.append(same or line)
        if same is not None:
            free.remove(same)
    return named
