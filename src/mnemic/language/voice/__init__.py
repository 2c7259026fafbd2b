"""Whose words a user's message is made of: the person's own voice, and what they pasted, quoted,
forwarded or attached.

Hosts put files into a user's message, and people paste mails, pages and chats into theirs. Only
what a person says in their own voice states what they want or who they are; everything else in
the message is material, however it is worded. Four mechanisms find it: delimiters (``delimiters``),
the shape and the heads of lines (``lines``), requests that point at a text (``references``), and
quotation marks. Where a message may present a text without any mark (``presenting``), what it says
is the person's own but not certainly so. Where there is a trained reader, it judges what these go
by words for; explicit marks decide alone.

Pure, and linear in the text: of a very long message the two ends are read.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TypeVar, cast

from mnemic.language.voice.blocks import Block, MessageLayout, Reason, merge
from mnemic.language.voice.delimiters import find_delimited, last_delimiter, quotations
from mnemic.language.voice.lines import by_lines, find_quoted_lines
from mnemic.language.voice.presenting import in_doubt, is_other_language
from mnemic.language.voice.references import find_pointed
from mnemic.language.voice.stretches import Stretch, VoiceJudge
from mnemic.late import dataclass
from mnemic.patterns import defer

__all__ = [
    "Reason",
    "VoiceJudge",
    "VoiceSpan",
    "has_quoted",
    "own_voice",
    "read_quoted",
    "split_voice",
]

Text = TypeVar("Text", bound=str)
READ = 8_000  # characters at either end of a message
_CUT = "\n\n"  # between them
GAP = "\ufffc"  # stands for what was taken out; no pattern of the extraction matches it
# What words alone say is presented, which a reader judges better.
_BY_WORDS = frozenset[Reason]({"doubt", "label", "pointed", "speech"})
# What begins by its shape and has no mark for its end.
_OPEN = frozenset[Reason]({"mail", "transcript", "marker"})
# The likelihood of being somebody else's text, above which it is, and above which it may be: with
# words of one's own beside it, and without.
_IS_OTHERS, _MAY_BE_OTHERS, _MAY_STAND_ALONE = 0.8, 0.2, 0.7
# One line without any of these has no delimiter, head, label or quotation.
_STRUCTURE = defer(r"[\n\r<>:：\"“”‘「『《{\[【`＂＜＞]|[A-Za-z0-9+/=_-]{120}|'''")


@dataclass(frozen=True, slots=True)
class VoiceSpan:
    """A stretch of a message; ``reason`` says why it is quoted and is None for the own voice."""

    start: int
    end: int
    reason: Reason | None

    @property
    def own(self) -> bool:
        return self.reason is None


def split_voice(text: str) -> tuple[VoiceSpan, ...]:
    """The message as consecutive spans, which together are the whole of it."""
    if not text:
        return ()
    spans: list[VoiceSpan] = []
    place = 0
    for block in _locate(text):
        if block.start > place:
            spans.append(VoiceSpan(place, block.start, None))
        spans.append(VoiceSpan(block.start, block.end, block.reason))
        place = block.end
    if place < len(text):
        spans.append(VoiceSpan(place, len(text), None))
    return tuple(spans)


def own_voice(
    text: Text, gap: str = " ", *, certain: bool = False, judge: VoiceJudge | None = None
) -> Text:
    """What the person says in their own voice, with ``gap`` for everything else; where it is to be
    ``certain``, without what may be of a text that the message presents.
    """
    blocks = _locate(text, certain=certain, judge=judge)
    if not blocks:
        return text
    parts: list[str] = []
    place = 0
    for block in blocks:
        parts += [text[place : block.start], gap]
        place = block.end
    return cast(Text, "".join([*parts, text[place:]]))  # less of a safe text is safe


def read_quoted(text: str, judge: VoiceJudge | None = None) -> str:
    """What the message holds of others' words, a line for each block."""
    return "\n".join(text[block.start : block.end] for block in _locate(text, judge=judge))


def has_quoted(text: str, judge: VoiceJudge | None = None) -> bool:
    """Whether a message holds a block of others' words; a quotation in its own talk is none, nor
    is the middle of a long one by itself.
    """
    return any(block.reason not in ("inline", "long") for block in _locate(text, judge=judge))


def _locate(text: str, *, certain: bool = False, judge: VoiceJudge | None = None) -> list[Block]:
    if len(text) <= 2 * READ:
        return _blocks_in(text, certain, judge)
    # Nobody tells that much of himself: the beginning is read, and what comes after the last
    # delimiter or else the last paragraph; whatever is open at the cut stays open.
    tail = last_delimiter(text, len(text) - READ)
    if tail is None:
        tail = max(text.rfind("\n\n", len(text) - READ), len(text) - READ)
    moved = tail - READ - len(_CUT)
    blocks = [
        Block(_move(block.start, moved), _move(block.end, moved), block.reason)
        for block in _blocks_in(text[:READ] + _CUT + text[tail:], certain, judge)
    ]
    return merge([*blocks, Block(READ, tail, "long")], text)


def _move(place: int, by: int) -> int:
    return place if place <= READ else max(READ, place + by)


def _blocks_in(text: str, certain: bool, judge: VoiceJudge | None) -> list[Block]:
    structured = _STRUCTURE.search(text)
    blocks = merge(find_delimited(text), text) if structured else []
    judged = judge(text) if judge and not is_other_language(text) else ()
    mechanisms = _MECHANISMS if structured else (find_pointed,)
    for find in (*mechanisms, *([in_doubt] if certain else ())):
        if judged and find in _WORDS_ALONE:
            continue
        candidates = find(MessageLayout(text, blocks))
        more = [block for block in candidates if not judged or block.reason not in _BY_WORDS]
        more = [closed for block in more for closed in _close(block, text, judged)]
        if more:
            blocks = merge([*blocks, *more], text)
    # Beside words of one's own a text is presented; without any, what it is must be plainer.
    framed = any(likely < _MAY_BE_OTHERS for _, likely in judged)
    least = _IS_OTHERS if not certain else _MAY_BE_OTHERS if framed else _MAY_STAND_ALONE
    others = [Block(*place, "doubt") for place, likely in judged if likely >= least]
    return merge([*blocks, *others], text) if others else blocks


def _close(block: Block, text: str, judged: Sequence[tuple[Stretch, float]]) -> Iterator[Block]:
    """A block as it is; one that only the end of the message closes, up to its last stretch that
    may be somebody else's.
    """
    if not judged or block.reason not in _OPEN or text[block.end :].strip():
        yield block
        return
    ends = [
        end for (start, end), likely in judged if start >= block.start and likely >= _MAY_BE_OTHERS
    ]
    if ends:
        yield replace(block, end=max(ends))


_MECHANISMS = (find_quoted_lines, by_lines, find_pointed, quotations)
_WORDS_ALONE = (find_pointed, in_doubt)
