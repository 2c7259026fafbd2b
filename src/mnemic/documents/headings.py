"""The headings of the documents in either language, and what a bullet below each one says."""

from __future__ import annotations

from dataclasses import dataclass

from mnemic.prompts import ByLanguage, Language
from mnemic.settings.environment import DocumentName
from mnemic.types import Kind

EARLIER = "earlier"


@dataclass(frozen=True, slots=True)
class DocumentSection:
    """A section of a document; ``kind`` is what a bullet becomes that a person adds to it."""

    key: str
    en: str
    zh: str
    kind: Kind = "fact"
    subject: str = ""
    predicate: str = ""
    project: str = ""

    def title(self, language: Language) -> str:
        return ByLanguage(en=self.en, zh=self.zh)[language]


_KINDS = (
    DocumentSection("identity", "Identity", "身份", "identity", "user"),
    DocumentSection("preference", "Preferences", "偏好", "preference", "user"),
    DocumentSection("rule", "Rules", "规则", "rule"),
    DocumentSection("config", "Configuration", "配置", "config"),
    DocumentSection("fact", "Facts", "事实", "fact"),
    DocumentSection("decision", "Decisions", "决定", "decision"),
    DocumentSection("skill", "Skills", "技能", "skill"),
    DocumentSection("lesson", "Lessons", "教训", "lesson"),
    DocumentSection("event", "Events", "事件", "event"),
    DocumentSection("trait", "Traits", "特质", "trait"),
)
_USER = (
    DocumentSection("basics", "Basics", "基本信息", "identity", "user"),
    DocumentSection("stack", "Tech stack", "技术栈", "fact", "user", "uses"),
    DocumentSection("environment", "Environment", "开发环境", "config", "user"),
    DocumentSection("preferences", "Preferences", "偏好", "preference", "user"),
    DocumentSection("projects", "Projects", "项目", "fact", "user", "works on"),
)
GENERAL = DocumentSection("general", "General", "综合", "decision")
_EARLIER = DocumentSection(EARLIER, "Earlier", "更早", "fact")

TITLES: dict[DocumentName, DocumentSection] = {
    "memory": DocumentSection("#", "Memory", "记忆"),
    "user": DocumentSection("#", "User", "用户"),
    "project": DocumentSection("#", "Projects", "项目进展"),
    "insights": DocumentSection("#", "Insights", "经验"),
    "persona": DocumentSection("#", "Persona", "人设"),
}
SECTIONS: dict[DocumentName, tuple[DocumentSection, ...]] = {
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


def project_sections(projects: tuple[str, ...]) -> tuple[DocumentSection, ...]:
    """One section for each project; a name is its own title in both languages."""
    reserved = {GENERAL.en.casefold(), GENERAL.zh, _EARLIER.en.casefold(), _EARLIER.zh}
    own = [
        DocumentSection(f"project:{name}", _line(name), _line(name), "fact", project=name)
        for name in projects
        if _line(name) and _line(name).casefold() not in reserved
    ]
    return (GENERAL, *own, _EARLIER)


def _line(name: str) -> str:
    """A name as a heading gives it back."""
    return " ".join(name.split()).strip(" \t#")[:200]
