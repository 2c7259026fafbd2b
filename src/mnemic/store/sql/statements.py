"""Statements that stand in files beside the code, by name."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

_NAME = "-- name: "


def read_statements(file: str) -> Mapping[str, str]:
    """The statements of ``FILE.sql``. Each follows a line with its name; other comments are left
    out.
    """
    text = Path(__file__).with_name(f"{file}.sql").read_text(encoding="utf-8")
    statements: dict[str, str] = {}
    for part in text.split(_NAME)[1:]:
        name, *lines = part.splitlines()
        statements[name] = "\n".join(line for line in lines if not line.startswith("--")).strip()
    return statements
