"""mnemic import, watch"""

from __future__ import annotations

import sys
import time
from pathlib import Path

import click

from mnemic.cli.jobs import Stopping
from mnemic.cli.output import answer, emit, flat, note, say
from mnemic.cli.phrases import count_things, phrase, sentence, term
from mnemic.cli.progress import bar, resumable
from mnemic.cli.state import State
from mnemic.moving.archive import count_rows, import_jsonl, read_header
from mnemic.moving.importer import Importer, ImportProgress, Reading, Refused, Speakers
from mnemic.moving.reader import reader_of
from mnemic.moving.source import ImportSource
from mnemic.moving.watch import Taken, TranscriptWatcher, present_places
from mnemic.plain import plain
from mnemic.types import Trust

_ARCHIVE = "mnemic"
_MAX_LISTED = 20  # refused records; the rest are only counted


def import_source(
    state: State,
    *,
    source: str,
    format_: str,
    preview: bool,
    session: str | None,
    project: str,
    owners: tuple[str, ...],
    sender: str,
    trust: Trust | None,
) -> int:
    refused: list[Refused] = []

    def refuse(record: Refused) -> None:
        if len(refused) < _MAX_LISTED:
            refused.append(record)
            if not state.json:
                note(f"{record.place}: {flat(sentence(record.reason))}")

    started = time.monotonic()
    given = _source(source, session)
    if not format_ and read_header(given.head.partition(b"\n")[0]) is not None:
        return _import_archive(state, given, trust, preview=preview)
    speakers = Speakers(owners, sender, trust or "owner")
    reader, format_ = reader_of(given, format_)
    reading = Reading(format_, project=project, speakers=speakers, refused=refuse)
    pieces = reading.pieces(given, reader)
    waiting = 0
    with bar(phrase("Importing"), percent=True) as report:
        if preview:
            for _ in reading.batches(pieces):
                report(given.done, given.total, _counts(reading.progress))
        else:
            stopping = resumable(lambda: phrase(
                "{n:,} added so far are kept; the same command goes on from there.",
                n=reading.progress.added,
            ))  # fmt: skip
            with state.open(create=True) as mind, stopping:
                for done in Importer(mind, reading).run(pieces):
                    report(given.done, given.total, _counts(done))
                states = mind.stats().turn_states
                waiting = 0 if state.json else states["new"] + states["failed"]
    _summary(state, reading.progress, refused, time.monotonic() - started, preview=preview)
    if waiting:
        turns = count_things(waiting, "turn waits", "turns wait")
        note(phrase("Learning comes next: {turns} to be read. To do it now: mnemic worker --once",
                    turns=turns))  # fmt: skip
    return 1 if reading.progress.rejected else 0


def _import_archive(
    state: State, source: ImportSource, trust: Trust | None, *, preview: bool
) -> int:
    """What mnemic export wrote; all of it, as it was."""
    if preview:
        with source.open() as stream:
            rows = count_rows(stream)
        counts = phrase(", ").join(f"{n:,} {term(table)}" for table, n in rows.items() if n)
        line = phrase("{format}: {counts}. Nothing was written.",
                      format=_ARCHIVE, counts=counts or phrase("nothing"))  # fmt: skip
        answer({"format": _ARCHIVE, "read": rows}, lambda: say(line))
        return 0
    with (
        bar(phrase("Importing"), percent=True) as report,
        state.open(create=True) as mind,
        source.open() as stream,
    ):
        done = import_jsonl(
            mind,
            stream,
            trust=trust,
            progress=lambda rows, _: report(source.done, source.total, count_things(rows, "row")),
        )
    if state.json:
        emit({"format": _ARCHIVE, **plain(done)})
    else:
        for problem in done.problems[:_MAX_LISTED]:
            note(f"{problem.place}: {flat(sentence(problem.reason))}")
        say(phrase(", ").join(filter(None, (
            phrase("{rows} added", rows=count_things(sum(done.added.values()), "row")),
            phrase("{n:,} known", n=sum(done.known.values())),
            phrase("{n:,} masked", n=done.masked) if done.masked else "",
            _waiting(done.pending),
            phrase("{n:,} rejected", n=done.rejected),
        ))))  # fmt: skip
    return 0 if done.complete and not done.rejected else 1


def _source(place: str, session: str | None) -> ImportSource:
    if place == "-":
        return ImportSource(None, sys.stdin.buffer, session=session or "")
    return ImportSource.of(place, session=Path(place).stem if session is None else session)


def _counts(done: ImportProgress) -> str:
    return phrase(", ").join(count_things(count, kind) for kind, count in done.kinds.items())


def _waiting(count: int) -> str:
    return phrase("{n:,} awaiting your confirmation (mnemic pending)", n=count) if count else ""


def _summary(
    state: State, done: ImportProgress, refused: list[Refused], seconds: float, *, preview: bool
) -> None:
    pace = done.kinds.total() / seconds if seconds > 0 else 0.0
    if state.json:
        counted = {"format": done.format, "read": dict(done.kinds)}
        names = ("first", "last", "added", "known", "dropped", "pending", "rejected")
        counted |= {name: getattr(done, name) for name in names}
        speed = {"seconds": round(seconds, 3), "records_per_second": round(pace, 1)}
        emit({**counted, **speed, "problems": refused})
        return
    if done.rejected > len(refused):
        note(phrase("… and {n:,} more", n=done.rejected - len(refused)))
    counts = _counts(done) or phrase("nothing")
    if preview:
        span = done.first and phrase(
            ", from {first:%Y-%m-%d} to {last:%Y-%m-%d}", first=done.first, last=done.last
        )
        say(phrase("{format}: {counts}{span}; {n:,} cannot be read. Nothing was written.",
                   format=done.format, counts=counts, span=span or "",
                   n=done.rejected))  # fmt: skip
        return
    results = phrase(", ").join(filter(None, (
        phrase("{n:,} added", n=done.added),
        phrase("{n:,} known", n=done.known),
        _waiting(done.pending),
        phrase("{n:,} with nothing to keep", n=done.dropped) if done.dropped else "",
        phrase("{n:,} rejected", n=done.rejected),
    )))  # fmt: skip
    say(phrase("{counts}: {results}; {seconds:.1f} s, {pace:,.0f}/s",
               counts=counts, results=results, seconds=seconds, pace=pace))  # fmt: skip


def watch(state: State, place: tuple[Path, ...], once: bool, every: float) -> None:
    places = [path.expanduser() for path in place] or present_places(Path.home())
    missing = [path for path in places if not path.exists()]
    if missing:
        raise click.UsageError(f"{missing[0]} does not exist. Name a file or a folder.")
    if not places:
        raise click.UsageError(
            "No transcripts of Claude Code, Codex or Cursor were found. Name a file or a folder."
        )

    def refuse(record: Refused) -> None:
        note(f"{record.place}: {flat(sentence(record.reason))}")

    added = 0
    with state.open(create=True, worker="none" if once else "thread") as mind, Stopping() as stop:
        watcher = TranscriptWatcher(mind, places, refuse)
        if not once and not state.json:
            note(phrase("Watching {places}. Ctrl-C stops.", places=", ".join(map(str, places))))
        while not stop.requested:
            for taken in watcher.look(lambda: stop.requested):
                added += taken.added
                _show(taken)
            if once:
                break
            stop.wait(every)
    turns = count_things(added, "turn")
    if not state.json:
        note(phrase("{turns} taken in. To learn from them now: mnemic worker --once", turns=turns)
             if once else phrase("Stopped: {turns} taken in; mnemic watch goes on from there.",
                                 turns=turns))  # fmt: skip


def _show(taken: Taken) -> None:
    turns = count_things(taken.added, "turn")
    line = phrase("{format}: {turns} from {name}", format=taken.format, turns=turns,
                  name=taken.path.name)  # fmt: skip
    answer(taken, lambda: say(line))
