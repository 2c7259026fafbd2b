"""One piece of work in a thread of its own, while whoever gave it prepares the next."""

from __future__ import annotations

from collections.abc import Callable
from threading import Thread
from typing import Generic, Self, TypeVar

R = TypeVar("R")


class BackgroundTask(Generic[R]):
    """Runs pieces in their order, at most one at a time; none is left running or unheard."""

    def __init__(self) -> None:
        self._running: _Piece[R] | None = None

    def start(self, work: Callable[[], R]) -> None:
        """Begin with a piece; the one before must have been taken."""
        self._running = piece = _Piece(work)
        try:
            piece.start()
        except RuntimeError:  # no thread can be started, as while the interpreter ends
            piece.run()

    def take(self) -> R | None:
        """Wait for the piece that runs and give what came of it; None when none runs."""
        piece = self._running
        if piece is None:
            return None
        if piece.ident is not None:
            piece.join()
        self._running = None
        if piece.error is not None:
            raise piece.error
        return piece.result

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        # What failed first is what the caller hears of.
        self.take()


class _Piece(Thread, Generic[R]):
    """A thread that keeps what came of it."""

    def __init__(self, work: Callable[[], R]) -> None:
        super().__init__(name="mnemic-behind")
        self._work = work
        self.result: R | None = None
        self.error: BaseException | None = None

    def run(self) -> None:
        try:
            self.result = self._work()
        except BaseException as error:  # noqa: BLE001 - raised again where it is waited for
            self.error = error
