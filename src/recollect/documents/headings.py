"""The headings of the documents in either language, and what a bullet below each one says."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from recollect.settings.environment import DocumentName
from recollect.types import Kind

Language = Literal["en", "zh"]
EARLIER = "earlier"


@dataclass(frozen=True, slots=True)
class Section:
    """A section of a document; ``kind`` is what a bullet becomes that a person adds to it."""

    key: str
    en: str
    zh: str
    kind: Kind = "fact"
    subject: str = ""
    predicate: str = ""
    project: str = ""

    def title(self, language: Language) -> str:
        return self.zh if language == "zh" else self.en


_KINDS = (
    Section("identity", "Identity", "身份", "identity", "user"),
    Section("preference", "Preferences", "偏好", "preference", "user"),
    Section("rule", "Rules", "规则", "rule"),
    Section("config", "Configuration", "配置", "config"),
    Section("fact", "Facts", "事实", "fact"),
    Section("decision", "Decisions", "决定", "decision"),
    Section("skill", "Skills", "技能", "skill"),
    Section("lesson", "Lessons", "教训", "lesson"),
    Section("event", "Events", "事件", "event"),
    Section("trait", "Traits", "特质", "trait"),
)
_USER = (
    Section("basics", "Basics", "基本信息", "identity", "user"),
    Section("stack", "Tech stack", "技术栈", "fact", "user", "uses"),
    Section("environment", "Environment", "开发环境", "config", "user"),
    Section("preferences", "Preferences", "偏好", "preference", "user"),
    Section("projects", "Projects", "项目", "fact", "user", "works on"),
)
GENERAL = Section("general", "General", "综合", "decision")
_EARLIER = Section(EARLIER, "Earlier", "更早", "fact")

TITLES: dict[DocumentName, Section] = {
    "memory": Section("#", "Memory", "记忆"),
    "user": Section("#", "User", "用户"),
    "project": Section("#", "Projects", "项目进展"),
    "insights": Section("#", "Insights", "经验"),
    "persona": Section("#", "Persona", "人设"),
}
SECTIONS: dict[DocumentName, tuple[Section, ...]] = {
    "memory": _KINDS,
    "user": _USER,
    "project": (GENERAL, _EARLIER),
    "insights": tuple(section for section in _KINDS if section.key in ("skill", "lesson")),
    "persona": tuple(section for section in _KINDS if section.key == "trait"),
}

# Where a bullet belongs that stands right below the title, or has no section of its own.
USUAL: dict[DocumentName, str] = {
    "memory": "fact",
    "user": "basics",
    "project": "general",
    "insights": "lesson",
    "persona": "trait",
}


def project_sections(projects: tuple[str, ...]) -> tuple[Section, ...]:
    """One section for each project; a name is its own title in both languages."""
    taken = {GENERAL.en.casefold(), GENERAL.zh, _EARLIER.en.casefold(), _EARLIER.zh}
    own = [
        Section(f"project:{name}", _line(name), _line(name), "fact", project=name)
        for name in projects
        if _line(name) and _line(name).casefold() not in taken
    ]
    return (GENERAL, *own, _EARLIER)


def _line(name: str) -> str:
    """A name as a heading gives it back."""
    return " ".join(name.split()).strip(" \t#")[:200]
