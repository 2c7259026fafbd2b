"""recollect sync"""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from recollect.cli.base import Command
from recollect.cli.output import bold, dim, emit, indented, note, say
from recollect.cli.state import State, pass_state

if TYPE_CHECKING:
    from recollect.mind import DocumentReport, Question


@click.command(cls=Command)
@click.option("--forget", "gone", multiple=True, metavar="ID", help="Yes: archive this memory.")
@click.option("--keep", "kept", multiple=True, metavar="ID", help="No: keep this memory.")
@pass_state
def sync(state: State, gone: tuple[str, ...], kept: tuple[str, ...]) -> None:
    """Bring the documents and memory together.

    What you changed in MEMORY.md and the others is taken in, what was learnt is written there. A
    line that you took out becomes a question, answered with --forget or --keep.
    """
    with state.open() as mind:
        for id_ in gone:
            mind.archive(id_)
        for id_ in kept:
            mind.restore(id_)
        report = mind.sync()
        questions = mind.questions()
    if state.json:
        emit({"at": report.at, "documents": report.documents, "questions": questions})
        return
    for document in report.documents:
        _tell(document)
    for question in questions:
        _ask(question)
    if not report.documents:
        note("This preset keeps no documents; see documents.write.")


def _tell(document: DocumentReport) -> None:
    say(f"{bold(document.name)}  {document.state}  {dim(document.path)}")
    for change in document.taken:
        say(indented(f"{change.how}: {change.memory}", 2))
    for kept in document.kept:
        say(dim(indented(f"kept as you wrote it: {kept.text} ({kept.reason})", 2)))
    if document.left_out:
        say(dim(indented(f"no room for {len(document.left_out)}; they stay in the database", 2)))
    if document.problem:
        say(indented(document.problem, 2))


def _ask(question: Question) -> None:
    say(f"You took this out of {', '.join(question.documents)}: {question.memory.content}")
    say(dim(indented(f"recollect sync --forget {question.memory.id}", 2)))
    say(dim(indented(f"recollect sync --keep {question.memory.id}", 2)))
