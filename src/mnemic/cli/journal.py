"""mnemic events, usage"""

from __future__ import annotations

from datetime import datetime

import click

from mnemic.cli.base import Command
from mnemic.cli.output import emit, note, table, when
from mnemic.cli.params import moment
from mnemic.cli.phrases import phrase
from mnemic.cli.state import State, pass_state
from mnemic.types import DailyEvent, Event


@click.command(cls=Command)
@click.option("--subject", metavar="ID", help="Only about this memory, or job:ID.")
@click.option("--type", "type_", metavar="NAME", help="Only this type, such as write or dead.")
@click.option("--daily", is_flag=True, help="The daily events: one line a stretch of conversation.")
@click.option("--day", type=click.DateTime(["%Y-%m-%d"]), help="The daily events of this day.")
@click.option("--text", metavar="WORDS", help="The daily events that have all of these words.")
@click.option("--limit", "-n", default=50, show_default=True, metavar="N")
@pass_state
def events(
    state: State,
    *,
    subject: str | None,
    type_: str | None,
    daily: bool,
    day: datetime | None,
    text: str | None,
    limit: int,
) -> None:
    """Show what changed and what failed, or the daily events; the latest first."""
    of_days = daily or day or text
    if of_days and (subject or type_):
        raise click.UsageError("--daily, --day and --text go without --subject and --type.")
    listed: list[Event] | list[DailyEvent]
    with state.open() as mind:
        if of_days:
            listed = mind.daily_events(day=day.date() if day else None, text=text, limit=limit)
        else:
            listed = mind.events(subject=subject, type=type_, limit=limit)
    if state.json:
        emit(listed)
        return
    if not listed:
        note(phrase("There are no events."))
    show_events(listed)


def show_events(events: list[Event] | list[DailyEvent]) -> None:
    head = ("day", "channel", "tokens", "what")
    days = [
        (event.day, event.channel, event.tokens, event.summary)
        for event in events
        if isinstance(event, DailyEvent)
    ]
    table(head, days, right="tokens")
    changes = [
        (when(event.at), event.type, event.subject, _details(event))
        for event in events
        if isinstance(event, Event)
    ]
    table(("at", "type", "subject", "details"), changes)


def _details(event: Event) -> str:
    return " ".join(f"{key}={value}" for key, value in event.payload.items() if value != "")


@click.command(cls=Command)
@click.option("--since", type=moment, help="Only from here on: a date, or an age such as 7d.")
@pass_state
def usage(state: State, since: datetime | None) -> None:
    """Show the tokens and cost of model calls, by purpose and model."""
    with state.open() as mind:
        totals = mind.usage(since=since)
    if state.json:
        emit(totals)
        return
    if not totals:
        note(phrase("No model was called."))
    table(
        ("calls", "in", "out", "cost", "purpose", "model"),
        [(f"{u.calls:,}", f"{u.input_tokens:,}", f"{u.output_tokens:,}",
          "" if u.cost is None else f"{u.cost:.4f}", u.purpose, u.model)
         for u in totals],
        right="calls in out cost",
    )  # fmt: skip
