"""What a database says went wrong, as errors of ours: the first line of ``failures.tsv`` that fits.

SQLite's are told apart by the classes of an error, PostgreSQL's by how its code begins.
"""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

from mnemic import errors
from mnemic.late import data_of


class Failure(NamedTuple):
    """A failure by its signs: the error it is, with its message and remedy."""

    signs: tuple[str, ...]
    kind: type[errors.StoreError]
    message: str
    remedy: str


@cache
def failures_of(database: str) -> tuple[Failure, ...]:
    """The failures of "sqlite" or "postgres", in the order in which they are looked for."""
    lines = data_of("mnemic.store").joinpath("failures.tsv").read_text("utf-8").splitlines()
    rows = (line.split("\t") for line in lines if line.startswith(database))
    return tuple(
        Failure(tuple(s.split()), getattr(errors, kind), *texts) for _, s, kind, *texts in rows
    )
