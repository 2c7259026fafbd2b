"""The daily report: what upkeep did, as a dated file people can read."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from itertools import count
from pathlib import Path

from mnemic.documents import files
from mnemic.documents.files import fingerprint
from mnemic.language.markdown import harmless
from mnemic.language.secrets.finder import USUAL, redact
from mnemic.language.secrets.randomness import Bounds
from mnemic.prompts import words
from mnemic.space import Space
from mnemic.store import new_file
from mnemic.store.rows import DocumentRow, Written
from mnemic.types import DailyReport, constant, key_of

_LONGEST = 10_000_000  # bytes; a longer file is none of ours


def render(report: DailyReport, bounds: Bounds = USUAL) -> str:
    """The report as markdown."""
    texts = words("daily_report", report.language)
    parts = [f"# {texts['title']} {report.day:%Y-%m-%d}"]
    for title, told in report.sections:
        lines = [harmless(redact(line, bounds)).replace("\n", " ") for line in told]
        body = "\n".join(f"- {line}" for line in [*filter(None, lines)] or [texts["nothing"]])
        parts.append(f"## {harmless(title)}\n\n{body}")
    return "\n\n".join(parts) + "\n"


def write_report(space: Space, folder: Path, report: DailyReport, *, bounds: Bounds) -> Path:
    """The file of that day; one that a person changed stays, and a further one is written."""
    data, now = render(report, bounds).encode(), space.now()
    for number in count(1):
        suffix = "" if number == 1 else f"-{number}"
        path = folder / f"{report.day:%Y-%m-%d}{suffix}.md"
        name, new = key_of("report", constant(path.name)), Written(fingerprint(data), {})
        with space.write() as unit:
            row = unit.document_states.get(name) or DocumentRow(name)
            if not _is_ours(path, (row.written, row.writing, new)):
                continue
            unit.document_states.put(replace(row, writing=new), now)
        new_file.write(path, data)
        with space.write() as unit:
            unit.document_states.put(DocumentRow(name, new), now)
        return path
    raise AssertionError("numbers do not end")


def _is_ours(path: Path, states: Iterable[Written | None]) -> bool:
    try:
        data = files.read_bytes(path, _LONGEST)
    except files.UnreadableFile:
        return False
    return data is None or Written(fingerprint(data), {}) in states
