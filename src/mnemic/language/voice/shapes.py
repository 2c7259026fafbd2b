"""Blobs by their shape: chats, logs, tables, diffs, code, JSON, YAML, encoded data."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from mnemic.language.code import is_code
from mnemic.language.voice.blocks import Block, Line, MessageLayout
from mnemic.language.voice.words import pattern
from mnemic.patterns import defer

_YAML = defer(r"(?:- )?[a-z][\w.-]{0,40}:(?:\s|$)")
_ROWS = ((",", defer(r"[^,]+,\S")), ("\t", defer(r"[^\t]+\t")))
_FEW_VALUE_WORDS, _FEW_VALUE_HAN = 4, 5


def find_shapes(layout: MessageLayout) -> Iterator[Block]:
    """Blocks whose shape nobody's own talk has."""
    lines = layout.lines
    yield from _json(layout)
    for match in pattern("shape_encoded").finditer(layout.text):
        yield Block(match.start(), match.end(), "data")
    yield from _console(lines)
    yield from _transcript(lines)
    yield from _single_lines(lines)
    yield from _csv(lines)
    yield from _yaml(lines)
    yield from _code(lines)
    yield from _find_indented(lines)


def _json(layout: MessageLayout) -> Iterator[Block]:
    match = pattern("shape_json").search(layout.text)
    if match:
        last = max(layout.text.rfind("}"), layout.text.rfind("]")) + 1
        yield Block(match.start(), last if last > match.end() else len(layout.text), "data")


def _single_lines(lines: list[Line]) -> Iterator[Block]:
    """Lines of logs and tables; of a diff, everything from its first line."""
    for line in lines:
        if pattern("shape_diff").match(line.text):
            yield Block(line.start, lines[-1].end, "data")
            return
        if pattern("shape_log").match(line.text) or pattern("shape_row").match(line.text):
            yield Block(line.start, line.end, "data")


def _console(lines: list[Line]) -> Iterator[Block]:
    """What a shell printed, or who said what in an exported chat: from the first line of it on."""
    for line in lines:
        alone = len(lines) > 1 and pattern("chat_role").fullmatch(line.text.strip("#*_ "))
        if line.text and (alone or pattern("prompt_line").match(line.text)):
            yield Block(line.start, lines[-1].end, "transcript")
            return


def _transcript(lines: list[Line]) -> Iterator[Block]:
    """A pasted conversation: from its first speaker to the paragraph of its last."""
    speakers: list[tuple[int, str]] = []
    certain = False
    sentences = 0
    for n, line in enumerate(lines):
        if ":" not in line.text and "：" not in line.text:
            continue
        stamped = pattern("shape_name_time").match(line.text)
        speaker = stamped or pattern("shape_speaker").match(line.text)
        if speaker is None:
            continue
        who = speaker["who"]
        is_role = pattern("role").fullmatch(who)
        if not is_role and not stamped and _is_key(who):
            continue
        speakers.append((n, who.lower()))
        if stamped or is_role or speaker["when"] or speaker["then"] or who.startswith("@"):
            certain = True
        elif _is_sentence(speaker["what"]):
            sentences += 1
    names = Counter(who for _, who in speakers)
    repeated = len(speakers) >= 3 and max(names.values(), default=0) >= 2
    if not speakers or not (certain or (len(speakers) >= 2 and (repeated or sentences >= 2))):
        return
    first, last = speakers[0][0], speakers[-1][0]
    while last + 1 < len(lines) and lines[last + 1].text:
        last += 1
    yield Block(lines[first].start, lines[last].end, "transcript")


def _is_key(who: str) -> bool:
    """Whether the word before a colon is a key of the speaker's own list, not a name."""
    if pattern("own_key").fullmatch(who):
        return True
    return who.isascii() and not who.startswith("@") and not who[:1].isupper()


def _is_sentence(what: str) -> bool:
    return len(what.split()) >= _FEW_VALUE_WORDS if what.isascii() else len(what) >= _FEW_VALUE_HAN


def _runs(lines: list[Line], shape: re.Pattern[str]) -> Iterator[list[Line]]:
    run: list[Line] = []
    for line in lines:
        if line.text and shape.match(line.text):
            run.append(line)
            continue
        if run:
            yield run
        run = []
    if run:
        yield run


def _csv(lines: list[Line]) -> Iterator[Block]:
    """Three lines or more with the same number of separators and no space after them."""
    for mark, row in _ROWS:
        for run in _runs(lines, row):
            many = Counter(line.text.count(mark) for line in run)
            count, often = many.most_common(1)[0]
            if len(run) >= 3 and count >= 2 and often >= len(run) - 1:
                yield Block(run[0].start, run[-1].end, "data")


def _yaml(lines: list[Line]) -> Iterator[Block]:
    """Nested keys: somebody's own list has no second level with values."""
    for run in _runs(lines, _YAML):
        nested = any(line.indent > run[0].indent for line in run)
        opens = any(line.text.endswith(":") for line in run[:-1])
        if len(run) >= 3 and nested and opens:
            yield Block(run[0].start, run[-1].end, "data")


def _code(lines: list[Line]) -> Iterator[Block]:
    """Code without a fence: two lines of it and more, comments among them."""
    code: list[Line] = []
    for line in lines:
        deeper = bool(code) and line.indent > code[-1].indent and code[-1].end == line.start
        if line.text and (deeper or _is_code(line.text)):
            code.append(line)
    comments = [line for line in lines if line.text and pattern("shape_comment").match(line.text)]
    if code and len({line.start for line in (*code, *comments)}) >= 2:
        for line in (*code, *comments):
            yield Block(line.start, line.end, "code")


def _is_code(text: str) -> bool:
    return is_code(text) or bool(pattern("shape_assigns").match(text) and text.isascii())


def _find_indented(lines: list[Line]) -> Iterator[Block]:
    """A block set in by four columns after an empty line, where other lines are not."""
    if not any(line.text and line.indent == 0 for line in lines):
        return
    inside = False
    for n, line in enumerate(lines):
        if not line.text:
            continue
        apart = n == 0 or not lines[n - 1].text
        deep = line.indent >= 4 and not pattern("shape_list").match(line.text)
        inside = deep and (inside or apart)
        if inside:
            yield Block(line.start, line.end, "code")
