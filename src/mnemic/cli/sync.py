"""mnemic sync"""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from mnemic.cli.base import Command
from mnemic.cli.output import bold, dim, emit, indented, note, say
from mnemic.cli.phrases import phrase, sentence, term
from mnemic.cli.state import State, pass_state

if TYPE_CHECKING:
    from mnemic.mind import DocumentReport, Question


@click.command(cls=Command)
@click.option("--forget", "archived", multiple=True, metavar="ID", help="Yes: archive this memory.")
@click.option("--keep", "restored", multiple=True, metavar="ID", help="No: keep this memory.")
@pass_state
def sync(state: State, archived: tuple[str, ...], restored: tuple[str, ...]) -> None:
    """Synchronise the documents with the memory.

    Your changes to MEMORY.md and the others are imported, new memories are written there. A
    line that you removed becomes a question, answered with --forget or --keep.
    """
    with state.open() as mind:
        for id_ in archived:
            mind.archive(id_)
        for id_ in restored:
            mind.restore(id_)
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
        note(phrase("This preset keeps no documents; see documents.write."))


def _show_document(document: DocumentReport) -> None:
    say(f"{bold(document.name)}  {term(document.state)}  {dim(document.path)}")
    for change in document.taken:
        say(indented(phrase("{name}: {value}", name=term(change.how), value=change.memory), 2))
    for line in document.kept:
        kept = phrase(
            "kept as you wrote it: {text} ({reason})", text=line.text, reason=sentence(line.reason)
        )
        say(dim(indented(kept, 2)))
    if document.left_out:
        over = phrase("{n} did not fit; they stay in the database", n=len(document.left_out))
        say(dim(indented(over, 2)))
    if document.problem:
        say(indented(sentence(document.problem), 2))


def _ask(question: Question) -> None:
    documents = ", ".join(question.documents)
    say(phrase("You removed this from {documents}: {text}",
               documents=documents, text=question.memory.content))  # fmt: skip
    say(dim(indented(f"mnemic sync --forget {question.memory.id}", 2)))
    say(dim(indented(f"mnemic sync --keep {question.memory.id}", 2)))
