"""Markdown that a person wrote: a file, or a folder of notes such as an Obsidian vault.

Each bullet and each paragraph is a memory of the owner's. The heading above it is its topic; the
headings above that, the folders, the front matter and ``#words`` are its tags.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, date, datetime
from pathlib import PurePosixPath

from mnemic.errors import InvalidInput
from mnemic.language.markdown import Bullet, MarkdownSection, parse, tidy, visible
from mnemic.language.placeholders import is_placeholder
from mnemic.late import dataclass
from mnemic.moving.front_matter import Fields, split_front_matter
from mnemic.moving.memory_fields import kind_of, read_moment, read_words
from mnemic.moving.pieces import Piece
from mnemic.moving.record_reader import read_members
from mnemic.moving.source import ImportSource
from mnemic.record.messages import UnreadableMessage
from mnemic.types import KINDS, Kind, NewMemory

FORMAT = "markdown"
_SUFFIXES = (".md", ".markdown")
_DATED = re.compile(r"(?<!\d)(\d{4}-\d{2}-\d{2})(?!\d)")
_COMMENT = re.compile(r"<!--.*?-->|^%%.*?%%[ \t]*$", re.S | re.M)
_RULE = re.compile(r"\s*([-*_=])(?:\s*\1){2,}\s*")
_PICTURE = re.compile(r"!\[\[[^\]\n]*\]\]|!\[[^\]\n]*\]\([^)\n]*\)")
_WIKI = re.compile(r"\[\[(?:[^\]|\n]*\|)?([^\]|\n]+)\]\]")
_TASK = re.compile(r"\[(?P<mark>[ xX-])\][ \t]+")
_TAG = re.compile(r"(?<![\w#&/(])#([^\W\d][\w/-]*)")
_LABEL = re.compile(
    r"(?:\[(?P<boxed>[A-Za-z_ ]{2,20})\]|(?P<bare>[A-Za-z_]{2,20})[:：])[ \t]+(?=\S)"
)
_STRUCK = re.compile(r"~~(?P<text>.+)~~[.。]?", re.S)
_NAME = 100  # characters of a heading that make a topic or a tag
_TAGS = 50
_CREATED = ("created", "created_at", "date", "date_created")


@dataclass(frozen=True, slots=True)
class _Note:
    """What holds for everything in a file."""

    name: str
    at: datetime | None
    kind: Kind
    tags: tuple[str, ...]


class MarkdownReader:
    """Reads notes that follow no format of their own."""

    formats = (FORMAT,)

    def recognizes(self, source: ImportSource) -> str:
        is_note = PurePosixPath(source.name).suffix.lower() in _SUFFIXES
        return FORMAT if (is_note if source.is_single else source.files(*_SUFFIXES)) else ""

    def read(self, source: ImportSource, format: str) -> Iterator[Piece]:
        names = source.files(*_SUFFIXES)
        if not names:
            raise InvalidInput(
                f"{source.name} holds no markdown", remedy="Give a folder with files *.md"
            )
        yield from read_members(
            source, names, lambda name, stream: _read_note(source, name, stream.read())
        )


def _read_note(source: ImportSource, name: str, raw: bytes) -> Iterator[Piece]:
    text = raw.decode("utf-8-sig", "replace").replace("\r\n", "\n")
    fields, body = split_front_matter(text)
    try:
        note = _note(source, name, fields)
    except UnreadableMessage as reason:
        yield Piece("front matter", None, str(reason))
        note = _note(source, name, {})
    body = _COMMENT.sub("", body)
    titles: list[tuple[int, str]] = []
    for section in parse(body):
        if section.heading:
            level = len(section.heading) - len(section.heading.lstrip("#"))
            titles = [*(entry for entry in titles if entry[0] < level), (level, section.title)]
        above = [_short(title) for _, title in titles if title.strip()]
        for number, statement in enumerate(_statements(section), 1):
            place = f"{above[-1]}, {number}" if above else f"statement {number}"
            yield from _piece(note, place, statement, above)


def _statements(section: MarkdownSection) -> Iterator[str]:
    for item in section.items:
        if isinstance(item, Bullet):
            yield item.text
            continue
        paragraph: list[str] = []
        fenced = ""
        for line in (*item.lines, ""):
            begins = re.match(r"\s*(`{3,}|~{3,})", line)
            if begins and not fenced:
                fenced = begins[1]
            elif begins and begins[1].startswith(fenced):
                fenced = ""
            if line.strip() or fenced:
                paragraph.append(line)
            else:
                yield "\n".join(paragraph)
                paragraph = []
        yield "\n".join(paragraph)


def _piece(note: _Note, place: str, statement: str, above: list[str]) -> Iterator[Piece]:
    text = _WIKI.sub(r"\1", _PICTURE.sub("", visible(statement))).strip()
    text = _TASK.sub("", text, count=1) if _TASK.match(text) else text
    if not text or _RULE.fullmatch(text) or is_placeholder(text):
        return
    if "\ufffd" in text:
        yield Piece(place, None, "it is not UTF-8")
        return
    kind, text = _kind(text, note.kind)
    if kind == "credential":
        yield Piece(place, None, "it is a credential, which is kept only on request")
        return
    struck = _STRUCK.fullmatch(text)
    text = struck["text"].strip() if struck else text
    words = dict.fromkeys((*note.tags, *above[:-1], *_TAG.findall(text)))
    memory = NewMemory(
        tidy(text) if "```" not in text else text,
        kind,
        topic=above[-1] if above else None,
        tags=tuple(words)[:_TAGS],
        trust="owner",
        # What a person has struck out held until they did.
        valid_to=(note.at or datetime.fromtimestamp(0, UTC)) if struck else None,
        learned_at=note.at,
    )
    yield Piece(place, memory, key=f"{note.name}\n{text}")


def _kind(text: str, usual: Kind) -> tuple[Kind, str]:
    """The kind that the line names itself: ``[rule] …`` or ``Rule: …``."""
    label = _LABEL.match(text)
    if label is None:
        return usual, text
    bare = (label["bare"] or "").lower()  # a word before a colon is mostly no kind
    kind = kind_of(label["boxed"] or (bare if bare in KINDS else ""))
    return (usual, text) if kind is None else (kind, text[label.end() :])


# --- what holds for a file ------------------------------------------------------------------------


def _note(source: ImportSource, member: str, fields: Fields) -> _Note:
    path = PurePosixPath(member or source.name)
    at = read_moment(fields, *_CREATED)
    stated = fields.get("kind") or fields.get("type") or ""
    kind = kind_of(stated) if isinstance(stated, str) else None
    tags = (*path.parts[:-1], *read_words(fields.get("tags"), "tags"))
    return _Note(
        str(path),
        at or _read_day(path.stem) or source.read_mtime(member),
        kind if kind not in (None, "credential") else "fact",
        tuple(_short(tag.lstrip("#")) for tag in tags),
    )


def _read_day(stem: str) -> datetime | None:
    match = _DATED.search(stem)
    try:
        day = date.fromisoformat(match[1]) if match else None
    except ValueError:
        return None
    return None if day is None else datetime(day.year, day.month, day.day, tzinfo=UTC)


def _short(title: str) -> str:
    return title.strip()[:_NAME]


READER = MarkdownReader()
