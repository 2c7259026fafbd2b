"""The contract for what is known of the documents people read: fingerprints, and choices."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from mnemic.types import EMPTY, SafeName

Choice = Literal["pinned", "hidden", "asked"]


@dataclass(frozen=True, slots=True)
class Written:
    """What a document held: fingerprints of the file, and of each bullet by its memory's id."""

    file: str
    bullets: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class DocumentRow:
    """A document as it was left.

    ``writing`` is set while its file is being replaced: after a crash the file is one of the two.
    ``rolled_through`` is the id of the latest memory that went into an archive.
    """

    name: SafeName
    written: Written | None = None
    writing: Written | None = None
    rolled_through: SafeName = EMPTY


@dataclass(frozen=True, slots=True)
class DocumentChoice:
    """What a person decided about a memory in a document.

    Pinned: written or put there by hand. Hidden: taken out of this document only. Asked: taken out
    of all of them, and whether to forget it is an open question.
    """

    document: SafeName
    memory: SafeName
    choice: Choice
    at: datetime
