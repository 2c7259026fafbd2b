"""mnemic rollback"""

from __future__ import annotations

import click

from mnemic.cli.base import Command
from mnemic.cli.confirmation import agreed
from mnemic.cli.memories import show_memories
from mnemic.cli.output import bold, emit, note, say
from mnemic.cli.phrases import counted, phrase
from mnemic.cli.state import State, pass_state
from mnemic.mind import Mind
from mnemic.types import RolledBack

_MAX_LISTED = 20  # memories of each sort in a preview


@click.command(cls=Command)
@click.option(
    "--source", required=True, metavar="SOURCE",
    help="session:ID, turn:ID, trust:TIER or sender:NAME.",
)  # fmt: skip
@click.option("--dry-run", is_flag=True, help="Only show what would change.")
@click.option("--yes", is_flag=True, help="Do it without asking.")
@pass_state
def rollback(state: State, source: str, dry_run: bool, yes: bool) -> None:
    """Undo everything that was learnt from one source.

    What came from it alone goes, what it replaced holds again, and what others said too stays
    without it. The turns themselves are kept. Shows what would change and asks first.
    """
    with state.open() as mind:
        report = mind.rollback(source, dry_run=True)
        changes = bool(report.removed or report.restored or report.revised)
        if not state.json:
            _preview(mind, report)
        if changes and not dry_run:
            if not yes:
                question = phrase("Undo what came from {source}?", source=source)
                agreed(state, question, "undo it, or --dry-run to look")
            report = mind.rollback(source)
    if state.json:
        emit(report)
    elif changes:
        note(
            phrase("Nothing was changed.")
            if dry_run
            else phrase("Done; mnemic events --type rollback has it.")
        )


def _preview(mind: Mind, report: RolledBack) -> None:
    sorts = (
        ("{memories} to go", report.removed),
        ("{memories} to hold again", report.restored),
        ("{memories} to stay on other sources", report.revised),
    )
    for title, ids in sorts:
        if ids:
            say(bold(phrase(title, memories=counted(len(ids), "memory", "memories"))))
            show_memories(
                (v for id_ in ids[:_MAX_LISTED] for v in mind.history(id_).versions if v.id == id_),
                margin=2,
                words=mind.settings.vocabulary,
            )
            if len(ids) > _MAX_LISTED:
                say("  " + phrase("and {n:,} more", n=len(ids) - _MAX_LISTED))
    if not any(ids for _, ids in sorts):
        note(phrase("Nothing was learnt from {source}.", source=report.source))
