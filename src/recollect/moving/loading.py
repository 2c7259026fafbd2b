"""Loading chats into a mind: in batches, around what is refused, and safe to repeat."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import islice

from recollect.errors import Conflict, InvalidInput
from recollect.mind import Mind
from recollect.moving.chats import Piece
from recollect.types import NewTurn

_BATCH = 1_000
_TOPIC = 200


@dataclass(frozen=True, slots=True)
class Refused:
    """One message that was not taken in."""

    place: str
    reason: str


@dataclass(slots=True)
class Loaded:
    """What happened so far."""

    added: int = 0
    known: int = 0
    rejected: int = 0


class Loader:
    """Takes pieces of chats into one mind; what is refused is reported and the rest goes on."""

    def __init__(
        self, mind: Mind, *, project: str = "", refused: Callable[[Refused], None]
    ) -> None:
        self._mind = mind
        self._project = project
        self._refused = refused
        self._opened: set[str] = set()
        self.loaded = Loaded()

    def load(self, pieces: Iterable[Piece]) -> Iterator[Loaded]:
        """Take everything in; gives the figures after each batch, which is then durable."""
        source = iter(pieces)
        while batch := list(islice(source, _BATCH)):
            readable: list[tuple[Piece, NewTurn]] = []
            for piece in batch:
                if piece.turn is None:
                    self._refuse(piece, piece.reason)
                else:
                    readable.append((piece, piece.turn))
            self._record(readable)
            yield self.loaded

    def _record(self, batch: list[tuple[Piece, NewTurn]]) -> None:
        """One transaction for all; where that is refused, halves, down to the one to blame."""
        if not batch:
            return
        try:
            recorded = self._mind.record_many(turn for _, turn in batch)
        except (InvalidInput, Conflict) as error:
            if len(batch) == 1:
                self._refuse(batch[0][0], error.message)
                return
            middle = len(batch) // 2
            self._record(batch[:middle])
            self._record(batch[middle:])
        else:
            self.loaded.added += recorded.added
            self.loaded.known += recorded.known
            self._describe(batch)

    def _describe(self, batch: list[tuple[Piece, NewTurn]]) -> None:
        """Give sessions their project and topic once their turns have told when they began."""
        for piece, turn in batch:
            # A title is a courtesy: what of it cannot be kept is cut off.
            topic = piece.topic[:_TOPIC].encode("utf-8", "replace").decode()
            if (self._project or topic) and turn.session not in self._opened:
                self._opened.add(turn.session)
                self._mind.session(turn.session, project=self._project, topic=topic)

    def _refuse(self, piece: Piece, reason: str) -> None:
        self.loaded.rejected += 1
        self._refused(Refused(piece.place, reason))
