"""Extraction without a model: what a person says of himself, by patterns, in Chinese and English.

High precision first. A message is read sentence by sentence. Questions, quotes, code, hypotheses,
jokes, other people's words and given texts are left alone (``sentences``, ``traps``); what is left
has to begin the way a statement begins (``english``, ``chinese``). Pure, and linear in the text.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from recollect.language.extract.dates import dated
from recollect.language.extract.found import SINGLE_VALUED
from recollect.rules.importance import ASKED_CONFIDENCE, KIND_IMPORTANCE, RULES_CONFIDENCE
from recollect.types import Candidate, Role, Trust

__all__ = ["SINGLE_VALUED", "Said", "extract"]


@dataclass(frozen=True, slots=True)
class Said:
    """An earlier message of the conversation."""

    role: Role
    text: str


def extract(
    text: str,
    *,
    said_at: datetime,
    role: Role = "user",
    trust: Trust = "owner",
    earlier: Sequence[Said] = (),
    source: str = "",
) -> tuple[Candidate, ...]:
    """The statements of one message; what is not said by the user holds none.

    ``earlier`` are the messages before this one, oldest first: a correction or a bare "upgraded to
    3.12" is resolved against them, and dropped where it cannot be.
    """
    if role != "user":
        return ()
    from recollect.language.extract.reading import read  # many patterns: loaded when first needed

    before = [said.text for said in earlier if said.role == "user"]
    return tuple(
        Candidate(
            kind=found.kind,
            content=dated(found, said_at),
            subject=found.subject,
            predicate=found.predicate,
            value=found.value,
            importance=KIND_IMPORTANCE[found.kind],
            confidence=ASKED_CONFIDENCE if found.asked else RULES_CONFIDENCE,
            duration=found.duration,
            is_update=found.is_update,
            withdraws=found.withdraws,
            asked=found.asked,
            trust=trust,
            sources=(source,) if source else (),
        )
        for found in read(text, before)
    )
