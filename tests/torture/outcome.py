"""What every scenario hands back."""

from __future__ import annotations


class Outcome:
    """The base of the reports; each adds figures of its own."""

    __slots__ = ()

    losses: tuple[str, ...]
    errors: tuple[str, ...]

    @property
    def ok(self) -> bool:
        return not self.losses and not self.errors
