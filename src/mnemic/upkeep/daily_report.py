"""The daily report in the user's language: what each step did, and what waits for a person."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta

from mnemic.language.detection import language_of_most
from mnemic.prompts import ByLanguage, Language
from mnemic.store.contract import Unit
from mnemic.store.rows import MemoryFilter, TurnFilter
from mnemic.upkeep.report import StepReport
from mnemic.upkeep.steps.decay import short
from mnemic.upkeep.work import DailyReportText, Step

_TEXTS = 200  # of memories and of turns, that tell the user's language
_DAY = timedelta(days=1)
_LISTED = 20  # dead jobs and pending statements that are named; the rest is counted
_WORDS = ByLanguage[Mapping[str, str]](en={"learned": "learned"}, zh={
    "queue": "待处理队列", "turns": "未提取的对话", "events": "事件", "dedup": "去重合并",
    "decay": "衰减", "expiry": "过期清理", "attachments": "附件清理", "capacity": "容量",
    "documents": "文档", "identity": "身份卡片", "report": "报告", "clock": "时钟",
    "sessions": "会话", "waiting": "等待模型", "failed": "失败", "episodes": "情节", "days": "天",
    "memories": "记忆", "merge": "合并", "archive": "收起", "delete": "删除", "demote": "降级",
    "expire": "过期", "lapsed": "无人答复", "forget_file": "移除附件", "transcripts": "对话副本",
    "written": "写入", "core": "进入核心", "leave_core": "离开核心", "restored": "恢复",
    "to do": "待处理", "dead job": "失败的任务", "pending": "待确认", "backup": "备份",
    "removed": "移除", "learned": "新学到的", "session": "会话记录",
})  # fmt: skip
_LINE = ByLanguage(en="{}: {}", zh="{}：{}")
_CHANGE = ByLanguage(en="{} ({})", zh="{}（{}）")


def daily_report(step: Step) -> DailyReportText:
    """What was learned and done since the last one, then what each step changed; at the end what
    waits.
    """
    with step.store.read(step.space) as unit:
        language = _language(step, unit)
        learned = _learned(step, unit, language)
        open_lines = _to_do(step, unit, language)
    sections = [("learned", learned)]
    sections += [(report.name, _lines(report, language)) for report in step.reports]
    sections = [(title, lines) for title, lines in sections if lines] or sections[:1]
    if open_lines:
        sections.append(("to do", open_lines))
    titled = [(_title(name, language), lines) for name, lines in sections]
    return DailyReportText(language, titled)


def _language(step: Step, unit: Unit) -> Language:
    """That of the settings, else that of what is known and of what the user said last."""
    said = unit.ledger.turns(TurnFilter(role="user", newest_first=True, limit=_TEXTS))
    known = unit.memories.find(MemoryFilter(status="active", limit=_TEXTS))
    texts = [*(turn.text for turn in said), *(memory.text for memory in known)]
    return language_of_most(texts, step.settings.memory.language)


def _learned(step: Step, unit: Unit, language: Language) -> list[str]:
    """Statements that are new since the last report, and the sessions of that time."""
    since = (unit.runs.last_done(step.name) or step.now - _DAY) + timedelta.resolution
    new = unit.memories.find(MemoryFilter(status="active", since=since, limit=_LISTED + 1))
    shown = step.settings.vocabulary.kinds.shown
    lines = [f"{short(memory.text)} ({shown(memory.kind)})" for memory in reversed(new)]
    told = unit.episodes.latest(session=None, since=since, until=None, limit=_LISTED)
    lines += [_line("session", short(episode.summary), language) for episode in reversed(told)]
    return lines


def _lines(report: StepReport, language: Language) -> list[str]:
    counts = [_line(name, str(number), language) for name, number in sorted(report.counts.items())]
    changes = [
        _line(
            change.action,
            _CHANGE[language].format(change.text, change.reason.texts[language]),
            language,
        )
        for change in report.changes
    ]
    return [*([report.error] if report.error else []), *counts, *changes]


def _to_do(step: Step, unit: Unit, language: Language) -> list[str]:
    dead = unit.tasks.unfinished("dead", _LISTED)
    waiting = unit.memories.find(MemoryFilter(status="pending", holds_at=step.now, limit=_LISTED))
    jobs = [_line("dead job", f"{job.kind} {job.key}: {job.error}", language) for job in dead]
    return jobs + [_line("pending", short(memory.text), language) for memory in waiting]


def _line(name: str, text: str, language: Language) -> str:
    return _LINE[language].format(_word(name, language), text)


def _title(name: str, language: Language) -> str:
    word = _word(name, language)
    return word[:1].upper() + word[1:]


def _word(name: str, language: Language) -> str:
    return _WORDS[language].get(name, name)
