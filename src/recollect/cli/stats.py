"""recollect stats"""

from __future__ import annotations

import click

from recollect.cli.base import Command
from recollect.cli.output import counted, emit, facts, say, size, waiting_line, when
from recollect.cli.state import State, pass_state
from recollect.plain import plain
from recollect.types import Metrics, Stats


@click.command(cls=Command)
@click.option("--days", type=click.IntRange(1), metavar="N", help="Rates of the last N days only.")
@click.option("--prometheus", is_flag=True, help="Print the figures as Prometheus reads them.")
@pass_state
def stats(state: State, days: int | None, prometheus: bool) -> None:
    """Show the size and the health of a memory, and how well it serves."""
    with state.open() as mind:
        if prometheus:
            say(mind.prometheus().rstrip())
            return
        figures, metrics = mind.stats(), mind.metrics(days=days)
    if state.json:
        emit({**plain(figures), "metrics": metrics})
    else:
        show_stats(figures)
        show_metrics(metrics)


def show_metrics(metrics: Metrics) -> None:
    """Print rates with their counts, without those never counted."""
    cost = "" if metrics.cost is None else f", cost {metrics.cost:g}"
    rows = [
        ("confirmed", _share(metrics.confirmed, metrics.confirmed + metrics.refused, "answered",
                             _share(metrics.confirmed, metrics.put_to_user, "put to the user"))),
        ("refused", _share(metrics.refused, metrics.confirmed, "confirmed", by="to")),
        ("wrong writes", _share(metrics.taken_back, metrics.learnt, "learnt")),
        ("recall hits", _share(metrics.recalls_with_evidence, metrics.recalls, "recalls")),
        ("evidence used", _share(metrics.replies_using_evidence, metrics.replies, "replies",
                                 _share(metrics.evidence_used, metrics.evidence_shown, "pieces"))),
        ("context share", _share(metrics.memory_tokens, metrics.context_tokens, "tokens")),
        ("pending", f"{metrics.pending:,}" if metrics.pending else ""),
        ("models", f"{metrics.model_calls:,} calls, {metrics.model_tokens:,} tokens{cost}"
                   if metrics.model_calls else ""),
    ]  # fmt: skip
    facts(rows)


def _share(part: int, whole: int, what: str, further: str = "", by: str = "of") -> str:
    """A rate with its counts, and another of the same."""
    if not whole:
        return ""
    shown = f"{part / whole:.1%} ({part:,} {by} {whole:,} {what})"
    return f"{shown}; {further}" if further else shown


def show_stats(stats: Stats, *, margin: int = 0) -> None:
    states = ", ".join(f"{count:,} {name}" for name, count in stats.turn_states.items() if count)
    lasted = f"{when(stats.first_at)} to {when(stats.last_at)}" if stats.first_at else ""
    jobs = (
        (stats.jobs_ready, "waiting"),
        (stats.jobs_running, "running"),
        (stats.jobs_dead, "dead"),
    )
    rows = [
        ("space", stats.space),
        ("turns", f"{stats.turns:,}" + (f" ({states})" if states else "")),
        ("sessions", f"{stats.sessions:,}"),
        ("memories", f"{stats.memories:,}"),
        *((f"  {word}", f"{count:,}") for word, count in stats.by_kind.items()),
        ("episodes", f"{stats.episodes:,}"),
        ("attachments", f"{stats.attachments:,}"),
        ("events", f"{stats.events:,}"),
        ("tokens", f"{stats.tokens:,}"),
        ("time", lasted),
        ("jobs", ", ".join(f"{count:,} {name}" for count, name in jobs if count) or "none"),
        ("vectors", f"{stats.unembedded:,} records wait for theirs" if stats.unembedded else ""),
        ("file", f"{size(stats.file_bytes)}, schema {stats.schema}"
                 + (", open for reading only" if stats.read_only else "")),
        ("learning", waiting_line(stats.model_wait) if stats.model_wait else ""),
        ("models", "; ".join(stats.suspended)),
        ("worker", stats.worker_failure),
        ("recall", stats.recall_failure),
        ("to do", _remedy(stats)),
    ]  # fmt: skip
    facts((" " * margin + name, value) for name, value in rows if value)


def _remedy(stats: Stats) -> str:
    if stats.jobs_dead:
        return f"{counted(stats.jobs_dead, 'job')} failed for good: see recollect jobs --state dead"
    if stats.jobs_ready:
        return "recollect worker runs the waiting jobs as they come due"
    return ""
