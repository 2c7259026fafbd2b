"""The layout of a document: bullets where a person left them, others in their section."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from mnemic.language.markdown import Bullet, Free, MarkdownSection, bullet_lines, strip_blank
from mnemic.language.placeholders import is_placeholder
from mnemic.late import dataclass

TITLE = "#"  # the key of the part that begins a document, and how its heading begins


@dataclass(frozen=True, slots=True)
class LayoutEntry:
    """A generated bullet, and its section unless a person moved it elsewhere."""

    mark: str
    text: str
    section: str


@dataclass(frozen=True, slots=True)
class DocumentLayout:
    """The sections of a document in order: their headings, and their keys by title."""

    headings: Mapping[str, str]
    keys: Mapping[str, str]
    names: frozenset[str]

    def section_of(self, section: MarkdownSection) -> str:
        """The key of a generated section; empty for a person's own."""
        if not section.heading:
            return ""
        title = section.title.casefold()
        if not section.heading.startswith("##"):
            return TITLE if title in self.names else ""
        return self.keys.get(title, "")


def compose(
    parts: Sequence[MarkdownSection], entries: Sequence[LayoutEntry], layout: DocumentLayout
) -> str:
    """The text of a document: the entries, and all of ``parts`` but other marked bullets."""
    texts = {entry.mark: entry.text for entry in entries}
    present = {i.mark for section in parts for i in section.items if isinstance(i, Bullet)}
    waiting: dict[str, list[LayoutEntry]] = {}
    for entry in entries:
        if entry.mark not in present:
            waiting.setdefault(entry.section, []).append(entry)
    written: list[list[str]] = []
    for section in _with_missing(parts, waiting, layout):
        key = layout.section_of(section)
        if key:
            lines = _ours(section, texts, waiting.pop(key, []), layout.headings[key])
        else:
            lines = _theirs(section, texts)
        if lines:
            written.append(lines)
    return "\n\n".join("\n".join(lines) for lines in written) + "\n" if written else ""


def _with_missing(
    parts: Sequence[MarkdownSection], waiting: Mapping[str, object], layout: DocumentLayout
) -> list[MarkdownSection]:
    """The parts, with a heading for each section that is not there yet, after the one before it."""
    sections = list(parts)
    order = list(layout.headings)
    for place, key in enumerate(order):
        keys = [layout.section_of(section) for section in sections]
        if key not in waiting or key in keys:
            continue
        before = [i for i, name in enumerate(keys) if name and name in order[:place]]
        after = [i for i, name in enumerate(keys) if name]
        at = before[-1] + 1 if before else after[0] if after else len(sections)
        sections.insert(at, MarkdownSection(f"## {layout.headings[key]}", ()))
    return sections


def _ours(
    section: MarkdownSection, texts: dict[str, str], more: Sequence[LayoutEntry], title: str
) -> list[str]:
    """A generated section; its placeholders go once it has a statement."""
    filled = bool(more) or any(isinstance(i, Bullet) and i.mark in texts for i in section.items)
    added = [line for e in more for line in bullet_lines(Bullet(e.text, e.mark))]
    blocks: list[list[str]] = []
    in_list = False
    for item in (*section.items, None):
        if isinstance(item, Free):
            lines = strip_blank(item.lines)
        elif item is None:
            lines = added
        elif filled and not item.mark and is_placeholder(item.text):
            lines = []
        else:
            lines = _bullet_lines(item, texts)
        if lines and in_list and not isinstance(item, Free):
            blocks[-1] += lines
        elif lines:
            blocks.append(lines)
            in_list = not isinstance(item, Free)
    hashes = section.heading.split(maxsplit=1)[0]
    body = [line for block in blocks for line in ("", *block)]
    return [f"{hashes} {title}", *body] if body or hashes == TITLE else []


def _theirs(section: MarkdownSection, texts: dict[str, str]) -> list[str]:
    lines = [section.heading] if section.heading else []
    for item in section.items:
        lines += item.lines if isinstance(item, Free) else _bullet_lines(item, texts)
    while lines and not lines[-1].strip():
        lines.pop()
    return lines


def _bullet_lines(bullet: Bullet, texts: dict[str, str]) -> list[str]:
    """The lines of a bullet at its first occurrence; a marked one has its present text."""
    if not bullet.mark:
        return list(bullet.lines)
    text = texts.pop(bullet.mark, None)
    return [] if text is None else bullet_lines(Bullet(text, bullet.mark))
