"""Receipts of forgetting: made of keyed hashes, kept by whoever asked, checked against every file.

A receipt holds no text. To check it, everything that is there now is hashed with its key: texts and
ids of records, the terms of the index, and every word that stands in any byte of any file.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from datetime import datetime
from pathlib import Path

from recollect.errors import InvalidInput
from recollect.forget.plan import ForgetPlan
from recollect.forget.traces import Hasher, tokens, words
from recollect.plain import plain
from recollect.store.codec import stored_name
from recollect.store.contract import Store, Unit
from recollect.store.erasure import StoredTextKind
from recollect.types import Finding, Json, Receipt, ToolCall, ToolResult, Turn

_CHECKED: tuple[StoredTextKind, ...] = ("turn", "memory", "episode", "attachment", "daily event")
_TELLING = 2  # words of a text that is more than a name
_LONG = 5  # bytes of a word that does not turn up in random ones
_BLOCK = 1 << 20
_LONGEST = 4_096  # bytes of one run of text that two blocks may share
# Control characters end a word; the other bytes may be part of a letter.
_READABLE = bytes(32 if byte < 32 or byte == 127 else byte for byte in range(256))
_ID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_SAID = re.compile(r"[^\W_]{5,}|[^\W_\x00-\x7f]{2,}")
_REMEDY = "Run `recollect worker` to finish what was interrupted, or forget it again"


def marks_of(plan: ForgetPlan) -> tuple[str, ...]:
    """Hashes of the ids and the whole texts that go."""
    hashed = Hasher(bytes.fromhex(plan.traces.key))
    gone = plan.removal
    ids = (*gone.turns, *gone.memories, *gone.episodes, *gone.attachments, *gone.daily_events)
    return tuple(sorted({*map(hashed, ids), *map(hashed, _whole(plan.texts))}))


def _whole(texts: Iterable[str]) -> set[str]:
    return {text for text in texts if len(tokens(text)) >= _TELLING}


def without_present(unit: Unit, receipt: Receipt, texts: Iterable[str]) -> Receipt:
    """The receipt without texts that were said elsewhere too, and stay there."""
    stays = unit.eraser.still_there(_whole(texts))
    hashed = Hasher(bytes.fromhex(receipt.key))
    kept = set(map(hashed, stays))
    return replace(receipt, marks=tuple(mark for mark in receipt.marks if mark not in kept))


# --- as JSON -------------------------------------------------------------------------------------


def dump(receipt: Receipt) -> dict[str, Json]:
    told: dict[str, Json] = plain(receipt)
    return {name: value for name, value in told.items() if name not in ("items", "dry_run")}


def read(text: str) -> Receipt:
    """A receipt from its JSON."""
    try:
        return load(json.loads(text))
    except (ValueError, RecursionError) as error:
        raise _no_receipt() from error


def load(told: object) -> Receipt:
    """A receipt that was read from JSON."""
    try:
        if not isinstance(told, Mapping):
            raise TypeError(told)
        counts = {str(name): int(number) for name, number in told["counts"].items()}
        key = str(told["key"])
        bytes.fromhex(key)
        return Receipt(
            id=stored_name(told["id"]),
            space=str(told["space"]),
            at=datetime.fromisoformat(told["at"]),
            asked=str(told["asked"]),
            counts=counts,
            key=key,
            marks=tuple(map(str, told["marks"])),
            words=tuple(map(str, told["words"])),
        )
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise _no_receipt() from error


def _no_receipt() -> InvalidInput:
    return InvalidInput(
        "This is no receipt of forgetting",
        remedy="Give the file that `recollect forget --receipt FILE` wrote",
    )


# --- checking ------------------------------------------------------------------------------------


def check(store: Store, receipt: Receipt, files: Iterable[Path]) -> list[Finding]:
    """Whether anything of it is there any more: in the rows, in the index, in any file."""
    if not receipt.key:
        return [Finding("forgotten: rows", True, "nothing was forgotten")]
    hashed = Hasher(bytes.fromhex(receipt.key))
    gone = frozenset(receipt.words)
    with store.read(receipt.space) as unit:
        findings = [_rows(unit, receipt, hashed)]
        terms = [term for term in store.vocabulary() if hashed(term) in gone]
        held = unit.eraser.held_terms(terms)
        old = _old_words(unit, held, receipt.at)
    findings.append(_told("forgotten: index", len(old), "word", f"{len(terms)} said again since"))
    excused = {word for name in (*store.names(), *_field_names()) for word in words(name)}
    known = {*terms, *excused}
    for file in files:
        if file.is_file():
            left = _left(file, hashed, gone, known)
            size = f"{file.stat().st_size:,} bytes read"
            findings.append(_told(f"forgotten: {file.name}", left, "word", size))
    return findings


def _told(check: str, left: int, what: str, well: str) -> Finding:
    if left:
        return Finding(check, False, f"{left} {what}{'s' if left > 1 else ''} still there", _REMEDY)
    return Finding(check, True, f"nothing of it; {well}")


def _rows(unit: Unit, receipt: Receipt, hashed: Hasher) -> Finding:
    gone = frozenset(receipt.marks)
    left = again = 0
    for held in unit.eraser.stored_texts(_CHECKED):
        if hashed(held.id) in gone or any(hashed(text) in gone for text in held.texts):
            if held.at > receipt.at:
                again += 1
            else:
                left += 1
    return _told("forgotten: rows", left, "record", f"{again} said again since")


def _old_words(unit: Unit, terms: Collection[str], at: datetime) -> set[str]:
    """Those of the words that a record from before has."""
    if not terms:
        return set()
    old: set[str] = set()
    for held in unit.eraser.stored_texts(_CHECKED):
        if held.at <= at:
            old |= {word for text in held.texts for word in words(text) if word in terms}
    return old


def _left(file: Path, hashed: Hasher, gone: frozenset[str], known: Collection[str]) -> int:
    """How many of the words stand in the bytes of a file, used or not."""
    seen: set[str] = set()
    found: set[str] = set()
    for text in _blocks(file):
        fresh = set(_SAID.findall(_ID.sub(" ", text))) - seen
        seen |= fresh
        found |= {
            word
            for word in words(" ".join(fresh))
            if len(word.encode()) >= _LONG and word not in known and hashed(word) in gone
        }
    return len(found)


def _blocks(file: Path) -> Iterator[str]:
    """A file as text, whatever it holds; what stands at the edge of a block is in both."""
    with file.open("rb") as opened:
        rest = b""
        while block := opened.read(_BLOCK):
            whole = rest + block
            yield whole.translate(_READABLE).decode("utf-8", "ignore")
            rest = whole[-_LONGEST:]


def _field_names() -> list[str]:
    """Words of the lines of a transcript that are not the user's."""
    return [name for kind in (Turn, ToolCall, ToolResult) for name in kind.__dataclass_fields__]
