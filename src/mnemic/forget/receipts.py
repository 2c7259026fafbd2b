"""Receipts of removals: keyed hashes, kept by the user, checked against every file.

A receipt holds no text. A check hashes everything stored now with its key: texts and ids of
records, the terms of the index, and every word in any byte of any file.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

from mnemic.errors import InvalidInput
from mnemic.forget.plan import ForgetPlan
from mnemic.forget.traces import Hasher, tokens, words
from mnemic.patterns import defer
from mnemic.plain import plain
from mnemic.store.codec import as_name
from mnemic.store.contract import Store, Unit
from mnemic.store.rows import StoredTextKind
from mnemic.types import Finding, Json, Receipt, ToolCall, ToolResult, Turn

CHECKED: tuple[StoredTextKind, ...] = ("turn", "memory", "episode", "attachment", "daily event")
_MIN_WORDS = 2  # of a text; fewer are a name
_LONG = 5  # bytes; shorter words occur in random data
_BLOCK = 1 << 20
_LONGEST = 4_096  # bytes of one run of text that two blocks may share
# Control characters end a word; the other bytes may be part of a letter.
_READABLE = bytes(32 if byte < 32 or byte == 127 else byte for byte in range(256))
_ID = defer(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_WORD = defer(r"[^\W_]{5,}|[^\W_\x00-\x7f]{2,}")
_REMEDY = "Run `mnemic worker` to finish what was interrupted, or forget it again"


def marks_of(plan: ForgetPlan) -> tuple[str, ...]:
    """Hashes of the removed ids and whole texts."""
    hashed = Hasher(bytes.fromhex(plan.traces.key))
    by_kind = plan.removed.by_kind.items()
    ids = [id_ for kind, removed in by_kind if kind != "session" for id_ in removed]
    return tuple(sorted({*map(hashed, ids), *map(hashed, _whole(plan.texts))}))


def _whole(texts: Iterable[str]) -> set[str]:
    return {text for text in texts if len(tokens(text)) >= _MIN_WORDS}


def without_present(unit: Unit, receipt: Receipt, texts: Iterable[str]) -> Receipt:
    """The receipt without texts that other records still have."""
    stays = unit.eraser.still_there(_whole(texts))
    hashed = Hasher(bytes.fromhex(receipt.key))
    present = set(map(hashed, stays))
    return replace(receipt, marks=tuple(mark for mark in receipt.marks if mark not in present))


# --- as JSON -------------------------------------------------------------------------------------


def dump(receipt: Receipt) -> dict[str, Json]:
    values: dict[str, Json] = plain(receipt)
    return {name: value for name, value in values.items() if name not in ("items", "dry_run")}


def read(text: str) -> Receipt:
    try:
        return load(json.loads(text))
    except (ValueError, RecursionError) as error:
        raise _no_receipt() from error


def read_own(source: Receipt | str, space: str) -> Receipt:
    """A receipt from wherever, checked: that of another space would tell what is in it."""
    receipt = read(source) if isinstance(source, str) else load(dump(source))
    if receipt.space != space:
        raise InvalidInput(
            "The receipt is of another space", remedy="Check it in the space that it names"
        )
    return receipt


def load(value: Any) -> Receipt:
    try:
        counts = {str(name): int(number) for name, number in value["counts"].items()}
        key = str(value["key"])
        bytes.fromhex(key)
        at = datetime.fromisoformat(value["at"])
        if at.utcoffset() is None:
            raise ValueError(at)
        return Receipt(
            id=as_name(value["id"]),
            space=str(value["space"]),
            at=at,
            asked=str(value["asked"]),
            counts=counts,
            key=key,
            marks=tuple(map(str, value["marks"])),
            words=tuple(map(str, value["words"])),
        )
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise _no_receipt() from error


def _no_receipt() -> InvalidInput:
    return InvalidInput(
        "This is not a receipt of forgetting",
        remedy="Give the file that `mnemic forget --receipt FILE` wrote",
    )


# --- checking ------------------------------------------------------------------------------------


def check(store: Store, receipt: Receipt, files: Iterable[Path]) -> list[Finding]:
    """Check that nothing of it remains in the rows, the index or any file."""
    if not receipt.key:
        return [Finding("forgotten: rows", True, "nothing was forgotten")]
    hashed = Hasher(bytes.fromhex(receipt.key))
    removed = frozenset(receipt.words)
    with store.read(receipt.space) as unit:
        findings = [_rows(unit, receipt, hashed)]
        terms = [term for term in store.vocabulary(receipt.space) if hashed(term) in removed]
        stored_terms = unit.eraser.find_terms(terms)
        old = _old_words(unit, stored_terms, receipt.at)
    findings.append(
        _finding("forgotten: index", len(old), "word", f"{len(terms)} said again since")
    )
    # Names of the engine, and those of the fields in the lines of a transcript.
    fields = [name for kind in (Turn, ToolCall, ToolResult) for name in kind.__dataclass_fields__]
    engine_words = {word for name in (*store.names(receipt.space), *fields) for word in words(name)}
    excluded = {*terms, *engine_words}
    for file in files:
        if file.is_file():
            remaining = _count_words(file, hashed, removed, excluded)
            size = f"{file.stat().st_size:,} bytes read"
            findings.append(_finding(f"forgotten: {file.name}", remaining, "word", size))
    return findings


def _finding(check: str, count: int, what: str, well: str) -> Finding:
    if count:
        return Finding(
            check, False, f"{count} {what}{'s' if count > 1 else ''} still there", _REMEDY
        )
    return Finding(check, True, f"nothing of it; {well}")


def _rows(unit: Unit, receipt: Receipt, hashed: Hasher) -> Finding:
    marks = frozenset(receipt.marks)
    old = new = 0
    for record in unit.eraser.read_texts(CHECKED):
        if hashed(record.id) in marks or any(hashed(text) in marks for text in record.texts):
            new += record.at > receipt.at
            old += record.at <= receipt.at
    return _finding("forgotten: rows", old, "record", f"{new} said again since")


def _old_words(unit: Unit, terms: Collection[str], at: datetime) -> set[str]:
    """The words that a record from before the removal has."""
    if not terms:
        return set()
    old: set[str] = set()
    for record in unit.eraser.read_texts(CHECKED):
        if record.at <= at:
            old |= {word for text in record.texts for word in words(text) if word in terms}
    return old


def _count_words(
    file: Path, hashed: Hasher, removed: frozenset[str], excluded: Collection[str]
) -> int:
    """The number of removed words in the bytes of a file, free pages included."""
    seen: set[str] = set()
    matches: set[str] = set()
    for text in _blocks(file):
        fresh = set(_WORD.findall(_ID.sub(" ", text))) - seen
        seen |= fresh
        matches |= {
            word
            for word in words(" ".join(fresh))
            if len(word.encode()) >= _LONG and word not in excluded and hashed(word) in removed
        }
    return len(matches)


def _blocks(file: Path) -> Iterator[str]:
    """A file of any format as text blocks that overlap, so that no word is cut in two."""
    with file.open("rb") as opened:
        rest = b""
        while block := opened.read(_BLOCK):
            chunk = rest + block
            yield chunk.translate(_READABLE).decode("utf-8", "ignore")
            rest = chunk[-_LONGEST:]
