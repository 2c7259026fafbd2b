"""A model's word on whether a statement is known, changes something, or is new."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from recollect.language.detection import language_of
from recollect.language.fence import fence
from recollect.language.secrets.finder import redact
from recollect.prompts import prompt
from recollect.providers.chat.base import ChatModel, Object, Schema, WrongShape
from recollect.settings import Settings
from recollect.types import Candidate, Decision, DecisionOutcome, Memory

PURPOSE = "reconcile"
VERDICTS: tuple[DecisionOutcome, ...] = ("same", "update", "new", "conflict")
_SCHEMA: Schema = {
    "type": "object",
    "properties": {
        "verdict": {"type": "string", "enum": list(VERDICTS)},
        "memory": {"type": "integer"},
    },
    "required": ["verdict", "memory"],
    "additionalProperties": False,
}


@dataclass(frozen=True, slots=True)
class ModelJudge:
    """Asks a model."""

    model: ChatModel
    settings: Settings

    def decide(self, candidate: Candidate, neighbours: Sequence[Memory]) -> Decision:
        existing = "\n".join(
            f"[{n}] ({memory.valid_from:%Y-%m-%d}) {redact(memory.content)}"
            for n, memory in enumerate(neighbours, 1)
        )
        language = language_of([candidate.content], self.settings.memory.language)
        answer = self.model.ask(
            f"{fence(redact(candidate.content), 'new')}\n\n{fence(existing, 'known')}",
            purpose=PURPOSE,
            schema=_SCHEMA,
            parse=lambda answer: _decision(answer, neighbours),
            system=prompt("judge", language),
        )
        return answer.value


def _decision(answer: Object, neighbours: Sequence[Memory]) -> Decision:
    verdict = next((one for one in VERDICTS if one == answer.get("verdict")), None)
    if verdict is None:
        raise WrongShape(f'"verdict" has to be one of {", ".join(VERDICTS)}')
    if verdict == "new":
        return Decision(verdict)
    number = answer.get("memory")
    if isinstance(number, bool) or not isinstance(number, int):
        raise WrongShape('"memory" has to be a number')
    if not 1 <= number <= len(neighbours):
        raise WrongShape(f'"memory" has to be from 1 to {len(neighbours)}')
    return Decision(verdict, neighbours[number - 1])
