"""Banks by path: bank files, and published benchmarks in their own formats (bench/formats)."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import IO, Any

from bench.formats import FORMATS, Bank, Format, Item, Question
from bench.formats.base import MALFORMED
from bench.formats.beam import beam_folders, beam_records
from mnemic.errors import InvalidInput, NotFound

__all__ = ["Bank", "Item", "Question", "find_files", "read_banks"]

_CHUNK = 1 << 22  # characters read at once: a file of LongMemEval has gigabytes
_SPACE = " \t\r\n,"
# The place of a record in its document, the same for people, and the record.
_Placed = tuple[tuple[str, ...], str, Any]


def find_files(places: Iterable[Path]) -> list[Path]:
    """The files named, and those of the folders named; a folder of BEAM's chats counts as one."""
    found: list[Path] = []
    for place in places:
        if place.is_dir():
            inside = beam_folders(place) or _files_of(place)
            if not inside:
                raise NotFound(
                    f"{place} holds no data of a known format",
                    remedy="Name bank files, published files, or a folder of them",
                )
            found += inside
        elif place.is_file():
            found.append(place)
        else:
            raise NotFound(f"There is no {place}", remedy="Name data files, or a folder of them")
    return list(dict.fromkeys(found))


def read_banks(path: Path, limit: int | None = None) -> Iterator[Bank]:
    """The banks of a file, at most ``limit``."""
    return islice(_read(path), limit)


def _files_of(folder: Path) -> list[Path]:
    """Bank files; of other JSON, which may be anything, only what is of a known format."""
    files = [one for one in folder.iterdir() if one.suffix in (".jsonl", ".json")]
    return sorted(one for one in files if one.suffix == ".jsonl" or _is_known(one))


def _is_known(path: Path) -> bool:
    try:
        return any(_format_of(record) is not None for _, _, record in islice(_records(path), 1))
    except InvalidInput:
        return False


def _read(path: Path) -> Iterator[Bank]:
    chosen: Format | None = None
    for where, place, record in _records(path):
        chosen = chosen or _format_of(record)
        if chosen is None:
            names = ", ".join(one.name for one in FORMATS)
            raise InvalidInput(
                f"{place} of {path} is of no known format: {names}",
                remedy="A bank is " + FORMATS[0].record,
            )
        try:
            bank = chosen.bank(record, where)
        except MALFORMED as error:
            raise InvalidInput(
                f"{place} of {path} is not a record of {chosen.name}: {error}",
                remedy=f"It has to be {chosen.record}",
            ) from error
        if bank is not None:
            yield bank


def _format_of(record: Any) -> Format | None:
    if not isinstance(record, dict):
        return None
    return next((one for one in FORMATS if one.fits(record)), None)


def _records(path: Path) -> Iterator[_Placed]:
    """The records of a folder of chats, a list, lines, or lists by type and scenario."""
    try:
        if path.is_dir():
            yield from beam_records(path)
            return
        with path.open(encoding="utf-8-sig") as file:
            opening = file.read(1)
            while opening and opening in _SPACE:
                opening = file.read(1)
            if opening == "[":
                yield from _elements(path, file)
                return
        yield from _lines_or_lists(path)
    except (UnicodeDecodeError, OSError) as error:
        raise InvalidInput(f"{path} cannot be read: {error}", remedy="Name a JSON file") from error


def _elements(path: Path, file: IO[str]) -> Iterator[_Placed]:
    """The elements of one long list, one at a time."""
    decoder = json.JSONDecoder()
    buffer, at, number = file.read(_CHUNK), 0, 0
    while True:
        while at < len(buffer) and buffer[at] in _SPACE:
            at += 1
        if buffer[at : at + 1] == "]":
            return
        try:
            element, at = decoder.raw_decode(buffer, at)
        except ValueError as error:
            more = file.read(max(_CHUNK, len(buffer) - at))
            if not more:
                raise _not_json(path, f"Record {number}", error) from error
            buffer, at = buffer[at:] + more, 0
            continue
        yield (), f"Record {number}", element
        number += 1


def _lines_or_lists(path: Path) -> Iterator[_Placed]:
    with path.open(encoding="utf-8-sig") as lines:
        for number, line in enumerate(lines, 1):
            if not line.strip():
                continue
            try:
                record = json.loads(line)
            except ValueError as error:
                if number > 1:
                    raise _not_json(path, f"Line {number}", error) from error
                break  # an object over several lines
            if number == 1 and isinstance(record, dict) and _is_nested(record):
                break
            yield (), f"Line {number}", record
        else:
            return
    try:
        document = json.loads(path.read_text(encoding="utf-8-sig"))
    except ValueError as error:
        raise _not_json(path, "Line 1", error) from error
    yield from _nested(document, ())


def _is_nested(document: dict[str, Any]) -> bool:
    return _format_of(document) is None and all(isinstance(v, dict) for v in document.values())


def _nested(document: Any, path: tuple[str, ...]) -> Iterator[_Placed]:
    """The records of lists under keys, such as type and scenario."""
    if isinstance(document, list):
        for number, record in enumerate(document):
            yield path, f"Record {number} of {'/'.join(path)}", record
    elif isinstance(document, dict) and _format_of(document) is None and document:
        for key, value in document.items():
            yield from _nested(value, (*path, key))
    else:
        yield path, "/".join(path) or "The document", document


def _not_json(path: Path, place: str, error: ValueError) -> InvalidInput:
    return InvalidInput(f"{place} of {path} is not JSON: {error}", remedy="Name a JSON file")
