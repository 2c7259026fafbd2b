"""mnemic forget"""

from __future__ import annotations

import re
import sys
from datetime import datetime
from functools import partial
from pathlib import Path

import click

from mnemic.cli.base import Command
from mnemic.cli.output import bold, dim, emit, indented, note, say
from mnemic.cli.params import moment
from mnemic.cli.phrases import counted, phrase, sentence, term
from mnemic.cli.state import State, pass_state
from mnemic.types import Forgotten, Receipt

_CHANGES = ("rewritten", "emptied", "renamed")
_SEVERAL = {"memory": "memories"}


@click.command(cls=Command)
@click.option("--id", metavar="ID", help="A turn, a memory with all its versions, a file …")
@click.option("--query", metavar="TEXT", help="Whatever has these words, in this order.")
@click.option("--session", metavar="ID", help="A whole conversation.")
@click.option(
    "--source", metavar="WHAT:NAME", help="session:ID, turn:ID, trust:TIER or sender:NAME."
)
@click.option("--since", type=moment, help="Only from then on.")
@click.option("--until", type=moment, help="Only before then.")
@click.option("--dry-run", is_flag=True, help="Only say what would go, and why.")
@click.option("--yes", "-y", is_flag=True, help="Do not ask first.")
@click.option("--receipt", type=click.Path(path_type=Path), help="Write the receipt to this file.")
@pass_state
def forget(
    state: State,
    *,
    id: str | None,
    query: str | None,
    session: str | None,
    source: str | None,
    since: datetime | None,
    until: datetime | None,
    dry_run: bool,
    yes: bool,
    receipt: Path | None,
) -> None:
    """Remove something for good, from every table, index, file and free page.

    What would go is shown first. The receipt holds hashes only, and proves that nothing is left:
    mnemic doctor --forgotten RECEIPT.
    """
    with state.open() as mind:
        ask = partial(
            mind.forget,
            id=id,
            query=query,
            session=session,
            source=source,
            since=since,
            until=until,
        )
        if dry_run or not yes:
            preview = ask(dry_run=True)
            if not state.json:
                _show(preview)
            elif dry_run:
                emit(preview, rows=preview.items)
            if dry_run:
                return
            if preview.items:
                _confirm()
        done = ask()
    if receipt is not None:
        _keep(done, receipt)
    if state.json:
        emit(done)
    elif any(done.counts.values()):
        say(phrase("Forgotten: {counts}.", counts=counts_of(done)))
        file = receipt or phrase("--receipt FILE with the next one")
        check = phrase("To check that nothing is left: mnemic doctor --forgotten {file}", file=file)
        say(dim(check))


def _show(preview: Receipt) -> None:
    if not preview.items:
        note(phrase("Nothing matches."))
        return
    for item in preview.items:
        what = phrase("{change} {kind}", change=term(item.change), kind=term(item.kind))
        say(f"{bold(what)}  {sentence(item.reason)}  {dim(item.id)}")
        if item.text:
            say(_marked(item))
    say(phrase("{counts} in all.", counts=counts_of(preview)))


def _marked(item: Forgotten) -> str:
    """The text with the words between «», bold where there is colour."""
    parts, at = [], 0
    for start, end in item.highlights:
        parts += [item.text[at:start], f"«{item.text[start:end]}»"]
        at = end
    line = indented("".join([*parts, item.text[at:]]), 4)
    return re.sub("«[^»]*»", lambda match: bold(match[0]), line)


def counts_of(receipt: Receipt) -> str:
    """How many of each kind are gone or changed."""
    return phrase(", ").join(_count(name, number) for name, number in receipt.counts.items())


def _count(name: str, number: int) -> str:
    """Such as "2 turns" or "1 memory rewritten"."""
    kind, _, change = name.rpartition(" ")
    if change not in _CHANGES:
        return counted(number, name, _SEVERAL.get(name, ""))
    counts = counted(number, kind, _SEVERAL.get(kind, ""))
    return phrase("{counts} {change}", counts=counts, change=term(change))


def _confirm() -> None:
    if not sys.stdin.isatty():
        raise click.UsageError("Nothing was removed: say --yes, or look with --dry-run.")
    click.confirm(phrase("Remove all of this for good?"), abort=True)


def _keep(receipt: Receipt, file: Path) -> None:
    import json

    from mnemic.plain import plain

    file.touch(mode=0o600)
    file.write_text(json.dumps(plain(receipt)), encoding="utf-8")
