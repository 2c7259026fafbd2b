"""How a server wants to be asked, found out by asking.

Servers that speak one protocol differ in what they take. What one does not take it answers with
400, and is asked again without it; from then on it is asked that way.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from recollect.errors import ModelRefused

Form = Literal["schema", "object", "plain"]  # a promised schema, promised JSON, no promise
TokenField = Literal["max_tokens", "max_completion_tokens"]
_NOT_TAKEN = frozenset({400, 422})


@dataclass(frozen=True, slots=True)
class Manners:
    """The parts of a request besides the prompt; ``forms`` are the ways to JSON, best first."""

    model: str
    max_tokens: int
    temperature: float | None
    forms: tuple[Form, ...]
    token_field: TokenField = "max_tokens"
    forbid_thinking: bool = False

    @property
    def form(self) -> Form:
        return self.forms[0]


def humbler(manners: Manners, error: ModelRefused, *, for_json: bool) -> Manners | None:
    """Without what the server objects to; None where nothing is left to do without."""
    if error.status not in _NOT_TAKEN:
        return None
    said = error.message.lower()
    if "max_completion_tokens" in said and manners.token_field == "max_tokens":
        return replace(manners, token_field="max_completion_tokens")
    if "enable_thinking" in said and not manners.forbid_thinking:
        return replace(manners, forbid_thinking=True)
    if "temperature" in said and manners.temperature is not None:
        return replace(manners, temperature=None)
    if for_json and len(manners.forms) > 1:
        return replace(manners, forms=manners.forms[1:])
    return None
