"""Blocks by lines: quoted lines, rulers and markers as brackets, mail, heads, and blobs."""

from __future__ import annotations

import re
from collections.abc import Iterator

from mnemic.language.voice.blocks import Block, Line, MessageLayout, Reason
from mnemic.language.voice.heads import HEAD_KINDS, head_of, is_own_title, request_tail
from mnemic.language.voice.references import introduces_block, is_pointing
from mnemic.language.voice.shapes import find_shapes
from mnemic.language.voice.words import pattern
from mnemic.patterns import defer

_ASKING = defer(r"(?i)(?:question|query|q|问题|提问|问)\s?[:：]")
_END_MARKER = defer(
    r"(?i:[\[【(（{<]+[ \t]*(?:end|stop|结束|完)\b[^\]】)）}>\n]{0,60}[\]】)）}>]+)"
    r"|(?-i:(?:END|EOF|STOP)(?: [A-Z ]{2,30})?)$|[【\[]结束[^】\]]{0,20}[】\]]|[A-Z_]*\s*>>>+$"
)


def by_lines(layout: MessageLayout) -> Iterator[Block]:
    """Blocks that lines begin and end."""
    yield from find_shapes(layout)
    lines = layout.lines
    n = 0
    while n < len(lines):
        opened = _opens(layout, lines, n) if lines[n].text else None
        if opened is None:
            n += 1
            continue
        block, n = opened
        yield block
    yield from _rulers(layout, lines)


def find_quoted_lines(layout: MessageLayout) -> Iterator[Block]:
    """Lines marked as quoted, as in mails and Markdown."""
    for line in layout.lines:
        if line.text[:1] in ">＞|│" and line.text and pattern("line_quoted").match(line.text):
            yield Block(line.start, line.end, "quotation")


def _opens(layout: MessageLayout, lines: list[Line], n: int) -> tuple[Block, int] | None:
    """The block that a line opens, and the number of the line after it."""
    line, end = lines[n], len(layout.text)
    closing = _closing_of(line.text)
    if closing is not None:
        return _until(lines, n, closing, end)
    title = _title(line.text)
    ends = title is not None and pattern("line_ends").search(title)
    if ends or _END_MARKER.match(line.text):
        return Block(0, line.end, "ruler" if ends else "marker"), n + 1
    if title is not None:
        return _to_ruler(lines, n, end)
    mail = _mail(lines, n)
    if mail is None:
        return _by_head(layout, lines, n)
    if mail == n and introduces_block(layout, lines, n):
        return None
    return _open_end(lines, mail, line.start, "mail", end)


def _closing_of(text: str) -> re.Pattern[str] | None:
    """The pattern of the line that ends what this one begins, if it is a marker or a label."""
    if pattern("line_marker").match(text) or (
        text[0] in "[【📎📄🔗" and pattern("label").match(text)
    ):
        return _END_MARKER
    heredoc = pattern("line_heredoc").search(text) if "<<" in text else None
    return re.compile(rf"{heredoc['word']}$") if heredoc else None


def _by_head(layout: MessageLayout, lines: list[Line], n: int) -> tuple[Block, int] | None:
    """What a head with a colon introduces: the rest of its paragraph, or of the message."""
    line = lines[n]
    head = head_of(line.text)
    if head is None or (not head.tail and introduces_block(layout, lines, n)):
        return None
    start = layout.text.index(line.text, line.start) + head.end
    reason: Reason = HEAD_KINDS[head.kind]
    if head.kind == "speech" and head.tail:
        texts = (m for m in range(n, len(lines) - 1) if not lines[m + 1].text)
        last = next(texts, len(lines) - 1)  # of the paragraph
        return Block(start, lines[last].end, reason), last + 1
    if head.kind == "template":
        asking = (m for m in range(n + 1, len(lines)) if _ASKING.match(lines[m].text))
        last = next(asking, 0)
        return (Block(start, lines[last].start, reason), last) if last else None
    if not head.tail and not any(other.text for other in lines[n + 1 :]):
        return None
    return _open_end(lines, n, start, reason, len(layout.text))


def _mail(lines: list[Line], n: int) -> int | None:
    """The last line of the head of a mail that begins here."""
    text = lines[n].text
    if pattern("forwarded").match(text):
        return n
    if text.endswith((":", "：", "wrote")) and pattern("line_wrote").match(text):
        return n
    if not pattern("header").match(text):
        return None
    last = n
    while last + 1 < len(lines) and pattern("header").match(lines[last + 1].text):
        last += 1
    if last > n:
        return last
    alone = pattern("line_strong_header").match(text) and n + 1 < len(lines)
    return n if alone and (not lines[n + 1].text or "@" in text) else None


def _until(lines: list[Line], n: int, closing: re.Pattern[str], end: int) -> tuple[Block, int]:
    for last in range(n + 1, len(lines)):
        if closing.match(lines[last].text):
            return Block(lines[n].start, lines[last].end, "marker"), last + 1
    return Block(lines[n].start, end, "marker"), len(lines)


def _to_ruler(lines: list[Line], n: int, end: int) -> tuple[Block, int]:
    """From a ruler with a title to the next bare one, or one that says it ends."""
    for last in range(n + 1, len(lines)):
        text = lines[last].text
        title = _title(text)
        bare = title is None and pattern("line_rule").fullmatch(text)
        if bare or (title is not None and pattern("line_ends").search(title)):
            return Block(lines[n].start, lines[last].end, "ruler"), last + 1
    return Block(lines[n].start, end, "ruler"), len(lines)


def _open_end(lines: list[Line], n: int, start: int, reason: Reason, end: int) -> tuple[Block, int]:
    """To the end of the message, except a last paragraph that is plainly the person's request."""
    tail = request_tail(lines, n)
    if tail is None:
        return Block(start, end, reason), len(lines)
    return Block(start, lines[tail].start, reason), tail


def _title(text: str) -> str | None:
    """The title of a ruler that has one: "--- notes.txt ---", "===== report"."""
    if text[:1] not in "-=*_~—–─═━+＝－#" or pattern("line_rule").fullmatch(text):
        return None
    match = pattern("line_titled").fullmatch(text)
    if match is None:
        return None
    opening, closing, title = match["left"], match["right"] or "", match["title"]
    spaced = text[len(opening) : len(opening) + 1].isspace()
    if opening[0] == "#" and not closing:
        return None  # a heading of one's own
    if opening[0] in "*_~" and not spaced:
        return None  # emphasis
    if len(opening) < 3 and not closing:
        return None  # a list, or a dash
    return None if is_own_title(title) else title


def _rulers(layout: MessageLayout, lines: list[Line]) -> Iterator[Block]:
    """What stands between a first and a second bare ruler, a third and a fourth. A single one
    sets apart a text from the request about it.
    """
    bare = [
        n for n, line in enumerate(lines) if line.text and pattern("line_rule").fullmatch(line.text)
    ]
    for first, second in zip(bare[::2], bare[1::2], strict=False):
        yield Block(lines[first].start, lines[second].end, "ruler")
    if len(bare) % 2 == 0:
        return
    ruler = lines[bare[-1]]
    before = [line for line in lines[: bare[-1]] if line.text]
    after = [line for line in lines[bare[-1] + 1 :] if line.text]
    if len(bare) > 1:  # a bracket that was opened
        yield Block(ruler.start, len(layout.text), "ruler")
    elif after and before and _requests(after) and not _requests(before):
        yield Block(0, ruler.end, "ruler")
    elif (after and before and _requests(before)) or (after and not before):
        yield Block(ruler.start, len(layout.text), "ruler")


def _requests(lines: list[Line]) -> bool:
    """Whether the lines are nothing but a short request about a text."""
    return len(lines) <= 2 and any(is_pointing(line.text) for line in lines)
