"""mnemic merge; mnemic sync FOLDER"""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING

import click

from mnemic.cli.base import command
from mnemic.cli.output import answer, bold, dim, emit, note, say, when
from mnemic.cli.phrases import count_things, phrase, sentence
from mnemic.cli.progress import bar
from mnemic.cli.state import State

if TYPE_CHECKING:
    from mnemic.engine.mind import Mind
    from mnemic.sync.report import DevicesReport, ExchangeReport, MergeReport

_PASSPHRASE = "MNEMIC_SYNC_PASSPHRASE"
# What people know of a memory; the rest of the tables belongs to these.
_THINGS = {
    "sessions": ("session",),
    "turns": ("turn",),
    "memories": ("memory", "memories"),
    "episodes": ("episode",),
    "attachments": ("file",),
}


@command("merge")
def merge(state: State, other: str, *, mine: bool, preview: bool) -> None:
    """Merge another database into this one.

    Turns are united by their ids, sessions that went on in both are interleaved by time, versions
    of a fact follow each other, and real contradictions wait for you in `mnemic pending`. Merging
    again changes nothing. Without --mine what the owner of OTHER said counts as an outsider's word.
    """
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
    _show_devices(report)


def _show_devices(report: DevicesReport) -> None:
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
    counted = [count_things(counts[table], *names) for table, names in _THINGS.items()
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
