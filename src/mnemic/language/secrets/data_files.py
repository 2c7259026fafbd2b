"""The data of this folder: patterns by their names, rows of formats, lists of words."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from mnemic.late import data_of
from mnemic.patterns import defer

_PART = defer(r"\{([a-z_]+)\}")


def read_rows(*names: str) -> Iterator[tuple[list[str], list[str]]]:
    """The columns of each row, with the parts that it names put in, and as they are written.

    A line that starts with @ names a part for the lines after it; one with # is a comment.
    """
    parts: dict[str, str] = {}
    for name in names:
        for line in _read(name).split("\n"):
            if line and not line.startswith("# "):
                expanded = _PART.sub(lambda match: parts[match[1]], line)
                columns = expanded.split("\t")
                if line.startswith("@"):
                    parts[columns[0][1:]] = columns[1]
                yield columns, line.split("\t")


@cache
def _load_patterns() -> dict[str, str]:
    return {columns[0][1:]: columns[1] for columns, _ in read_rows("patterns.tsv")}


@cache
def pattern(name: str) -> re.Pattern[str]:
    """A pattern of the grammar by its name."""
    return defer(_load_patterns()[name])


@cache
def load_words(name: str) -> frozenset[str]:
    """The words of one section."""
    section = _read("words.txt").partition(f"[{name}]\n")[2].partition("\n\n")[0]
    return frozenset(section.split())


@cache
def _read(name: str) -> str:
    return data_of("mnemic.language.secrets.data").joinpath(name).read_text("utf-8")
