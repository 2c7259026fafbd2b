"""Loading of chats into a mind: in batches, past refused messages, safe to repeat."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import islice

from recollect.errors import Conflict, InvalidInput
from recollect.mind import Mind
from recollect.moving.chats import Piece
from recollect.rules.speakers import least_trusted, speaker_mark, speaker_marks, trust_of
from recollect.types import NewTurn, Trust

_BATCH = 1_000
_TOPIC = 200


@dataclass(frozen=True, slots=True)
class Refused:
    """One message that was not recorded."""

    place: str
    reason: str


@dataclass(frozen=True, slots=True)
class Speakers:
    """The speakers of a file, as stated by the person who loads it.

    ``owners`` are the names of the owner in it, which makes every other user an outsider;
    ``sender`` is the name of users that the file leaves unnamed; nothing is trusted better than
    ``most``.
    """

    owners: tuple[str, ...] = ()
    sender: str = ""
    most: Trust = "owner"

    def named(self, turn: NewTurn) -> NewTurn:
        """The turn with its sender, and with the trust that this and the file leave it."""
        sender, trust = turn.sender, turn.trust
        if turn.role == "user":
            sender = sender or self.sender
            if self.owners and trust is None:
                named = speaker_mark(sender) in speaker_marks(self.owners)
                trust = "owner" if named else "external"
        if self.most != "owner":
            trust = least_trusted((trust or trust_of(turn.role), self.most))
        if (sender, trust) == (turn.sender, turn.trust):
            return turn
        return replace(turn, sender=sender, trust=trust)


@dataclass(slots=True)
class LoadProgress:
    """Counts so far; ``known`` turns were recorded before."""

    added: int = 0
    known: int = 0
    rejected: int = 0


class Loader:
    """Records messages in one mind; refused ones are reported and the rest goes on."""

    def __init__(
        self,
        mind: Mind,
        *,
        project: str = "",
        speakers: Speakers | None = None,
        refused: Callable[[Refused], None],
    ) -> None:
        self._mind = mind
        self._project = project
        self._speakers = speakers or Speakers()
        self._refused = refused
        self._opened: set[str] = set()
        self.loaded = LoadProgress()

    def load(self, pieces: Iterable[Piece]) -> Iterator[LoadProgress]:
        """Record everything; yields the counts after each batch, which is then durable."""
        source = iter(pieces)
        while batch := list(islice(source, _BATCH)):
            readable: list[tuple[Piece, NewTurn]] = []
            for piece in batch:
                if piece.turn is None:
                    self._refuse(piece, piece.reason)
                else:
                    readable.append((piece, self._speakers.named(piece.turn)))
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
        """Set project and topic of sessions, after their turns have set when they began."""
        for piece, turn in batch:
            # A title is optional: characters and length that cannot be stored are cut.
            topic = piece.topic[:_TOPIC].encode("utf-8", "replace").decode()
            if (self._project or topic) and turn.session not in self._opened:
                self._opened.add(turn.session)
                self._mind.session(turn.session, project=self._project, topic=topic)

    def _refuse(self, piece: Piece, reason: str) -> None:
        self.loaded.rejected += 1
        self._refused(Refused(piece.place, reason))
