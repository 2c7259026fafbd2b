"""Plain values as TOML."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any


def toml_value(value: Any) -> str:
    """A plain value in TOML; JSON's numbers, booleans, lists and escapes are also TOML's."""
    return json.dumps(value, ensure_ascii=False)


def toml_text(tree: Mapping[str, Any]) -> str:
    """A file of nested tables."""
    return "\n".join(_lines(tree, "")).strip() + "\n"


def _lines(tree: Mapping[str, Any], prefix: str) -> Iterator[str]:
    """Plain values first, then the tables below them, as TOML wants it."""
    for name, value in tree.items():
        if not isinstance(value, dict):
            yield f"{_key(name)} = {toml_value(value)}"
    for name, value in tree.items():
        if isinstance(value, dict) and value:
            path = prefix + _key(name)
            yield from ("", f"[{path}]", *_lines(value, f"{path}."))


def _key(name: str) -> str:
    bare = name.isascii() and name.replace("_", "").replace("-", "").isalnum()
    return name if bare else toml_value(name)
