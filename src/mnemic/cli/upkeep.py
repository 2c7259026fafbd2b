"""mnemic upkeep, sync, merge"""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, Any, Literal

import click

from mnemic.cli.output import answer, bold, dim, emit, indent_line, note, say, when
from mnemic.cli.params import whole_id
from mnemic.cli.phrases import count_things, language, phrase, sentence, term
from mnemic.cli.progress import bar
from mnemic.cli.state import State

if TYPE_CHECKING:
    from mnemic.engine.mind import DocumentReport, Mind, Question, Report
    from mnemic.sync.report import ExchangeReport, MergeReport


def daily(state: State, *, dry_run: bool) -> int:
    return _work(state, "daily", dry_run=dry_run)


def weekly(state: State, *, dry_run: bool) -> int:
    return _work(state, "weekly", dry_run=dry_run)


def undo(state: State, operation: str) -> None:
    with state.open() as mind:
        undone = mind.undo_upkeep(operation)
    restored = count_things(len(undone.restored), "memory")
    answer(undone, lambda: say(phrase("{memories} restored.", memories=restored)))
    if undone.left and not state.json:
        note(phrase("{n} have changed since and were left as they are.", n=len(undone.left)))


def rules(state: State) -> None:
    with state.open() as mind:
        waiting = mind.waiting_rules()

    def show() -> None:
        for event in waiting:
            say(f"{bold(str(event.payload.get('rule')))}  {dim(f'{event.id} · {when(event.at)}')}")

    answer(waiting, show, nothing="No rules are awaiting approval.")


def approve(state: State, event: str) -> None:
    with state.open() as mind:
        mind.approve_rule(event)
        mind.drain()
    if not state.json:
        say(phrase("The rule has run."))


def _work(state: State, work: Literal["daily", "weekly"], *, dry_run: bool) -> int:
    with state.open() as mind:
        report = mind.upkeep(work, dry_run=dry_run)
    answer(report, lambda: _show(report))
    return 0 if report.finished else 1


def _show(report: Report) -> None:
    for step in report.steps:
        counts = phrase(", ").join(
            f"{term(name)} {number}" for name, number in sorted(step.counts.items())
        )
        state = "" if step.state in ("done", "planned") else f" ({term(step.state)})"
        say(bold(term(step.name)) + dim(f"{state}  {counts or phrase('nothing')}"))
        if step.error:
            note(indent_line(sentence(step.error), 2))
        for change in step.changes:
            done = phrase("{name}: {value}", name=term(change.action), value=change.text)
            say(indent_line(done, 2))
            say(dim(indent_line(change.reason.texts[language()], 4)))
        if step.changes and step.operation:
            undo = phrase("to undo: mnemic upkeep undo {operation}", operation=step.operation)
            say(dim(indent_line(undo, 2)))


def sync(
    state: State, folder: str | None, archived: tuple[str, ...], restored: tuple[str, ...],
    *, devices: bool, **options: Any,
) -> None:  # fmt: skip
    if devices:
        with state.open(create=True) as mind:
            return show_devices(state, mind)
    if folder is not None:
        return exchange(state, folder, **options)
    with state.open() as mind:
        for id_ in archived:
            mind.archive(whole_id(mind, id_))
        for id_ in restored:
            mind.restore(whole_id(mind, id_))
        report = mind.sync()
        questions = mind.questions()
    if state.json:
        documents = report.documents
        emit({"at": report.at, "documents": documents, "questions": questions}, rows=documents)
        return
    for document in report.documents:
        _show_document(document)
    for question in questions:
        _ask(question)
    if not report.documents:
        note(phrase("This preset writes no documents; see the setting documents.write."))


def _show_document(document: DocumentReport) -> None:
    say(f"{bold(document.name)}  {term(document.state)}  {dim(document.path)}")
    for change in document.taken:
        say(indent_line(phrase("{name}: {value}", name=term(change.how), value=change.memory), 2))
    for line in document.kept:
        kept = phrase(
            "kept as you wrote it: {text} ({reason})", text=line.text, reason=sentence(line.reason)
        )
        say(dim(indent_line(kept, 2)))
    if document.left_out:
        over = phrase("{n} did not fit; they stay in the database", n=len(document.left_out))
        say(dim(indent_line(over, 2)))
    if document.problem:
        say(indent_line(sentence(document.problem), 2))


def _ask(question: Question) -> None:
    documents = ", ".join(question.documents)
    say(phrase("You removed this from {documents}: {text}",
               documents=documents, text=question.memory.text))  # fmt: skip
    say(dim(indent_line(f"mnemic sync --forget {question.memory.id}", 2)))
    say(dim(indent_line(f"mnemic sync --keep {question.memory.id}", 2)))


_PASSPHRASE = "MNEMIC_SYNC_PASSPHRASE"
# What people know of a memory; the rest of the tables belongs to these.
_THINGS = {
    "sessions": "session", "turns": "turn", "memories": "memory", "episodes": "episode",
    "attachments": "file",
}  # fmt: skip


def merge(state: State, other: str, *, mine: bool, preview: bool) -> None:
    with state.open() as mind:
        report = mind.merge(other, mine=mine, preview=preview)
    answer(report, lambda: _show_merged(report))


def exchange(
    state: State, folder: str, *, passphrase: bool, add: str, remove: str, watch: bool, every: float
) -> None:
    """Exchange with a folder once, or until stopped."""
    secret = os.environ.get(_PASSPHRASE, "")
    if passphrase and not secret:
        secret = str(click.prompt(phrase("Passphrase"), hide_input=True, err=True))
    with state.open(create=True) as mind:  # a new device has nothing yet
        while True:
            with bar(phrase("Exchanging")) as show:
                report = mind.sync_folder(
                    folder, passphrase=secret, add=add, remove=remove, progress=show
                )
            if not watch or report.read or report.written:
                answer(report, partial(_show_exchanged, report))
            if not watch:
                return
            add = remove = ""
            time.sleep(every)


def show_devices(state: State, mind: Mind) -> None:
    """The devices of a memory, and what was forgotten on them."""
    report = mind.devices()
    if state.json:
        emit(report, rows=report.devices)
        return
    say(phrase("Public key of this device: {key}", key=report.public_key))
    for device in report.devices:
        states = [phrase("this device")] if device.own else []
        states += [phrase("removed")] if device.removed else []
        line = f"{bold(device.name)}  {device.id}  {when(device.last_change)}"
        say("  ".join([line, *map(dim, states)]))
    for erasure in report.forgotten:
        confirmed, devices = len(erasure.confirmed), len(report.devices)
        done = phrase("{n} of {total} devices have erased it", n=confirmed, total=devices)
        say(f"{phrase('forgotten')}  {erasure.receipt}  {when(erasure.at)}  {dim(done)}")


def _show_merged(report: MergeReport) -> None:
    if report.preview:
        titles = phrase("would be added"), phrase("would change"), phrase("would be removed")
    else:
        titles = phrase("added"), phrase("changed"), phrase("removed")
    parts = zip(titles, (report.added, report.changed, report.removed), strict=True)
    lines = [(title, things) for title, counts in parts if (things := _count_all(counts))]
    for title, things in lines:
        say(phrase("{name}: {value}", name=title, value=things))
    if not lines:
        say(phrase("Nothing new."))
    if report.conflicts:
        waiting = count_things(len(report.conflicts), "contradiction")
        note(phrase("{waiting} for your answer: see mnemic pending", waiting=waiting))


def _count_all(counts: Mapping[str, int]) -> str:
    counted = [count_things(counts[table], name) for table, name in _THINGS.items()
               if counts.get(table)]  # fmt: skip
    return phrase(", ").join(counted)


def _show_exchanged(report: ExchangeReport) -> None:
    files = count_things(report.written, "file")
    say(phrase("{files} written, {n} read. Group {group}.",
               files=files, n=report.read, group=report.fingerprint))  # fmt: skip
    if report.forgotten:
        say(phrase("Erased here what was forgotten on another device."))
    if report.read and (not report.forgotten or report.merged.added or report.merged.changed):
        _show_merged(report.merged)
    for file in report.waiting:
        note(phrase("waits: {name}: {reason}", name=file.name, reason=sentence(file.reason)))
    for file in report.refused:
        note(phrase("refused: {name}: {reason}", name=file.name, reason=sentence(file.reason)))
