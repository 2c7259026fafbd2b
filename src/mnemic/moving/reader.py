"""The contract of a reader, and which one reads a source.

A package adds a reader by an entry point of the group ``mnemic.readers``, named as its format,
that gives an object meeting ``FormatReader``.
"""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from typing import Protocol, cast

from mnemic.errors import ConfigError, InvalidInput
from mnemic.moving.pieces import Piece
from mnemic.moving.source import ImportSource

GROUP = "mnemic.readers"
# Asked in this order; the last one takes any file.
OWN = (
    "coding_agents",
    "openakita",
    "chroma",
    "myclaw",
    "mem0",
    "langgraph_store",
    "graphiti",
    "letta",
    "basic_memory",
    "markdown",
    "csv_files",
    "memory_lists",
    "chats",
)


class FormatReader(Protocol):
    """Reads one family of formats. It never writes to its source."""

    @property
    def formats(self) -> tuple[str, ...]:
        """The names by which a person may ask for it; the first is the common one."""

    def recognizes(self, source: ImportSource) -> str:
        """The format of the source, or nothing. Only its head and its members may be read."""

    def read(self, source: ImportSource, format: str) -> Iterator[Piece]:
        """Every record, in an order that is always the same; what cannot be read is a piece with
        the reason. A source that cannot be read at all is an ``InvalidInput``.
        """


def readers() -> list[FormatReader]:
    """Every reader, in the order in which they are asked; those of other packages first."""
    added = [_load(point) for point in entry_points(group=GROUP)]
    return [*added, *(import_module(f"mnemic.moving.readers.{name}").READER for name in OWN)]


def _load(point: EntryPoint) -> FormatReader:
    try:
        return cast(FormatReader, point.load())
    except Exception as error:  # whatever the code of another package does
        raise ConfigError(
            f"The reader {point.name} cannot be loaded: {type(error).__name__}: {error}",
            remedy=f"Repair or uninstall the package that names {point.value} as a reader",
        ) from error


def formats() -> list[str]:
    return [name for reader in readers() for name in reader.formats]


def reader_of(source: ImportSource, format: str = "") -> tuple[FormatReader, str]:
    """Who reads a source, and as which format."""
    every = readers()
    if format:
        for reader in every:
            if format in reader.formats:
                return reader, format
        raise InvalidInput(f"No format {format}", remedy=f"Use one of {', '.join(formats())}")
    for reader in every:
        if format := reader.recognizes(source):
            return reader, format
    raise InvalidInput(
        f"Unknown format: {source.name or 'this'}",
        remedy=f"Name the format: one of {', '.join(formats())}",
    )
