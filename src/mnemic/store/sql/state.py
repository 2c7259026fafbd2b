"""What a space has little of: a scratchpad, identity cards, onboarding, the state of documents,
answers to requests, and what memory put into prompts.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from mnemic.errors import StoreDamaged
from mnemic.store import codec
from mnemic.store.rows import (
    CardRow,
    DocumentChoice,
    DocumentRow,
    EchoAbout,
    KeptReply,
    OnboardingRow,
    PadRow,
    Written,
)
from mnemic.store.sql.part import Fields, Part, read_statements
from mnemic.types import TRUSTS, SafeName, SafeText, Trust

_PAD = Fields(PadRow, "text updated_at:time", table="scratchpads")
_CARD = Fields(CardRow, "name source maker text", table="cards")
_ONBOARDING = Fields(OnboardingRow, "stage answers:texts", table="onboarding")
_CHOICE = Fields(DocumentChoice, "document memory choice at:time", table="document_choices")
_LIFE = timedelta(days=1)  # of a kept reply
_LONGEST = 256 << 10  # bytes of a reply
_LOOK = 64  # one of so many keys looks whether there are more


class SqlScratchpads(Part):
    """What the agent is working on: one text for a space."""

    def get(self) -> PadRow | None:
        return self._first(_PAD)

    def put(self, text: SafeText, at: datetime) -> None:
        self._put("scratchpads", {"text": text, "updated_at": at})


class SqlCards(Part):
    """The short cards made of identity sources."""

    statements = read_statements("sql/state")

    def all(self) -> dict[str, CardRow]:
        return {card.name: card for card in self._list(_CARD)}

    def put(self, card: CardRow, at: datetime) -> None:
        self._put("cards", {**_CARD.of(card), "made_at": at}, ("name",))

    def drop(self, name: str) -> None:
        self._run("drop_card", name=name)


class SqlOnboardings(Part):
    """The first talk about who the agent and the user are; there is one in a space."""

    def get(self) -> OnboardingRow | None:
        return self._first(_ONBOARDING)

    def put(self, row: OnboardingRow, at: datetime) -> None:
        self._put("onboarding", {"stage": row.stage, "answers": row.answers, "updated_at": at})


class SqlDocumentStates(Part):
    """What was written to the documents people read, and what they chose to see there."""

    statements = read_statements("sql/state")

    def get(self, name: str) -> DocumentRow | None:
        for written, writing, rolled in self._run("get_document_state", name=name).fetchall():
            return DocumentRow(codec.as_name(name), _load(written), _load(writing), rolled)
        return None

    def put(self, row: DocumentRow, at: datetime) -> None:
        state = {"written": _dump(row.written), "writing": _dump(row.writing)}
        mark = {"name": row.name, "rolled_through": row.rolled_through, "updated_at": at}
        self._put("documents", {**mark, **state}, ("name",))

    def choices(self) -> list[DocumentChoice]:
        return self._list(_CHOICE, "true ORDER BY at, document, memory")

    def choose(self, choice: DocumentChoice) -> None:
        self._put("document_choices", _CHOICE.of(choice), ("document", "memory"))

    def drop_choices(self, memory: str, document: str | None = None) -> None:
        self._run("drop_document_choices", memory=memory, document=document)


def _dump(state: Written | None) -> list[Any] | None:
    return None if state is None else [state.file, dict(state.bullets)]


def _load(text: str | None) -> Written | None:
    return None if text is None else Written(*codec.load(text))


class SqlReplies(Part):
    """Answers to requests under an Idempotency-Key, for a day."""

    statements = read_statements("sql/state")

    def find(self, key: bytes) -> KeptReply | None:
        for mark, status, body in self._run("find_reply", key=key):
            return bytes(mark), int(status), bytes(body)
        return None

    def keep(self, key: bytes, reply: KeptReply, at: datetime) -> None:
        """Remember an answer, unless it is very long; those that are old go."""
        mark, status, body = reply
        if len(body) > _LONGEST:
            return
        self._run("keep_reply", key=key, mark=mark, status=status, body=body, at=at)
        self._drop(codec.to_micros(at - _LIFE))
        if key[0] % _LOOK == 0:
            oldest = self._run("oldest_reply").get
            if oldest is not None:
                self._drop(int(oldest) + 1)

    def _drop(self, before: int) -> None:
        self._run("drop_replies", before=before)


_MARK = 8  # bytes


class SqlEchoes(Part):
    """The echo lines of one space on one connection."""

    statements = read_statements("sql/echoes")

    def note(
        self,
        session: SafeName,
        lines: Mapping[int, Sequence[int]],
        at: datetime,
        most: int,
        about: Mapping[int, EchoAbout] | None = None,
    ) -> None:
        """Remember lines by their marks; of each kind the oldest beyond ``most`` go."""
        usual, details = EchoAbout(), about or {}
        for line, marks in lines.items():
            trust, words, since = details.get(line, usual)
            self._run(
                "note",
                session=session,
                line=line,
                marks=_pack(marks),
                words=_pack(words),
                taint=TRUSTS.index(trust),
                since=since,
                at=at,
            )
        for condition in ("taint < 2", "taint >= 2"):
            self._run(self._sql("drop_oldest", chosen=condition), session=session, most=most)

    def marks(self, session: SafeName, since: datetime) -> dict[int, int]:
        """The marks of a session, and of what was said in none in particular."""
        rows = self._run("marks", session=session, since=since)
        first_shown: dict[int, int] = {}
        for packed, first in rows:
            first_shown.update(dict.fromkeys(_unpack(packed), first))
        return first_shown

    def list_untrusted(self, since: datetime) -> list[tuple[Trust, frozenset[int]]]:
        """The words of lines that tools and outsiders said, in any session."""
        rows = self._run("untrusted", since=since)
        return [(TRUSTS[taint], frozenset(_unpack(words))) for taint, words in rows]

    def drop_marked(self, marks: frozenset[int]) -> None:
        """Remove the lines that have one of these marks."""
        rows = self._run("every_line")
        for session, line, packed in rows.fetchall():
            if not marks.isdisjoint(_unpack(packed)):
                self._run("drop_line", session=session, line=line)

    def drop(self, before: datetime | None) -> None:
        """Remove what is older, or all of it."""
        self._run("drop", limit=(1 << 62) if before is None else before)


def _pack(marks: Sequence[int]) -> bytes:
    return struct.pack(f"<{len(marks)}q", *marks)


def _unpack(packed: bytes) -> tuple[int, ...]:
    if len(packed) % _MARK:
        raise StoreDamaged(
            "The echo marks in the database are damaged",
            remedy="Restore a backup; they are only needed for a day, so nothing else is lost",
        )
    return struct.unpack(f"<{len(packed) // _MARK}q", packed)
