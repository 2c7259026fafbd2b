"""What an export says of its own, in English or Chinese: headings, dates, numbers, names of things.

The English text is the key; what Chinese says for it stands in one table.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime

from mnemic.prompts import ByLanguage, Language
from mnemic.types import Attachment, Episode, Memory, Turn

_MONTHS = (
    "January February March April May June July August September October November December".split()
)
_WEEKDAYS = ByLanguage(
    en="Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split(),
    zh=list("一二三四五六日"),
)
_CODES = ByLanguage(en="en", zh="zh-CN")
_DATES = ByLanguage(
    en={
        "day": "{0.day} {month} {0.year}",
        "weekday": "{weekday}, {0.day} {month} {0.year}",
        "month": "{month} {0.year}",
        "before hour": "{0.day} {month} {0.year}, ",
    },
    zh={
        "day": "{0.year}年{0.month}月{0.day}日",
        "weekday": "{0.year}年{0.month}月{0.day}日 星期{weekday}",
        "month": "{0.year}年{0.month}月",
        "before hour": "{0.year}年{0.month}月{0.day}日 ",
    },
)

_TEXTS: ByLanguage[dict[str, str]] = ByLanguage(
    en={},
    zh={
        # headings and notes
        "Memory": "记忆",
        "Memory of {name}": "{name}的记忆",
        "From {first} to {last}.": "从{first}到{last}。",
        "Nothing has been recorded yet.": "还没有任何记录。",
        "What is known": "已知的事",
        "What was known before": "曾经知道的事",
        "Open questions": "待定的事",
        "Files": "文件",
        "Timeline": "时间线",
        "Contents": "目录",
        "Skip to the contents": "跳到正文",
        "Search in what is known": "在已知的事里搜索",
        "{shown} of {all}": "{all} 条中的 {shown} 条",
        "Nothing is known yet. Memories appear here as conversations are read.": (
            "目前还没有记住什么。读过对话之后，记忆会出现在这里。"
        ),
        "Statements known": "已知的陈述",
        "Turns a day": "每天的消息",
        "Turns a week": "每周的消息",
        "Turns a month": "每月的消息",
        "Turns a year": "每年的消息",
        "Memory is switched off: this is what the plain files hold.": (
            "记忆功能已关闭：以下是纯文本文件里的内容。"
        ),
        "Exported {at}. Times are those of the zone {zone}.": "导出于{at}。时间按时区 {zone}。",
        "Secrets are masked.": "密钥和密码已隐去。",
        "This copy shows secrets: keep it safe.": "这份副本包含密钥和密码：请妥善保管。",
        # one statement
        "since {day}": "自{day}起",
        "from {first} to {last}": "{first}至{last}",
        "learnt {day}": "{day}得知",
        "expires {day}": "{day}到期",
        "sure: {share}": "把握：{share}",
        "said by the agent": "助手所说",
        "said by a tool": "工具所说",
        "said by others": "他人所说",
        "project {name}": "项目 {name}",
        "topic {name}": "话题 {name}",
        "Before that": "此前",
        "replaced": "已被取代",
        "withdrawn or put away": "已撤回或存档",
        "expired": "已过期",
        "You": "本人",
        "Anything else": "其他",
        "the secret: {secret}": "密文：{secret}",
        "waits for your word": "等你确认",
        "You took this out of {documents}: is it to be forgotten?": (
            "你从 {documents} 里删掉了这一条：要忘掉它吗？"
        ),
        # the scratchpad
        "On the agent's scratchpad": "助手的便签",
        "Current task": "当前任务",
        "Questions": "问题",
        "Next steps": "下一步",
        "{turns} not read yet": "还有{turns}没有读",
        # the timeline
        "Notes of the day": "当天的记录",
        "Steps": "步骤",
        "Learnt from this: {memories}": "由此得知：{memories}",
        "tool call": "调用工具",
        "tool result": "工具结果",
        "tool error": "工具出错",
        "… {count} more characters": "……还有 {count} 个字",
        "success": "完成",
        "partial": "部分完成",
        "failed": "未成",
        "ongoing": "进行中",
        "user": "用户",
        "assistant": "助手",
        "tool": "工具",
        "system": "系统",
        # files
        "received": "收到",
        "made": "生成",
        "What it says": "内容",
        # kinds
        "Identity": "身份",
        "Preferences": "偏好",
        "Rules": "规则",
        "Configuration": "配置",
        "Credentials": "凭据",
        "Facts": "事实",
        "Decisions": "决定",
        "Skills": "技能",
        "Lessons": "教训",
        "Events": "事件",
        "Traits": "特质",
        "For now": "暂时",
    },
)
_KINDS = {
    "identity": "Identity",
    "preference": "Preferences",
    "rule": "Rules",
    "config": "Configuration",
    "credential": "Credentials",
    "fact": "Facts",
    "decision": "Decisions",
    "skill": "Skills",
    "lesson": "Lessons",
    "event": "Events",
    "trait": "Traits",
    "temp": "For now",
}
_TRUSTS = {
    "owner": "",
    "agent": "said by the agent",
    "tool": "said by a tool",
    "external": "said by others",
}
# one, many, and what Chinese counts them by
_COUNTED = {
    "turn": ("turn", "turns", "条消息"),
    "statement": ("statement", "statements", "条陈述"),
    "conversation": ("conversation", "conversations", "次对话"),
    "file": ("file", "files", "个文件"),
    "question": ("open question", "open questions", "件待定的事"),
    "more": ("more", "more", "条更多"),
    "source": ("more source", "more sources", "个更多出处"),
    "version": ("earlier version", "earlier versions", "个更早的版本"),
    "again": ("time said again", "times said again", "次重申"),
    "byte": ("byte", "bytes", "字节"),
}


@dataclass(frozen=True, slots=True)
class Phrases:
    """The words of one language."""

    language: Language

    def __call__(self, english: str, **parts: str) -> str:
        """A phrase with its parts filled in."""
        text = _TEXTS[self.language].get(english, english)
        return text.format(**parts) if parts else text

    @property
    def code(self) -> str:
        """The language as HTML names it."""
        return _CODES[self.language]

    # --- numbers and dates ------------------------------------------------------------------------

    def number(self, count: int) -> str:
        return f"{count:,}"

    def count(self, count: int, thing: str) -> str:
        """A number of things."""
        one, *many = ByLanguage(en=_COUNTED[thing][:2], zh=_COUNTED[thing][2:])[self.language]
        return f"{count:,} {one if count == 1 or not many else many[0]}"

    def thing(self, count: int, thing: str) -> str:
        """What is counted, to stand below its number."""
        return self.count(count, thing).partition(" ")[2]

    def size(self, count: int) -> str:
        amount = float(count)
        for unit in ("KB", "MB", "GB"):
            amount /= 1000
            if amount < 1000 or unit == "GB":
                break
        return self.count(count, "byte") if count < 1000 else f"{amount:.1f} {unit}"

    def share(self, share: float) -> str:
        return f"{share:.0%}"

    def day(self, day: date) -> str:
        return self._dated("day", day)

    def weekday(self, day: date) -> str:
        """A day with its name."""
        return self._dated("weekday", day)

    def month(self, day: date) -> str:
        return self._dated("month", day)

    def hour(self, moment: datetime) -> str:
        return f"{moment:%H:%M}"

    def moment(self, moment: datetime) -> str:
        return f"{self._dated('before hour', moment.date())}{self.hour(moment)}"

    def _dated(self, form: str, day: date) -> str:
        return _DATES[self.language][form].format(
            day, month=_MONTHS[day.month - 1], weekday=_WEEKDAYS[self.language][day.weekday()]
        )

    # --- names of things --------------------------------------------------------------------------

    def kind(self, kind: str) -> str:
        """The heading of a kind; a kind of the user's own is its own name."""
        return self(_KINDS[kind]) if kind in _KINDS else kind

    def trust(self, memory: Memory) -> str:
        """Who says it, if not the owner."""
        phrase = _TRUSTS[memory.trust]
        return self(phrase) if phrase else ""

    def speaker(self, turn: Turn) -> str:
        return turn.sender or self(turn.role)

    def outcome(self, episode: Episode) -> str:
        return self(episode.outcome)

    def direction(self, file: Attachment) -> str:
        return self("made" if file.direction == "outbound" else "received")
