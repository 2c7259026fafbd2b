"""The scratchpad: markdown that people can write and rules can keep up to date.

Known headings, in English or Chinese, become fields; a section under any other heading is kept as
it is. Reading and writing again loses nothing but the layout of lists.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence
from dataclasses import replace
from datetime import datetime
from functools import cache
from typing import Literal, get_args

from mnemic.language.fence import strip_fenced
from mnemic.language.gate import is_nod
from mnemic.language.markdown import strip_blank
from mnemic.language.story import is_order
from mnemic.language.tasks import end_of_task, task_in
from mnemic.language.topic import overlap, telling_words
from mnemic.language.truncation import cut
from mnemic.language.word_file import WordFile
from mnemic.patterns import defer
from mnemic.prompts import ByLanguage, Language
from mnemic.settings.learning import ScratchpadSettings
from mnemic.types import Completion, Episode, PadSection, Scratchpad

_FILE = WordFile("mnemic.language", "scratchpad.toml")
pattern = _FILE.pattern

_COMPLETIONS = 5  # finished tasks that are kept, as in document B §4
_TASK_CHARS = 120  # of a task: one line
_SAME_TOPIC = 0.2  # share of telling words that a message has in common with its task

_TOLD = 0.8  # share of the words of a task that the story of the session that did it has
_FEWEST_WORDS = 2  # telling words below which a message has no topic of its own, unless an order
_MARKUP = defer(r"^[\s#>*+•-]+")


def advance(
    pad: Scratchpad, message: str, at: datetime, settings: ScratchpadSettings
) -> Scratchpad:
    """The scratchpad after a message of the user: the task it states is the one at hand.

    A task ends when the user says that it is done or not wanted any more. When the topic changes,
    the task before it joins what was done. On the same topic only another order takes its place;
    talk, thanks, reports and follow-ups change nothing.
    """
    if pad.focus and (ended := end_of_task(strip_fenced(message))):
        after = _with_done(pad, pad.focus, at, _COMPLETIONS) if ended == "done" else pad
        pad = fit(replace(after, focus=""), settings.max_chars)
    task = task_of(message, _TASK_CHARS)
    if not task or task == pad.focus:
        return pad
    if not pad.focus:
        language = pad.language if pad.text.strip() else language_of(task)
        return fit(replace(pad, focus=task, language=language), settings.max_chars)
    if switches(pad.focus, message, _SAME_TOPIC):
        done = _with_done(pad, pad.focus, at, _COMPLETIONS)
        return fit(replace(done, focus=task), settings.max_chars)
    if not is_order(message) or pattern("goes_on").search(message):
        return pad
    return fit(replace(pad, focus=task), settings.max_chars)


def assign(pad: Scratchpad, task: str, at: datetime, settings: ScratchpadSettings) -> Scratchpad:
    """The scratchpad with the task that the host hands over; without one nothing is at hand.

    The task before joins what was done, unless this one is the same in other words. A word to go on
    is no task.
    """
    task = _one_line(task)
    if task == pad.focus or (task and is_nod(task)):
        return pad
    same = overlap(telling_words(pad.focus), telling_words(task)) >= _SAME_TOPIC
    if pad.focus and not same:
        pad = _with_done(pad, pad.focus, at, _COMPLETIONS)
    language = pad.language if pad.text.strip() else language_of(task)
    return fit(replace(pad, focus=task, language=language), settings.max_chars)


def conclude(
    pad: Scratchpad, episode: Episode, project: str, settings: ScratchpadSettings
) -> Scratchpad:
    """The scratchpad after a session: a task of it is done, goes on, or is an open question.

    A session that was talk leaves nothing.
    """
    goal = _one_line(episode.goal)
    task = task_of(episode.goal, _TASK_CHARS)
    after = replace(pad, language=pad.language if pad.text.strip() else language_of(goal))
    if project and project not in after.projects:
        after = replace(after, projects=(project, *after.projects))
    if episode.outcome == "success":
        if task:
            after = _with_done(after, task, episode.ended_at, _COMPLETIONS)
        telling = telling_words(episode.summary)
        if after.focus and overlap(telling_words(after.focus), telling) >= _TOLD:
            after = _with_done(after, after.focus, episode.ended_at, _COMPLETIONS)
            after = replace(after, focus="")
        elif goal and not switches(after.focus, goal, _SAME_TOPIC):
            after = replace(after, focus="")
        others = tuple(question for question in after.questions if question != goal)
        after = replace(after, questions=others)
    elif episode.outcome == "failed" and (task or goal.endswith(("?", "？"))):
        after = replace(after, questions=tuple(dict.fromkeys((*after.questions, goal))))
    elif episode.outcome != "failed" and task:
        after = replace(after, focus=task)
    fitted = fit(after, settings.max_chars)
    return fitted if len(fitted.text) <= settings.max_chars else pad


def task_of(message: str, limit: int) -> str:
    """The task that a message states, on one line; empty for talk, questions and facts."""
    task = task_in(_MARKUP.sub("", strip_fenced(message).strip()))
    return cut(_MARKUP.sub("", task), limit)


def open_part(pad: Scratchpad, *, focus: bool, questions: Container[str]) -> Scratchpad:
    """What is still to be done: the task at hand and open questions where they are current, and
    what people wrote. What is done, and a list of projects, are no tasks.
    """
    return replace(
        pad,
        focus=pad.focus if focus else "",
        projects=(),
        completions=(),
        questions=tuple(question for question in pad.questions if question in questions),
    )


def switches(focus: str, message: str, same_topic: float) -> bool:
    """Whether a message leaves the task at hand: by saying so, or by other words altogether."""
    if pattern("switches").search(message):
        return True
    words = telling_words(strip_fenced(message))
    fewest = 1 if is_order(message) else _FEWEST_WORDS
    if len(words) < fewest or pattern("goes_on").search(message):
        return False
    return overlap(telling_words(focus), words) < same_topic


def fit(pad: Scratchpad, limit: int) -> Scratchpad:
    """At most ``limit`` characters: the oldest completions go first, then the task is cut short.

    What else is on it stays, however long: it may be a person's.
    """
    while len(render(pad)) > limit and pad.completions:
        pad = replace(pad, completions=pad.completions[:-1])
    over = len(render(pad)) - limit
    if over > 0 and pad.focus:
        pad = replace(pad, focus=cut(pad.focus, max(0, len(pad.focus) - over)))
    return renew_text(pad)


def _with_done(pad: Scratchpad, task: str, at: datetime, most: int) -> Scratchpad:
    """Newest first; a task that is done again has its new time."""
    minute = at.replace(second=0, microsecond=0)
    task = " ".join(task.split())
    others = tuple(completion for completion in pad.completions if completion.task != task)
    return replace(pad, completions=(Completion(task, minute), *others)[:most])


def _one_line(goal: str) -> str:
    """A goal without marks that would be markdown."""
    return cut(_MARKUP.sub("", " ".join(goal.split())), _TASK_CHARS)


Name = Literal["focus", "projects", "completions", "questions", "next_steps"]
_HEADING = defer(r"#{1,2}[ \t]+(?P<title>.*?)[ \t]*#*[ \t]*")
_FENCE = defer(r"[ \t]{0,3}(?:```|~~~)")
_BULLET = defer(r"(?s)[-*+•]\s+(?P<text>.*)")
_DONE = defer(r"(?s)(?P<at>\d{4}-\d\d-\d\d \d\d:\d\d)(?P<zone> UTC|[+-]\d\d:\d\d) · (?P<task>.*\S)")
_HAN = defer("[\u3400-\u9fff]")


@cache
def _headings() -> dict[Name, ByLanguage[tuple[str, ...]]]:
    """The titles of each section; the first of a language is the one that is written."""
    english, chinese = _FILE.tree()["english"], _FILE.tree()["chinese"]
    return {
        name: ByLanguage(en=tuple(english[name].split("|")), zh=tuple(chinese[name].split("|")))
        for name in get_args(Name)
    }


@cache
def _titles() -> dict[str, tuple[Name, Language]]:
    return {
        title.casefold(): (name, language)
        for name, titles in _headings().items()
        for language, spellings in titles.items()
        for title in spellings
    }


def parse(markdown: str) -> Scratchpad:
    """What a scratchpad says."""
    bodies: dict[Name, list[str]] = {name: [] for name in get_args(Name)}
    other: list[PadSection] = []
    spoken: list[Language] = []
    for heading, lines in _sections(markdown.replace("\r\n", "\n")):
        body = strip_blank(lines)
        section = _titles().get(_title(heading).casefold())
        if section is not None:
            bodies[section[0]] += body
            spoken += [section[1]] if body else []
        elif heading or body:
            other.append(PadSection(heading, "\n".join(body)))
    task = bodies["focus"]
    return Scratchpad(
        focus="\n".join(task if len(task) > 1 else _items(task)),
        projects=_items(bodies["projects"]),
        completions=tuple(map(_read_completion, _items(bodies["completions"]))),
        questions=_items(bodies["questions"]),
        next_steps=_items(bodies["next_steps"]),
        other=tuple(other),
        language=_language(spoken, other),
        text=markdown,
    )


def render(pad: Scratchpad) -> str:
    """The scratchpad as markdown, with the headings of its language."""
    bodies: dict[Name, str] = {
        "focus": pad.focus,
        "projects": _list(pad.projects),
        "completions": _list(map(_format_completion, pad.completions)),
        "questions": _list(pad.questions),
        "next_steps": _list(pad.next_steps),
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


def renew_text(pad: Scratchpad) -> Scratchpad:
    """The same with its text written anew."""
    return replace(pad, text=render(pad))


def heading(name: Name, language: Language) -> str:
    """The title of a known section."""
    return _headings()[name][language][0]


def language_of(text: str) -> Language:
    """Chinese if it has any, else English."""
    return "zh" if _HAN.search(text) else "en"


def _sections(markdown: str) -> list[tuple[str, list[str]]]:
    """Heading lines and what stands under them; the first has no heading."""
    lines = markdown.split("\n")
    fenced = _find_code(lines)
    sections: list[tuple[str, list[str]]] = [("", [])]
    for number, line in enumerate(lines):
        if number not in fenced and _HEADING.fullmatch(line):
            sections.append((line.rstrip(), []))
        else:
            sections[-1][1].append(line)
    return sections


def _find_code(lines: Sequence[str]) -> frozenset[int]:
    """Lines of code: a # in them is no heading. A fence that is never closed is none."""
    inside: set[int] = set()
    marks = [number for number, line in enumerate(lines) if _FENCE.match(line)]
    for start, end in zip(marks[::2], marks[1::2], strict=False):
        inside.update(range(start, end + 1))
    return frozenset(inside)


def _title(line: str) -> str:
    match = _HEADING.fullmatch(line)
    return match["title"].rstrip(":：") if match else ""


def _items(lines: Sequence[str]) -> tuple[str, ...]:
    """One item a line, without its bullet."""
    entries = []
    for line in lines:
        match = _BULLET.fullmatch(line.strip())
        entries.append(match["text"].strip() if match else line.strip())
    return tuple(filter(None, entries))


def _list(entries: Iterable[str]) -> str:
    return "\n".join(f"- {entry}" for entry in entries)


def _read_completion(entry: str) -> Completion:
    match = _DONE.fullmatch(entry)
    if match is None:
        return Completion(entry)
    try:
        at = datetime.fromisoformat(match["at"] + match["zone"].replace(" UTC", "+00:00"))
    except ValueError:
        return Completion(entry)
    return Completion(match["task"], at)


def _format_completion(done: Completion) -> str:
    if done.at is None:
        return done.task
    at = done.at.isoformat(" ", "minutes").replace("+00:00", " UTC")
    return f"{at} · {done.task}"


def _language(spoken: Sequence[Language], other: Sequence[PadSection]) -> Language:
    """That of most known headings; without any, Chinese if there is any."""
    if spoken:
        return max(spoken, key=spoken.count)
    return language_of("\n".join(f"{section.heading}\n{section.text}" for section in other))
