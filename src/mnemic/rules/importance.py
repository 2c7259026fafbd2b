"""Default importance of each kind of statement, and default confidences."""

from __future__ import annotations

from collections.abc import Mapping

from mnemic.types import Kind

# Document D §6.4 gives identity, decision, event and temp; the others were set between them by the
# harm it does to miss one: a rule or a credential costs more than a fact.
KIND_IMPORTANCE: Mapping[Kind, float] = {
    "identity": 1.0,
    "preference": 0.8,
    "rule": 0.9,
    "config": 0.8,
    "credential": 1.0,
    "fact": 0.5,
    "decision": 0.8,
    "skill": 0.7,
    "lesson": 0.7,
    "event": 0.5,
    "trait": 0.6,
    "temp": 0.2,
}
# Documents A §4.6, D §3.2 and E §3.3: what a model did not judge is neither important nor sure.
DEFAULT_IMPORTANCE = 0.5
DEFAULT_CONFIDENCE = 0.5
# A rule of language is seldom wrong about what was said, so its finds pass `routing.write`; what
# the user asked to be remembered is beyond doubt.
RULES_CONFIDENCE = 0.9
ASKED_CONFIDENCE = 1.0
DOUBTED_CONFIDENCE = 0.7  # of a rule that may be meant for one answer: a person is asked
# Who asks for a statement to be kept means it: above `routing.write`, below the owner.
PROPOSED_CONFIDENCE = 0.9
# Document E §11.2: from here on a write is announced as an important one.
IMPORTANT_FROM = 0.8
