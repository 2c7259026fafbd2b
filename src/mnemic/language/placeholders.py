"""Placeholders: lines of a template that say only that nothing is known yet."""

from __future__ import annotations

import re

_LABEL = r"(?:[^:：]{0,40}[:：]\s*)?"
_OPEN, _CLOSE = r"[\[(（【<\"“]", r"[\])）】>\"”]"
_END = r"\s*[.。]?"
_UNSAID = (
    r"待学习|待补充|待定|待填写|待完善|未知|未填写|暂无"
    r"|to be learn(?:ed|t)|to be filled(?: in)?|to be determined"
    r"|unknown|not known(?: yet)?|tbd|todo|\.{3}|…"
)
# Behind a label these are answers ("Allergies: none") unless they stand in brackets.
_NONE = (
    r"无|空|空字符串|none|n/?a|empty|nothing(?: is)?(?: known)?(?: yet)?"
    r"|(?:目前|暂时)?(?:没有|无|暂无)(?:任何)?(?:已知)?的?(?:用户)?(?:信息|内容|资料)"
    r"|no (?:known )?(?:user )?information(?: (?:is )?(?:known|available))?(?: yet)?"
)
_PLACEHOLDER = re.compile(
    rf"{_LABEL}{_OPEN}?\s*(?:{_UNSAID})?\s*{_CLOSE}?{_END}"
    rf"|{_LABEL}{_OPEN}\s*(?:{_NONE})\s*{_CLOSE}{_END}"
    rf"|(?:{_NONE}){_END}",
    re.IGNORECASE,
)

_RULE = re.compile(r"([-*_])(?:\s*\1){2,}")


def is_placeholder(text: str) -> bool:
    """Whether a line says nothing: "[待学习]", "Name: TBD", "---", a label with nothing behind."""
    line = text.strip()
    return _PLACEHOLDER.fullmatch(line) is not None or _RULE.fullmatch(line) is not None


def says_something(text: str) -> bool:
    """Whether a text has a line beside headings and placeholders."""
    lines = (line.strip() for line in text.split("\n"))
    return any(
        line and not line.startswith("#") and not is_placeholder(line.lstrip("-*+ "))
        for line in lines
    )
