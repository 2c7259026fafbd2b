"""The daily report in the user's language: what each step did, and what waits for a person."""

from __future__ import annotations

from datetime import timedelta

from mnemic.language.detection import language_of_most
from mnemic.prompts import Language, words
from mnemic.store.contract import Unit
from mnemic.store.rows import MemoryFilter, TurnFilter
from mnemic.types import DailyReport
from mnemic.upkeep.report import StepReport, short
from mnemic.upkeep.work import Step

_TEXTS = 200  # of memories and of turns, that tell the user's language
_DAY = timedelta(days=1)
_LISTED = 20  # dead jobs and pending statements that are named; the rest is counted


def daily_report(step: Step) -> DailyReport:
    """What was learned and done since the last report, each step's changes, what waits."""
    with step.store.read(step.space) as unit:
        language = _language(step, unit)
        learned = _list_learned(step, unit, language)
        open_lines = _to_do(step, unit, language)
    sections = [("learned", learned)]
    sections += [(report.name, _lines(report, language)) for report in step.reports]
    sections = [(title, lines) for title, lines in sections if lines] or sections[:1]
    if open_lines:
        sections.append(("to do", open_lines))
    named = [(_word(name, language), lines) for name, lines in sections]
    titled = [(word[:1].upper() + word[1:], lines) for word, lines in named]
    return DailyReport(step.day, titled, language)


def _language(step: Step, unit: Unit) -> Language:
    """That of the settings, else that of what is known and of what the user said last."""
    turns = unit.ledger.turns(TurnFilter(role="user", newest_first=True, limit=_TEXTS))
    memories = unit.memories.find(MemoryFilter(status="active", limit=_TEXTS))
    texts = [*(turn.text for turn in turns), *(memory.text for memory in memories)]
    return language_of_most(texts, step.settings.memory.language)


def _list_learned(step: Step, unit: Unit, language: Language) -> list[str]:
    """Statements that are new since the last report, and the sessions of that time."""
    since = (unit.runs.last_done(step.name) or step.now - _DAY) + timedelta.resolution
    new = unit.memories.find(MemoryFilter(status="active", since=since, limit=_LISTED + 1))
    shown = step.settings.vocabulary.kinds.show
    lines = [f"{short(memory.text)} ({shown(memory.kind)})" for memory in reversed(new)]
    episodes = unit.episodes.latest(session=None, since=since, until=None, limit=_LISTED)
    lines += [_line("session", short(episode.summary), language) for episode in reversed(episodes)]
    return lines


def _lines(report: StepReport, language: Language) -> list[str]:
    counts = [_line(name, str(number), language) for name, number in sorted(report.counts.items())]
    form = words("daily_report", language)["change"]
    changes = [
        _line(change.action, form.format(change.text, change.reason.texts[language]), language)
        for change in report.changes
    ]
    return [*filter(None, [report.error]), *counts, *changes]


def _to_do(step: Step, unit: Unit, language: Language) -> list[str]:
    dead = unit.tasks.list_unfinished("dead", _LISTED)
    waiting = unit.memories.find(MemoryFilter(status="pending", holds_at=step.now, limit=_LISTED))
    jobs = [_line("dead job", f"{job.kind} {job.key}: {job.error}", language) for job in dead]
    return jobs + [_line("pending", short(memory.text), language) for memory in waiting]


def _line(name: str, text: str, language: Language) -> str:
    return words("daily_report", language)["line"].format(_word(name, language), text)


def _word(name: str, language: Language) -> str:
    return words("daily_names", language).get(name, name)
