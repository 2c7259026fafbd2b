"""recollect recall"""

from __future__ import annotations

from datetime import datetime

import click

from recollect.cli.base import Command
from recollect.cli.output import bold, dim, emit, indented, note, say, when
from recollect.cli.params import moment
from recollect.cli.state import State, pass_state
from recollect.types import RECORD_TYPES, Hit, RecordType


@click.command(cls=Command)
@click.argument("query", nargs=-1, required=True)
@click.option("-k", default=10, show_default=True, metavar="N", help="How many at most.")
@click.option(
    "--of", type=click.Choice(RECORD_TYPES), multiple=True, help="Only these. [default: all]"
)
@click.option("--session", "-s", metavar="ID", help="Only from this conversation.")
@click.option("--project", metavar="NAME", help="Only from this project.")
@click.option("--since", type=moment, help="Nothing older: a date, or an age such as 7d.")
@click.option("--until", type=moment, help="Only from before this moment.")
@click.option("--as-of", type=moment, help="What was known at that moment.")
@click.option("--explain", is_flag=True, help="Show routes, parts of the score, terms, sources.")
@pass_state
def recall(
    state: State,
    *,
    query: tuple[str, ...],
    k: int,
    of: tuple[RecordType, ...],
    session: str | None,
    project: str | None,
    since: datetime | None,
    until: datetime | None,
    as_of: datetime | None,
    explain: bool,
) -> None:
    """Find evidence for a question.

    QUERY is a question or some words, in Chinese or English. The best evidence comes first.
    """
    with state.open() as mind:
        hits = mind.recall(
            " ".join(query),
            k=k,
            of=of or RECORD_TYPES,
            session=session,
            project=project,
            since=since,
            until=until,
            as_of=as_of,
        )
    if state.json:
        emit(hits)
        return
    if not hits:
        note("Nothing was found.")
    show_hits(hits, explain=explain)


def show_hits(hits: list[Hit], *, explain: bool = False, margin: int = 0) -> None:
    """Numbered hits: the text, then what it is and where it is from."""
    left = len(str(len(hits))) + 2 + margin
    for number, hit in enumerate(hits, 1):
        say(bold(f"{number:>{left - 2}}") + indented(hit.text, left)[left - 2 :])
        say(dim(indented(" · ".join(_about(hit)), left)))
        for name, reason in _reasons(hit) if explain else ():
            say(dim(" " * left + f"{name:<8}" + indented(reason, left + 8)[left + 8 :]))


def _about(hit: Hit) -> list[str]:
    speaker = f"{hit.role} {hit.sender}".strip() or hit.type
    place = f"{hit.session} #{hit.index}" if hit.index is not None else hit.session
    return [part for part in (f"{hit.score:.2f}", when(hit.at), speaker, place) if part]


def _reasons(hit: Hit) -> list[tuple[str, str]]:
    parts = ", ".join(f"{name} {part:.3f}" for name, part in hit.why.parts.items())
    sources = ", ".join(f"{source.session} #{source.index}" for source in hit.sources)
    told = (
        ("routes", ", ".join(hit.why.routes)),
        ("score", parts),
        ("terms", " ".join(hit.why.terms)),
        ("sources", sources),
        ("id", hit.id),
    )
    return [(name, value) for name, value in told if value]
