"""Bank files: one isolated memory a line, with its items and the questions about them.

``{"bank", "items": [{"id", "text", "timestamp", "speaker", "session"}],
"questions": [{"id", "query", "gold": [item ids], "category", "avoid": [out-of-date ids]}]}``
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from recollect.errors import InvalidInput, NotFound


@dataclass(frozen=True, slots=True)
class Item:
    """One message of a bank."""

    id: str
    text: str
    timestamp: str = ""
    speaker: str = ""
    session: str = ""


@dataclass(frozen=True, slots=True)
class Asked:
    """A question, the items that answer it, and those that are out of date."""

    id: str
    query: str
    gold: tuple[str, ...]
    category: str = ""
    avoid: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Bank:
    """One memory."""

    name: str
    items: tuple[Item, ...]
    questions: tuple[Asked, ...]


def find_files(places: Iterable[Path]) -> list[Path]:
    """The files named, and those of the folders named."""
    found: list[Path] = []
    for place in places:
        if place.is_dir():
            inside = sorted(place.glob("*.jsonl"))
            if not inside:
                raise NotFound(f"{place} holds no *.jsonl", remedy="Name a folder of bank files")
            found += inside
        elif place.is_file():
            found.append(place)
        else:
            raise NotFound(f"There is no {place}", remedy="Name bank files, or a folder of them")
    return list(dict.fromkeys(found))


def read_banks(path: Path, limit: int | None = None) -> Iterator[Bank]:
    """The banks of a file, at most ``limit``."""
    return islice(_read(path), limit)


def _read(path: Path) -> Iterator[Bank]:
    with path.open(encoding="utf-8") as lines:
        for number, line in enumerate(lines, 1):
            if not line.strip():
                continue
            try:
                yield _bank(json.loads(line))
            except (KeyError, TypeError, ValueError, AttributeError) as error:
                raise InvalidInput(
                    f"Line {number} of {path} is not a bank: {error!r}",
                    remedy="A bank is an object with bank, items and questions",
                ) from error


def _bank(told: Mapping[str, Any]) -> Bank:
    return Bank(
        name=str(told["bank"]),
        items=tuple(
            Item(
                id=str(item["id"]),
                text=item["text"],
                timestamp=item.get("timestamp") or "",
                speaker=item.get("speaker") or "",
                session=item.get("session") or "",
            )
            for item in told["items"]
        ),
        questions=tuple(
            Asked(
                id=str(question["id"]),
                query=question["query"],
                gold=tuple(map(str, question["gold"])),
                category=question.get("category") or "",
                avoid=tuple(map(str, question.get("avoid") or ())),
            )
            for question in told["questions"]
        ),
    )
