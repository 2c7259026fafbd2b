"""mnemic upkeep daily, weekly, undo, rules, approve; mnemic sync"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypedDict, Unpack

import click

from mnemic.cli.base import Command, CommandGroup
from mnemic.cli.devices import ExchangeOptions, exchange, show_devices
from mnemic.cli.output import bold, dim, emit, indent_line, note, say, when
from mnemic.cli.params import whole_id
from mnemic.cli.phrases import count_things, language, phrase, sentence, term
from mnemic.cli.state import State, pass_state

if TYPE_CHECKING:
    from mnemic.engine.mind import DocumentReport, Question, Report


class _Folder(TypedDict):
    passphrase: bool
    add: str
    remove: str
    watch: bool
    every: float


_DRY = click.option(
    "--dry-run", is_flag=True, help="Change nothing; show what would change, and why."
)


@click.group(cls=CommandGroup)
def upkeep() -> None:
    """Do the daily or weekly work now.

    The worker does both by itself when they are due. An interrupted run goes on where it stopped.
    """


@upkeep.command()
@_DRY
@pass_state
def daily(state: State, *, dry_run: bool) -> None:
    """Finish extraction, merge duplicates, apply decay and expiry, write documents and a report."""
    _work(state, "daily", dry_run=dry_run)


@upkeep.command()
@_DRY
@pass_state
def weekly(state: State, *, dry_run: bool) -> None:
    """Merge within each partition and choose the core again."""
    _work(state, "weekly", dry_run=dry_run)


@upkeep.command()
@click.argument("operation")
@pass_state
def undo(state: State, operation: str) -> None:
    """Undo a step. OPERATION is named in the report of the run."""
    with state.open() as mind:
        undone = mind.undo_upkeep(operation)
    if state.json:
        emit(undone)
        return
    restored = count_things(len(undone.restored), "memory", "memories")
    say(phrase("{memories} restored.", memories=restored))
    if undone.left:
        left = len(undone.left)
        note(phrase("{n} have changed since and were left as they are.", n=left))


@upkeep.command()
@pass_state
def rules(state: State) -> None:
    """List the rules awaiting approval."""
    with state.open() as mind:
        waiting = mind.waiting_rules()
    if state.json:
        emit(waiting)
        return
    if not waiting:
        note(phrase("No rules are awaiting approval."))
    for event in waiting:
        say(f"{bold(str(event.payload.get('rule')))}  {dim(f'{event.id} · {when(event.at)}')}")


@upkeep.command()
@click.argument("event")
@pass_state
def approve(state: State, event: str) -> None:
    """Approve a rule. EVENT is its id in the list of rules."""
    with state.open() as mind:
        mind.approve_rule(event)
        mind.drain()
    if not state.json:
        say(phrase("The rule has run."))


def _work(state: State, work: Literal["daily", "weekly"], *, dry_run: bool) -> None:
    with state.open() as mind:
        report = mind.upkeep(work, dry_run=dry_run)
    if state.json:
        emit(report)
    else:
        _show(report)
    if not report.finished:
        raise SystemExit(1)


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
            reason = change.reason.texts[language()]
            say(dim(indent_line(reason, 4)))
        if step.changes and step.operation:
            undo = phrase("to undo: mnemic upkeep undo {operation}", operation=step.operation)
            say(dim(indent_line(undo, 2)))


@click.command(cls=Command)
@click.argument("folder", metavar="[FOLDER]", required=False)
@click.option("--passphrase", is_flag=True, help="Begin or join the group with a passphrase.")
@click.option("--add", metavar="KEY", default="", help="Let the device with this public key in.")
@click.option("--remove", metavar="DEVICE", default="", help="Take nothing more from a device.")
@click.option("--devices", is_flag=True, help="Show this device's public key and all devices.")
@click.option("--watch", is_flag=True, help="Go on until stopped.")
@click.option("--every", metavar="SECONDS", default=10.0, show_default=True,
              help="Pause between two exchanges.")  # fmt: skip
@click.option("--forget", "archived", multiple=True, metavar="ID", help="Yes: archive this memory.")
@click.option("--keep", "restored", multiple=True, metavar="ID", help="No: keep this memory.")
@pass_state
def sync(
    state: State, folder: str | None, archived: tuple[str, ...], restored: tuple[str, ...],
    *, devices: bool, **options: Unpack[_Folder],
) -> None:  # fmt: skip
    """Synchronize with other devices, or the documents with the memory.

    With a FOLDER that something carries between your devices (a stick, a synced directory), changes
    are exchanged through it, encrypted. The first device begins a group; another joins with the
    same passphrase, or after one of them was given its public key with --add.

    Without one, your changes to MEMORY.md and the others are imported, new memories are written
    there. A line that you removed becomes a question, answered with --forget or --keep.
    """
    if devices:
        with state.open() as mind:
            return show_devices(state, mind)
    if folder is not None:
        return exchange(state, folder, ExchangeOptions(**options))
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
