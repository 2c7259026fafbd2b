"""The head of a markdown note: the part of YAML that notes use.

Keys with a text, a quoted text or a list; what is nested deeper is passed over.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping

from mnemic.record.messages import UnreadableMessage

_FENCE = re.compile(r"---[ \t]*\r?\n")
_END = re.compile(r"^(?:---|\.\.\.)[ \t]*\r?(?:\n|\Z)", re.MULTILINE)
_FIELD = re.compile(r"(?P<key>[^\s:#][^:]*?)\s*:(?:\s+(?P<value>.*))?$")
_ITEM = re.compile(r"\s*-\s+(?P<value>.+)$")
_COMMENT = re.compile(r"\s+#.*$")

Fields = Mapping[str, str | list[str]]


def split_front_matter(text: str) -> tuple[Fields, str, int]:
    """The fields of a note, its body, and how many lines stand before that."""
    if not _FENCE.match(text):
        return {}, text, 0
    start = text.index("\n") + 1
    end = _END.search(text, start)
    if end is None:
        raise UnreadableMessage("its front matter has no end")
    return _fields(text[start : end.start()]), text[end.end() :], text.count("\n", 0, end.end())


def _fields(block: str) -> dict[str, str | list[str]]:
    fields: dict[str, str | list[str]] = {}
    key = ""
    for line in block.splitlines():
        item, found = _ITEM.match(line), _FIELD.match(line)
        if item is not None and key:
            listed = fields[key]
            if listed == "":
                listed = fields[key] = []
            if isinstance(listed, list):
                listed.append(_scalar(item["value"]))
        elif line[:1] in (" ", "\t", "#", "") or not line.strip():
            continue
        elif found is not None:
            key = _scalar(found["key"])
            fields[key] = _value((found["value"] or "").strip())
        else:
            raise UnreadableMessage(f"its front matter has a line {line[:60]!r} without a key")
    return fields


def _value(text: str) -> str | list[str]:
    if text.startswith("[") and text.endswith("]"):
        return [_scalar(part) for part in text[1:-1].split(",") if part.strip()]
    return _scalar(text)


def _scalar(text: str) -> str:
    text = text.strip()
    if len(text) > 1 and text[0] == text[-1] == '"':
        try:
            return str(json.loads(text))
        except ValueError:
            return text[1:-1]
    if len(text) > 1 and text[0] == text[-1] == "'":
        return text[1:-1].replace("''", "'")
    return _COMMENT.sub("", text)
