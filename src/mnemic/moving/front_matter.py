"""The head of a markdown note: the part of YAML that notes use.

Keys with a text, a quoted text or a list; anything else is passed over.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping

_BLOCK = re.compile(r"\A---[ \t]*\n(?P<fields>.*?\n)??(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.S)
_FIELD = re.compile(r"(?P<key>[^\s:#-][^:]*?)\s*:(?:\s+(?P<value>.*))?")
_ITEM = re.compile(r"\s*-\s+(?P<value>.+)")
_COMMENT = re.compile(r"\s+#.*$")

Fields = Mapping[str, str | list[str]]


def split_front_matter(text: str) -> tuple[Fields, str]:
    """The fields of a note by their names in lower case, and its body."""
    block = _BLOCK.match(text)
    if block is None:
        return {}, text
    fields: dict[str, str | list[str]] = {}
    key = ""
    for line in (block["fields"] or "").split("\n"):
        item, field = _ITEM.fullmatch(line), _FIELD.fullmatch(line)
        if item is not None:
            values = fields.get(key) or []
            if key and isinstance(values, list):
                fields[key] = [*values, _read_scalar(item["value"])]
        elif field is not None:
            key = _read_scalar(field["key"]).lower()
            fields[key] = _read_value((field["value"] or "").strip())
    return fields, text[block.end() :]


def _read_value(text: str) -> str | list[str]:
    if text.startswith("[") and text.endswith("]"):
        return [_read_scalar(entry) for entry in text[1:-1].split(",") if entry.strip()]
    return _read_scalar(text)


def _read_scalar(text: str) -> str:
    text = text.strip()
    if len(text) > 1 and text[0] == text[-1] == '"':
        try:
            return str(json.loads(text))
        except ValueError:
            return text[1:-1]
    if len(text) > 1 and text[0] == text[-1] == "'":
        return text[1:-1].replace("''", "'")
    return _COMMENT.sub("", text)
