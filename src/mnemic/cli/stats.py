"""mnemic stats"""

from __future__ import annotations

import click

from mnemic.cli.base import Command
from mnemic.cli.output import emit, facts, say, size, waiting_line, when
from mnemic.cli.phrases import counted, phrase, sentence, term
from mnemic.cli.state import State, pass_state
from mnemic.plain import plain
from mnemic.types import Metrics, Stats


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
    cost = "" if metrics.cost is None else phrase(", cost {cost:g}", cost=metrics.cost)
    rows = [
        ("confirmed", _share(metrics.confirmed, metrics.confirmed + metrics.refused, "answered",
                             _share(metrics.confirmed, metrics.put_to_user, "put to the user"))),
        ("refused", _share(metrics.refused, metrics.confirmed, "confirmed", to=True)),
        ("wrong writes", _share(metrics.taken_back, metrics.learnt, "learnt")),
        ("recall hits", _share(metrics.recalls_with_evidence, metrics.recalls, "recalls")),
        ("evidence used", _share(metrics.replies_using_evidence, metrics.replies, "replies",
                                 _share(metrics.evidence_used, metrics.evidence_shown, "pieces"))),
        ("context share", _share(metrics.memory_tokens, metrics.context_tokens, "tokens")),
        ("pending", f"{metrics.pending:,}" if metrics.pending else ""),
        ("models", phrase("{calls:,} calls, {tokens:,} tokens", calls=metrics.model_calls,
                          tokens=metrics.model_tokens) + cost if metrics.model_calls else ""),
    ]  # fmt: skip
    facts(rows)


def _share(part: int, whole: int, what: str, further: str = "", *, to: bool = False) -> str:
    """A rate with its counts, and another of the same."""
    if not whole:
        return ""
    template = "{rate:.1%} ({part:,} to {whole:,} {what})" if to else (
        "{rate:.1%} ({part:,} of {whole:,} {what})"
    )  # fmt: skip
    shown = phrase(template, rate=part / whole, part=part, whole=whole, what=phrase(what))
    return f"{shown}; {further}" if further else shown


def show_stats(stats: Stats, *, margin: int = 0) -> None:
    states = turn_states(stats)
    lasted = phrase("{first} to {last}", first=when(stats.first_at), last=when(stats.last_at))
    jobs = (
        (stats.jobs_ready, "waiting"),
        (stats.jobs_running, "running"),
        (stats.jobs_dead, "dead"),
    )
    file = phrase("{size}, schema {schema}", size=size(stats.file_bytes), schema=stats.schema)
    waiting = counted(stats.unembedded, "record waits for its vector", "records wait for theirs")
    rows = [
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
        ("jobs", phrase(", ").join(f"{count:,} {term(name)}" for count, name in jobs if count)
                 or phrase("none")),
        ("vectors", waiting if stats.unembedded else ""),
        ("file", file + (phrase(", open for reading only") if stats.read_only else "")),
        ("learning", waiting_line(stats.model_wait) if stats.model_wait else ""),
        ("models", "; ".join(map(sentence, stats.suspended))),
        ("worker", sentence(stats.worker_failure)),
        ("recall", sentence(stats.recall_failure)),
        ("to do", _remedy(stats)),
    ]  # fmt: skip
    facts(rows, margin=margin)


def turn_states(stats: Stats) -> str:
    """How many turns are in each state."""
    counts = stats.turn_states.items()
    return phrase(", ").join(f"{count:,} {term(name)}" for name, count in counts if count)


def _remedy(stats: Stats) -> str:
    if stats.jobs_dead:
        jobs = counted(stats.jobs_dead, "job")
        return phrase("{jobs} failed for good: see mnemic jobs --state dead", jobs=jobs)
    if stats.jobs_ready:
        return phrase("mnemic worker runs the waiting jobs as they come due")
    return ""
