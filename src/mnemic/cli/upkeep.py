"""mnemic upkeep daily, weekly, undo, rules, approve; mnemic sync"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from mnemic.cli.base import command, command_group
from mnemic.cli.devices import exchange, show_devices
from mnemic.cli.output import answer, bold, dim, emit, indent_line, note, say, when
from mnemic.cli.params import whole_id
from mnemic.cli.phrases import count_things, language, phrase, sentence, term
from mnemic.cli.state import State

if TYPE_CHECKING:
    from mnemic.engine.mind import DocumentReport, Question, Report


@command_group("upkeep")
def upkeep(state: State) -> None:
    """Do the daily or weekly work now.

    The worker does both by itself when they are due. An interrupted run goes on where it stopped.
    """


@command("upkeep daily", upkeep)
def daily(state: State, *, dry_run: bool) -> int:
    """Finish extraction, merge duplicates, apply decay and expiry, write documents and a report."""
    return _work(state, "daily", dry_run=dry_run)


@command("upkeep weekly", upkeep)
def weekly(state: State, *, dry_run: bool) -> int:
    """Merge within each partition and choose the core again."""
    return _work(state, "weekly", dry_run=dry_run)


@command("upkeep undo", upkeep)
def undo(state: State, operation: str) -> None:
    """Undo a step. OPERATION is named in the report of the run."""
    with state.open() as mind:
        undone = mind.undo_upkeep(operation)
    restored = count_things(len(undone.restored), "memory", "memories")
    answer(undone, lambda: say(phrase("{memories} restored.", memories=restored)))
    if undone.left and not state.json:
        note(phrase("{n} have changed since and were left as they are.", n=len(undone.left)))


@command("upkeep rules", upkeep)
def rules(state: State) -> None:
    """List the rules awaiting approval."""
    with state.open() as mind:
        waiting = mind.waiting_rules()

    def show() -> None:
        for event in waiting:
            say(f"{bold(str(event.payload.get('rule')))}  {dim(f'{event.id} · {when(event.at)}')}")

    answer(waiting, show, nothing="No rules are awaiting approval.")


@command("upkeep approve", upkeep)
def approve(state: State, event: str) -> None:
    """Approve a rule. EVENT is its id in the list of rules."""
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


@command("sync")
def sync(
    state: State, folder: str | None, archived: tuple[str, ...], restored: tuple[str, ...],
    *, devices: bool, **options: Any,
) -> None:  # fmt: skip
    """Synchronize with other devices, or the documents with the memory.

    With a FOLDER that something carries between your devices (a stick, a synced directory), changes
    are exchanged through it, encrypted. The first device begins a group; another joins with the
    same passphrase, or after one of them was given its public key with --add.

    Without one, your changes to MEMORY.md and the others are imported, new memories are written
    there. A line that you removed becomes a question, answered with --forget or --keep.
    """
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
