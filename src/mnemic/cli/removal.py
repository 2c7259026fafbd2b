"""mnemic forget, rollback"""

from __future__ import annotations

import json
import re
import sys
from functools import partial
from pathlib import Path
from typing import Any

import click

from mnemic.cli.memories import show_memories
from mnemic.cli.output import add_margin, ask_first, bold, dim, emit, indent_line, note, say
from mnemic.cli.params import whole_id
from mnemic.cli.phrases import count_things, phrase, sentence, term
from mnemic.cli.state import State
from mnemic.engine.mind import Mind
from mnemic.plain import plain
from mnemic.types import Forgotten, Receipt, RolledBack

_CHANGES = ("rewritten", "emptied", "renamed")


def forget(
    state: State,
    /,
    *,
    everything: bool,
    dry_run: bool,
    yes: bool,
    receipt: Path | None,
    **what: Any,
) -> None:
    if everything and any(what.values()):
        raise click.UsageError("--all goes without anything else that says what to remove.")
    with state.open() as mind:
        if what["id"]:
            what["id"] = whole_id(mind, what["id"])
        remove = mind.forget_space if everything else partial(mind.forget, **what)
        if dry_run or not yes:
            preview = remove(dry_run=True)
            if not state.json:
                show_preview(preview)
            elif dry_run:
                emit(preview, rows=preview.items)
            if dry_run:
                return
            if preview.counts and not sys.stdin.isatty():
                raise click.UsageError(
                    "Nothing was removed: pass --yes, or preview with --dry-run."
                )
            if preview.counts:
                click.confirm(phrase("Remove all of this permanently?"), abort=True)
        done = remove()
    if receipt is not None:
        receipt.touch(mode=0o600)
        receipt.write_text(json.dumps(plain(done)), encoding="utf-8")
    if state.json:
        emit(done)
    elif any(done.counts.values()):
        say(phrase("Forgotten: {counts}.", counts=counts_of(done)))
        file = receipt or phrase("RECEIPT (next time, pass --receipt FILE)")
        check = phrase("To check that nothing is left: mnemic doctor --forgotten {file}", file=file)
        say(dim(check))
    elif yes:
        note(phrase("Nothing matches."))


def show_preview(preview: Receipt) -> None:
    if not preview.counts:
        note(phrase("Nothing matches."))
        return
    for item in preview.items:
        what = phrase("{change} {kind}", change=term(item.change), kind=term(item.kind))
        say(f"{bold(what)}  {sentence(item.reason)}  {dim(item.id)}")
        if item.text:
            say(_mark_words(item))
    say(phrase("{counts} in all.", counts=counts_of(preview)))


def _mark_words(item: Forgotten) -> str:
    """The text with the words between «», bold where there is color."""
    parts, at = [], 0
    for start, end in item.highlights:
        parts += [item.text[at:start], f"«{item.text[start:end]}»"]
        at = end
    line = indent_line("".join([*parts, item.text[at:]]), 4)
    return re.sub("«[^»]*»", lambda match: bold(match[0]), line)


def counts_of(receipt: Receipt) -> str:
    """How many of each kind are gone or changed."""
    return phrase(", ").join(_count(name, number) for name, number in receipt.counts.items())


def _count(name: str, number: int) -> str:
    """Such as "2 turns" or "1 memory rewritten"."""
    kind, _, change = name.rpartition(" ")
    if change not in _CHANGES:
        return count_things(number, name)
    counts = count_things(number, kind)
    return phrase("{counts} {change}", counts=counts, change=term(change))


_MAX_LISTED = 20  # memories of each sort in a preview


def rollback(state: State, source: str, dry_run: bool, yes: bool) -> None:
    with state.open() as mind:
        report = mind.rollback(source, dry_run=True)
        changes = bool(report.removed or report.restored or report.revised)
        if not state.json:
            _show_changes(mind, report)
        if changes and not dry_run:
            if not yes:
                question = phrase("Undo everything learned from {source}?", source=source)
                ask_first(state, question, "undo it, or --dry-run to look")
            report = mind.rollback(source)
    if state.json:
        emit(report)
    elif changes:
        done = "Done. For the record: mnemic events --type rollback"
        note(phrase("Nothing was changed." if dry_run else done))


def _show_changes(mind: Mind, report: RolledBack) -> None:
    sorts = (
        ("{memories} to be removed", report.removed),
        ("{memories} to be restored", report.restored),
        ("{memories} to stay, supported by other sources", report.revised),
    )
    for title, ids in sorts:
        if ids:
            say(bold(phrase(title, memories=count_things(len(ids), "memory"))))
            listed = [mind.get(id_) for id_ in ids[:_MAX_LISTED]]
            with add_margin(2):
                show_memories(listed, words=mind.settings.vocabulary)
                if len(ids) > _MAX_LISTED:
                    say(phrase("and {n:,} more", n=len(ids) - _MAX_LISTED))
    if not any(ids for _, ids in sorts):
        note(phrase("Nothing was learned from {source}.", source=report.source))
