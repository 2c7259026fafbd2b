"""Statements that stand in files beside the code, by name."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

_NAME = "-- name: "


def read_statements(*files: str) -> Mapping[str, str]:
    """The statements of these files, given by their place under ``store/`` without the ending. Each
    follows a line with its name; other comments are left out.
    """
    folder, statements = Path(__file__).parents[1], dict[str, str]()
    for file in files:
        text = (folder / f"{file}.sql").read_text(encoding="utf-8")
        for part in text.split(_NAME)[1:]:
            name, *lines = part.splitlines()
            body = "\n".join(line for line in lines if not line.startswith("--"))
            statements[name] = body.strip()
    return statements
