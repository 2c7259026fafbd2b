"""mnemic stats, usage, events, audit, doctor"""

from __future__ import annotations

from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any

import click

from mnemic.cli.output import (
    answer,
    bold,
    cells,
    dim,
    facts,
    indent_line,
    note,
    pad,
    say,
    size,
    table,
    waiting_line,
    when,
)
from mnemic.cli.phrases import count_things, phrase, sentence, term
from mnemic.cli.progress import bar
from mnemic.cli.state import State
from mnemic.engine.mind import Mind
from mnemic.plain import plain
from mnemic.types import AuditReport, DailyEvent, Event, Finding, Metrics, Stats


def stats(state: State, days: int | None, prometheus: bool) -> None:
    with state.open() as mind:
        if prometheus:
            say(mind.prometheus().rstrip())
            return
        figures, metrics = mind.stats(), mind.metrics(days=days)

    def show() -> None:
        facts([*sizes(figures), *_rates(metrics)])

    answer({**plain(figures), "metrics": metrics}, show)


def _rates(metrics: Metrics) -> list[tuple[str, str]]:
    """Rates with their counts; nothing where there is none."""
    cost = "" if metrics.cost is None else phrase(", cost {cost:g}", cost=metrics.cost)
    return [
        ("confirmed", _share(metrics.confirmed, metrics.confirmed + metrics.refused, "answered",
                             _share(metrics.confirmed, metrics.put_to_user, "offered"))),
        ("refused", _share(metrics.refused, metrics.confirmed, "confirmed", to=True)),
        ("wrong writes", _share(metrics.taken_back, metrics.learned, "learned")),
        ("recall hits", _share(metrics.recalls_with_evidence, metrics.recalls, "recalls")),
        ("evidence used", _share(metrics.replies_using_evidence, metrics.replies, "replies",
                                 _share(metrics.evidence_used, metrics.evidence_shown, "pieces"))),
        ("context share", _share(metrics.memory_tokens, metrics.context_tokens, "tokens")),
        ("pending", f"{metrics.pending:,}" if metrics.pending else ""),
        ("models", phrase("{calls:,} calls, {tokens:,} tokens", calls=metrics.model_calls,
                          tokens=metrics.model_tokens) + cost if metrics.model_calls else ""),
    ]  # fmt: skip


def _share(count: int, total: int, what: str, further: str = "", *, to: bool = False) -> str:
    """A rate with its counts, and another of the same."""
    if not total:
        return ""
    template = "{rate:.1%} ({part:,} to {whole:,} {what})" if to else (
        "{rate:.1%} ({part:,} of {whole:,} {what})"
    )  # fmt: skip
    shown = phrase(template, rate=count / total, part=count, whole=total, what=phrase(what))
    return f"{shown}; {further}" if further else shown


def sizes(stats: Stats) -> list[tuple[str, str]]:
    states = turn_states(stats)
    lasted = phrase("{first} to {last}", first=when(stats.first_at), last=when(stats.last_at))
    jobs = {"waiting": stats.jobs_ready, "running": stats.jobs_running, "dead": stats.jobs_dead}
    file = phrase("{size}, schema {schema}", size=size(stats.file_bytes), schema=stats.schema)
    waiting = count_things(
        stats.unembedded, "record waits for its vector", "records wait for theirs"
    )
    return [
        ("space", stats.space),
        ("turns", phrase("{n:,} ({states})", n=stats.turns, states=states) if states else "0"),
        ("sessions", f"{stats.sessions:,}"),
        ("memories", f"{stats.memories:,}"),
        *((f"  {term(word)}", f"{count:,}") for word, count in stats.by_kind.items()),
        ("episodes", f"{stats.episodes:,}"),
        ("attachments", f"{stats.attachments:,}"),
        ("events", f"{stats.events:,}"),
        ("tokens", f"{stats.tokens:,}"),
        ("time", lasted if stats.first_at else ""),
        ("jobs", phrase(", ").join(f"{count:,} {term(name)}" for name, count in jobs.items()
                                   if count) or phrase("none")),
        ("vectors", waiting if stats.unembedded else ""),
        ("file", file + (phrase(", open for reading only") if stats.read_only else "")),
        ("learning", waiting_line(stats.model_wait) if stats.model_wait else ""),
        ("models", "; ".join(map(sentence, stats.suspended))),
        ("worker", sentence(stats.worker_failure)),
        ("recall", sentence(stats.recall_failure)),
        ("to do", _remedy(stats)),
    ]  # fmt: skip


def turn_states(stats: Stats) -> str:
    """How many turns are in each state."""
    counts = stats.turn_states.items()
    return phrase(", ").join(f"{count:,} {term(name)}" for name, count in counts if count)


def _remedy(stats: Stats) -> str:
    if stats.jobs_dead:
        jobs = count_things(stats.jobs_dead, "job")
        return phrase("{jobs} failed for good: see mnemic jobs --state dead", jobs=jobs)
    if stats.jobs_ready:
        return phrase("to run the waiting jobs: mnemic worker")
    return ""


def events(
    state: State, /, daily: bool, day: datetime | None, text: str | None, limit: int, **where: Any
) -> None:
    of_days = daily or day or text
    if of_days and any(where.values()):
        raise click.UsageError("--daily, --day and --text go without --subject and --type.")
    listed: list[Event] | list[DailyEvent]
    with state.open() as mind:
        if of_days:
            listed = mind.daily_events(day=day.date() if day else None, text=text, limit=limit)
        else:
            listed = mind.events(limit=limit, **where)
    answer(listed, lambda: _show_events(listed), nothing="There are no events.")


def _show_events(events: list[Event] | list[DailyEvent]) -> None:
    days = [(e.day, e.channel, e.tokens, e.summary) for e in events if isinstance(e, DailyEvent)]
    table(("day", "channel", "tokens", "what"), days, right="tokens")
    changes = [
        (when(event.at), event.type, event.subject,
         " ".join(f"{key}={value}" for key, value in event.payload.items() if value != ""))
        for event in events if isinstance(event, Event)
    ]  # fmt: skip
    table(("at", "type", "subject", "details"), changes)


def usage(state: State, since: datetime | None) -> None:
    with state.open() as mind:
        totals = mind.usage(since=since)
    head = ("calls", "in", "out", "cost", "purpose", "model")
    rows = [
        (f"{u.calls:,}", f"{u.input_tokens:,}", f"{u.output_tokens:,}",
         "" if u.cost is None else f"{u.cost:.4f}", u.purpose, u.model)
        for u in totals
    ]  # fmt: skip
    show = partial(table, head, rows, right="calls in out cost")
    answer(totals, show, nothing="No model was called.")


def audit(state: State) -> None:
    with state.open() as mind, bar(phrase("Auditing")) as progress:
        report = mind.audit(progress=progress)
    rates = {check.name: check.rate for check in report.checks}
    document = {"space": report.space, "at": report.at, "memories": report.memories}
    document |= {"rates": rates, "checks": report.checks}
    answer(document, lambda: _show_audit(report), rows=report.checks)


def _show_audit(report: AuditReport) -> None:
    if not report.memories:
        note(phrase("There are no memories."))
    for check in report.checks:
        figures = phrase("{found:,} of {all:,}", found=check.found, all=check.of)
        say(bold(pad(term(check.name), 14)) + f"{check.rate:6.1%}  {figures}")
        for id_, what in check.examples:
            say(dim(indent_line(f"{id_}  {sentence(what)}", 4)))
        if check.found:
            say(dim(indent_line(phrase("To repair: {remedy}", remedy=sentence(check.remedy)), 4)))


def doctor(state: State, *, deep: bool, repair: bool, forgotten: Path | None) -> int:
    receipt = None if forgotten is None else forgotten.read_text("utf-8", "replace")
    with state.open() as mind:
        indexed = _repair(mind) if repair else None
        findings = mind.doctor(deep=deep, forgotten=receipt)
    well = all(finding.ok for finding in findings)

    def show() -> None:
        if indexed is not None:
            records = count_things(indexed, "record")
            note(phrase("The text index was rebuilt from {records}.", records=records))
        _show_findings(findings)

    answer({"ok": well, "repaired": indexed, "findings": findings}, show, rows=findings)
    return 0 if well else 1


def _show_findings(findings: list[Finding]) -> None:
    wide = max(cells(sentence(finding.check)) for finding in findings)
    for finding in findings:
        word = pad(phrase("ok" if finding.ok else "FAIL"), 4)
        mark = click.style(word, fg="green" if finding.ok else "red")
        indent = wide + 8
        detail = indent_line(sentence(finding.detail), indent)[indent:]
        say(f"{mark}  {pad(sentence(finding.check), wide)}  {detail}".rstrip())
        if finding.remedy:
            say(dim(indent_line(sentence(finding.remedy), indent)))


def _repair(mind: Mind) -> int:
    stats = mind.stats()
    total, done = stats.turns + stats.memories + stats.attachments, 0
    with bar(phrase("Rebuilding the text index")) as show:

        def advance(further: int) -> None:
            nonlocal done
            done += further
            show(done, total)

        return mind.repair(advance)
