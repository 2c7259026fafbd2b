"""The scratchpad: markdown that people can write and rules can keep up to date.

Known headings, in English or Chinese, become fields; a section under any other heading is kept as
it is. Reading and writing again loses nothing but the layout of lists.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Literal

from recollect.language.code import compiled
from recollect.language.markdown import stripped
from recollect.types import Completion, PadSection, Scratchpad

Language = Literal["en", "zh"]
Name = Literal["focus", "projects", "completions", "questions", "next_steps"]

_HEADINGS: dict[Name, dict[Language, tuple[str, ...]]] = {
    "focus": {
        "en": ("Current task", "Current focus", "Focus"),
        "zh": ("当前任务", "当前关注", "当前焦点", "当前重点"),
    },
    "projects": {
        "en": ("Active projects", "Projects", "Current projects"),
        "zh": ("当前项目", "活跃项目", "进行中的项目"),
    },
    "completions": {
        "en": ("Recently done", "Recent completions", "Recent progress", "Done"),
        "zh": ("近期完成", "近期进展", "最近完成"),
    },
    "questions": {
        "en": ("Open questions", "Questions"),
        "zh": ("未解决的问题", "待解决的问题", "待解决问题", "开放问题"),
    },
    "next_steps": {
        "en": ("Next steps", "Next"),
        "zh": ("下一步", "下一步计划", "后续计划"),
    },
}
_TITLES: dict[str, tuple[Name, Language]] = {
    title.casefold(): (name, language)
    for name, titles in _HEADINGS.items()
    for language, spellings in titles.items()
    for title in spellings
}
_HEADING = r"#{1,2}[ \t]+(?P<title>.*?)[ \t]*#*[ \t]*"
_FENCE = r"[ \t]{0,3}(?:```|~~~)"
_BULLET = r"(?s)[-*+•]\s+(?P<text>.*)"
_DONE = r"(?s)(?P<at>\d{4}-\d\d-\d\d \d\d:\d\d) UTC · (?P<task>.*\S)"
_HAN = "[\u3400-\u9fff]"


def parse(markdown: str) -> Scratchpad:
    """What a scratchpad says."""
    bodies: dict[Name, list[str]] = {name: [] for name in _HEADINGS}
    other: list[PadSection] = []
    spoken: list[Language] = []
    for heading, lines in _sections(markdown.replace("\r\n", "\n")):
        body = stripped(lines)
        section = _TITLES.get(_title(heading).casefold())
        if section is not None:
            bodies[section[0]] += body
            spoken += [section[1]] if body else []
        elif heading or body:
            other.append(PadSection(heading, "\n".join(body)))
    return Scratchpad(
        focus="\n".join(bodies["focus"]),
        projects=_items(bodies["projects"]),
        completions=tuple(map(_completion, _items(bodies["completions"]))),
        questions=_items(bodies["questions"]),
        next_steps=_items(bodies["next_steps"]),
        other=tuple(other),
        language=_language(spoken, other),
        text=markdown,
    )


def render(pad: Scratchpad) -> str:
    """The scratchpad as markdown, with the headings of its language."""
    done = [_completed(one) for one in pad.completions]
    bodies: dict[Name, str] = {
        "focus": pad.focus,
        "projects": _listed(pad.projects),
        "completions": _listed(done),
        "questions": _listed(pad.questions),
        "next_steps": _listed(pad.next_steps),
    }
    first = [section for section in pad.other if not section.heading]
    rest = [section for section in pad.other if section.heading]
    sections = [
        PadSection(f"## {heading(name, pad.language)}", body)
        for name, body in bodies.items()
        if body
    ]
    blocks = ("\n".join(filter(None, (s.heading, s.text))) for s in (*first, *sections, *rest))
    written = "\n\n".join(blocks)
    return f"{written}\n" if written else ""


def rendered(pad: Scratchpad) -> Scratchpad:
    """The same with its text written anew."""
    return replace(pad, text=render(pad))


def heading(name: Name, language: Language) -> str:
    """The title of a known section."""
    return _HEADINGS[name][language][0]


def language_of(text: str) -> Language:
    """Chinese if it has any, else English."""
    return "zh" if compiled(_HAN).search(text) else "en"


def _sections(markdown: str) -> list[tuple[str, list[str]]]:
    """Heading lines and what stands under them; the first has no heading."""
    lines = markdown.split("\n")
    fenced = _fenced(lines)
    sections: list[tuple[str, list[str]]] = [("", [])]
    for number, line in enumerate(lines):
        if number not in fenced and compiled(_HEADING).fullmatch(line):
            sections.append((line.rstrip(), []))
        else:
            sections[-1][1].append(line)
    return sections


def _fenced(lines: Sequence[str]) -> frozenset[int]:
    """Lines of code: a # in them is no heading. A fence that is never closed is none."""
    inside: set[int] = set()
    marks = [number for number, line in enumerate(lines) if compiled(_FENCE).match(line)]
    for start, end in zip(marks[::2], marks[1::2], strict=False):
        inside.update(range(start, end + 1))
    return frozenset(inside)


def _title(line: str) -> str:
    match = compiled(_HEADING).fullmatch(line)
    return match["title"].rstrip(":：") if match else ""


def _items(lines: Sequence[str]) -> tuple[str, ...]:
    """One item a line, without its bullet."""
    items = []
    for line in lines:
        match = compiled(_BULLET).fullmatch(line.strip())
        items.append(match["text"].strip() if match else line.strip())
    return tuple(filter(None, items))


def _listed(items: Sequence[str]) -> str:
    return "\n".join(f"- {item}" for item in items)


def _completion(item: str) -> Completion:
    match = compiled(_DONE).fullmatch(item)
    if match is None:
        return Completion(item)
    try:
        at = datetime.strptime(match["at"], "%Y-%m-%d %H:%M").replace(tzinfo=UTC)
    except ValueError:
        return Completion(item)
    return Completion(match["task"], at)


def _completed(done: Completion) -> str:
    if done.at is None:
        return done.task
    at = done.at.astimezone(UTC).replace(tzinfo=None)
    return f"{at.isoformat(' ', 'minutes')} UTC · {done.task}"


def _language(spoken: Sequence[Language], other: Sequence[PadSection]) -> Language:
    """That of most known headings; without any, Chinese if there is any."""
    if spoken:
        return max(spoken, key=spoken.count)
    return language_of("\n".join(f"{section.heading}\n{section.text}" for section in other))
