"""Usage metrics: counted while the memory is used, added up on request; and curves for people.

Recall and context must not wait for a write, so counts are buffered and written by the worker or
when the mind closes; a crash loses only the last few counts.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import NamedTuple

from mnemic.days import day_of
from mnemic.index.segment import index_text, term_weight
from mnemic.locks import ForkSafeLock
from mnemic.rules import checks
from mnemic.rules.decay import class_of, fade
from mnemic.settings.upkeep import DecaySettings
from mnemic.space import Space
from mnemic.store.contract import Unit
from mnemic.types import Context, DayGrowth, DecayCurve, DecayPoint, Memory, Metrics, Turn

MEMORY_SECTIONS = frozenset({"cards", "core", "evidence", "scratchpad", "user"})
CONTENT_WEIGHT = 1.0  # of a whole content word; parts and function words weigh less
_MAX_REPLIES = 500  # replies that wait to be looked at
_REPLY = 4_000  # characters of a reply that are looked at
_COUNTED = (
    *("put_to_user", "confirmed", "refused", "learned", "taken_back"),
    *("recalls", "recalls_with_evidence", "replies", "replies_using_evidence"),
    *("evidence_shown", "evidence_used", "contexts", "context_tokens", "memory_tokens"),
)


class _EvidenceShown(NamedTuple):
    """The evidence shown for a query, and the reply."""

    query: str
    ids: tuple[str, ...]
    reply: str = ""


class Uses:
    """Counts since the last write."""

    def __init__(self, space: Space) -> None:
        self._space = space
        self._guard = ForkSafeLock(forked=self._start)
        self._start()

    def _start(self) -> None:
        """A forked child starts at zero, too: its parent writes the counts so far."""
        self._counts: Counter[str] = Counter()
        self._awaiting_reply: dict[str, _EvidenceShown] = {}
        self._answered: list[_EvidenceShown] = []

    def count_recall(self, hits: int) -> None:
        """Count a recall with this many hits."""
        with self._guard:
            self._counts.update(recalls=1, recalls_with_evidence=int(hits > 0))

    def count_context(self, session: str | None, query: str, built: Context) -> None:
        """Count a context; its evidence may be used in the next reply of the session."""
        # Sections counted one by one may add up to a little more than the whole.
        memory = min(
            built.tokens, sum(use.tokens for use in built.sections if use.name in MEMORY_SECTIONS)
        )
        evidence = tuple(i for use in built.sections if use.name == "evidence" for i in use.ids)
        with self._guard:
            self._counts.update(contexts=1, context_tokens=built.tokens, memory_tokens=memory)
            if session is not None:
                self._awaiting_reply.pop(session, None)
            if session is not None and evidence and len(self._awaiting_reply) < _MAX_REPLIES:
                self._awaiting_reply[session] = _EvidenceShown(query, evidence)

    def keep_reply(self, turn: Turn) -> None:
        """Keep an assistant's turn to see later whether it uses the evidence."""
        if turn.session not in self._awaiting_reply or turn.role != "assistant":
            return
        with self._guard:
            exchange = self._awaiting_reply.pop(turn.session, None)
            if exchange is not None and len(self._answered) < _MAX_REPLIES:
                self._answered.append(exchange._replace(reply=turn.text[:_REPLY]))

    def forget(self) -> None:
        """Drop the buffered queries and replies; counts stay."""
        with self._guard:
            self._awaiting_reply, self._answered = {}, []

    def flush(self) -> None:
        """Write the buffered counts."""
        if self._space.store.read_only:
            return
        with self._guard:
            counts, self._counts = self._counts, Counter()
            answered, self._answered = self._answered, []
        if not counts and not answered:
            return
        with self._space.write() as unit:
            day = day_of(self._space.now(), self._space.zone(unit))
            for exchange in answered:
                shown, used = _pieces_used(unit, exchange)
                counts.update(replies=1, replies_using_evidence=int(used > 0))
                counts.update(evidence_shown=shown, evidence_used=used)
            unit.counters.add(day, {name: amount for name, amount in counts.items() if amount})


def _pieces_used(unit: Unit, exchange: _EvidenceShown) -> tuple[int, int]:
    """How many pieces were shown, and how many gave the reply a word of their own."""
    ids = list(exchange.ids)
    texts = [memory.text for memory in unit.memories.by_id(ids)]
    texts += [turn.text for turn in unit.ledger.turns_by_id(ids)]
    texts += [episode.summary for episode in unit.episodes.by_id(ids)]
    texts += [file.description for file in unit.attachments.by_id(ids)]
    added = content_terms(exchange.reply) - content_terms(exchange.query)
    return len(texts), sum(not added.isdisjoint(content_terms(text)) for text in texts)


def content_terms(text: str) -> set[str]:
    """The words of a text that carry content: no function words, no parts of words."""
    return {term for term in index_text(text).split() if term_weight(term) >= CONTENT_WEIGHT}


# --- adding up -----------------------------------------------------------------------------------


def measure(space: Space, days: int | None = None) -> Metrics:
    """The figures of the last ``days``, or of all time; sizes are those of now."""
    now = space.now()
    since = None if days is None else now - timedelta(days=checks.check_limit(days))
    stats = space.store.stats(space.name)
    with space.read() as unit:
        first = None if since is None else day_of(since, space.zone(unit))
        counts = Counter(unit.counters.totals(first))
        usage = unit.journal.usage(since)
        pending = len(unit.memories.to_offer(now=now, since=None, limit=checks.MAX_ROWS))
    costs = [total.cost for total in usage if total.cost is not None]
    return Metrics(
        space=space.name,
        at=now,
        days=days,
        **{name: counts[name] for name in _COUNTED},
        confirmation_rate=_rate(counts["confirmed"], counts["confirmed"] + counts["refused"]),
        confirmed_of_pending=_rate(counts["confirmed"], counts["put_to_user"]),
        refused_of_confirmed=_rate(counts["refused"], counts["confirmed"]),
        wrong_write_rate=_rate(counts["taken_back"], counts["learned"]),
        recall_hit_rate=_rate(counts["recalls_with_evidence"], counts["recalls"]),
        evidence_used_rate=_rate(counts["replies_using_evidence"], counts["replies"]),
        useful_evidence=_rate(counts["evidence_used"], counts["evidence_shown"]),
        context_share=_rate(counts["memory_tokens"], counts["context_tokens"]),
        pending=pending,
        queue_depth=stats.jobs_ready,
        queue_running=stats.jobs_running,
        dead_letters=stats.jobs_dead,
        turns=stats.turns,
        turns_failed=stats.turn_states["failed"] + stats.turn_states["dead"],
        memories=stats.memories,
        model_calls=sum(total.calls for total in usage),
        model_tokens=sum(total.input_tokens + total.output_tokens for total in usage),
        cost=sum(costs) if costs else None,
    )


def _rate(count: int, total: int) -> float | None:
    return count / total if total else None


# --- Prometheus ----------------------------------------------------------------------------------


def as_prometheus(metrics: Sequence[Metrics]) -> str:
    """The Prometheus text format; figures without a value are omitted."""
    lines: list[str] = []
    for name, (type_, help_) in _read_figures("figures.tsv").items():
        values = [(space_metrics.space, getattr(space_metrics, name)) for space_metrics in metrics]
        counted = [(space, value) for space, value in values if value is not None]
        if not counted:
            continue
        full = f"mnemic_{name}{'_total' if type_ == 'counter' else ''}"
        lines += [f"# HELP {full} {help_}", f"# TYPE {full} {type_}"]
        for space, value in counted:
            amount = f"{value:g}" if isinstance(value, float) else str(value)
            lines.append(f'{full}{{space="{_label(space)}"}} {amount}')
    return "\n".join([*lines, ""])


def totals_as_prometheus(totals: Mapping[str, int]) -> str:
    """Figures of a database, one series each."""
    lines, figures = list[str](), _read_figures("totals.tsv")
    for name, value in totals.items():
        full, (type_, help_) = f"mnemic_database_{name}", figures[name]
        lines += [f"# HELP {full} {help_}", f"# TYPE {full} {type_}", f"{full} {value}"]
    return "\n".join([*lines, ""])


def _read_figures(file: str) -> dict[str, tuple[str, str]]:
    """The type and the help of each figure."""
    table = Path(__file__).with_name(file).read_text(encoding="utf-8").splitlines()
    rows = (row.split("\t") for row in table[1:])
    return {name: (type_, help_) for name, type_, help_ in rows}


def _label(text: str) -> str:
    return text.replace("\\", r"\\").replace('"', r"\"").replace("\n", r"\n")


_MOST_DAYS = 3_660
_POINTS = 60


def growth(space: Space, days: int) -> list[DayGrowth]:
    """Each of the last days, oldest first, also those on which nothing happened."""
    checks.check_count(days, "days", _MOST_DAYS)
    with space.read() as unit:
        home = space.zone(unit)
        today = day_of(space.now(), home)
        dates = [today - timedelta(days=back) for back in reversed(range(days))]
        turns = unit.counters.per_day("turns", dates[0], home)
        memories = unit.counters.per_day("memories", dates[0], home)
    return [DayGrowth(day, turns.get(day, 0), memories.get(day, 0)) for day in dates]


def decay_curve(memory: Memory, decay: DecaySettings, now: datetime, days: int) -> DecayCurve:
    """From when it was last used to so many days from now."""
    checks.check_count(days, "days", _MOST_DAYS)
    law = class_of(memory.kind, decay)
    start = memory.last_accessed_at
    span = max(now - start, timedelta(0)) + timedelta(days=days)
    points = tuple(
        DecayPoint(start + idle, fade(memory.importance, idle, law))
        for idle in (span * step / _POINTS for step in range(_POINTS + 1))
    )
    return DecayCurve(
        memory.id, law.half_life, law.floor, law.archive_below, law.delete_below, points
    )
