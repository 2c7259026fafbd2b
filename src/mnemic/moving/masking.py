"""Secrets on their way out of a memory: what the guard would take for one is masked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from mnemic.language.guard import bounds_of
from mnemic.language.secrets.finder import redact, redact_json
from mnemic.language.secrets.randomness import Bounds
from mnemic.settings import Settings


@dataclass(frozen=True, slots=True)
class SecretMask:
    """Masks what counts as a secret; without bounds everything passes as it is stored."""

    bounds: Bounds | None

    def text(self, text: str) -> str:
        """A text with a mark such as ``[secret:github_token]`` in the place of each secret."""
        return text if self.bounds is None else redact(text, self.bounds)

    def json(self, value: Mapping[str, Any]) -> Any:
        """JSON with its texts masked; the name of a field tells what a value of it is."""
        return dict(value) if self.bounds is None else redact_json(dict(value), self.bounds)


def mask_of(settings: Settings, *, secrets: bool) -> SecretMask:
    """The mask of an export; ``secrets`` lets them through, since a person asked for them."""
    return SecretMask(None if secrets else bounds_of(settings))
