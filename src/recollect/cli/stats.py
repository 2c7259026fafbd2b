"""recollect stats"""

from __future__ import annotations

import click

from recollect.cli.base import Command
from recollect.cli.output import counted, emit, facts, say, size, when
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
        found, served = mind.stats(), mind.metrics(days=days)
    if state.json:
        emit({**plain(found), "metrics": served})
    else:
        show_stats(found)
        show_metrics(served)


def show_metrics(served: Metrics, *, margin: int = 0) -> None:
    """Rates with what they are made of; what was never counted is left out."""
    cost = "" if served.cost is None else f", cost {served.cost:g}"
    told = [
        ("confirmed", _rate(served.confirmation_rate, served.confirmed, "answered")),
        ("wrong writes", _rate(served.wrong_write_rate, served.taken_back, "taken back")),
        ("recall hits", _rate(served.recall_hit_rate, served.recalls_with_evidence, "recalls")),
        ("evidence used", _rate(served.evidence_used_rate, served.replies_using_evidence,
                                "replies")),
        ("context share", _rate(served.context_share, served.memory_tokens, "tokens")),
        ("pending", f"{served.pending:,}" if served.pending else ""),
        ("models", f"{served.model_calls:,} calls, {served.model_tokens:,} tokens{cost}"
                   if served.model_calls else ""),
    ]  # fmt: skip
    facts((" " * margin + name, value) for name, value in told if value)


def _rate(rate: float | None, count: int, what: str) -> str:
    return "" if rate is None else f"{rate:.1%} ({count:,} {what})"


def show_stats(found: Stats, *, margin: int = 0) -> None:
    states = ", ".join(f"{count:,} {name}" for name, count in found.turn_states.items() if count)
    lasted = f"{when(found.first_at)} to {when(found.last_at)}" if found.first_at else ""
    jobs = (
        (found.jobs_ready, "waiting"),
        (found.jobs_running, "running"),
        (found.jobs_dead, "dead"),
    )
    told = [
        ("space", found.space),
        ("turns", f"{found.turns:,}" + (f" ({states})" if states else "")),
        ("sessions", f"{found.sessions:,}"),
        ("memories", f"{found.memories:,}"),
        ("episodes", f"{found.episodes:,}"),
        ("attachments", f"{found.attachments:,}"),
        ("events", f"{found.events:,}"),
        ("tokens", f"{found.tokens:,}"),
        ("time", lasted),
        ("jobs", ", ".join(f"{count:,} {name}" for count, name in jobs if count) or "none"),
        ("vectors", f"{found.unembedded:,} records wait for theirs" if found.unembedded else ""),
        ("file", f"{size(found.file_bytes)}, schema {found.schema}"
                 + (", open for reading only" if found.read_only else "")),
        ("models", "; ".join(found.suspended)),
        ("worker", found.worker_failure),
        ("recall", found.recall_failure),
        ("to do", _remedy(found)),
    ]  # fmt: skip
    facts((" " * margin + name, value) for name, value in told if value)


def _remedy(found: Stats) -> str:
    if found.jobs_dead:
        return f"{counted(found.jobs_dead, 'job')} failed for good: see recollect jobs --state dead"
    if found.jobs_ready:
        return "recollect worker runs the waiting jobs as they come due"
    return ""
