"""What the demo shows, one step after the other. The first line of a step is its title."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from recollect.cli.demo.day import (
    asked,
    changed_mind,
    first_words,
    poison_and_secret,
    tool_traffic,
)
from recollect.cli.demo.night import (
    figures,
    night,
    prompt,
    questions,
    sudden_death,
)
from recollect.cli.demo.stage import Stage

Step = Callable[[Stage], Mapping[str, Any]]

STEPS: tuple[Step, ...] = (
    first_words,
    tool_traffic,
    poison_and_secret,
    changed_mind,
    asked,
    sudden_death,
    night,
    questions,
    prompt,
    figures,
)
