"""Files an agent made, found in the arguments of its tool calls."""

from __future__ import annotations

import re
from collections.abc import Iterable

from recollect.types import ToolCall

_WRITES = re.compile(r"(^|[_.\-/])(write|create|save|export|generate|render|download|edit)", re.I)
_ABOUT_FILES = re.compile(r"file|image|picture|pdf|doc|report|chart|audio|video|csv|sheet", re.I)
_PATH_KEYS = frozenset(
    ("path", "file_path", "filepath", "filename", "file", "output", "output_path", "dest",
     "destination", "target_file", "save_path", "outfile")
)  # fmt: skip


def written_files(calls: Iterable[ToolCall]) -> list[str]:
    """The paths that file-writing calls name, each once, in order."""
    found: dict[str, None] = {}
    for call in calls:
        if not _WRITES.search(call.name):
            continue
        for key, value in call.input.items():
            if key.lower() in _PATH_KEYS and isinstance(value, str) and _is_path(value, call.name):
                found[value.strip()] = None
    return list(found)


def _is_path(value: str, tool: str) -> bool:
    text = value.strip()
    if not text or len(text) > 1024 or "\n" in text or "\x00" in text:
        return False
    return bool(_ABOUT_FILES.search(tool) or re.search(r"[\\/]|\.\w{1,8}$", text))


def file_name(path: str) -> str:
    """The last part of a Windows or POSIX path or of a URL."""
    return re.split(r"[\\/]", path.split("?", 1)[0].rstrip("\\/"))[-1]
