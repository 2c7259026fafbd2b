"""Prose out of a message, and sentences and clauses out of prose, in linear time."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from recollect.language.code import split_code

LONGEST = 8_000  # characters read at each end of a long message: nobody tells more of himself
LONGEST_SENTENCE = 400
GAP = "\ufffc"  # stands for what was taken out; no pattern matches it

_URL = re.compile(r"(?:https?://|www\.)[^\s，。）)>\"']++")
_INLINE = re.compile(r"`([^`\s]{1,40}+)`")
_QUOTED = re.compile(
    r"“([^“”\n]{1,400})”|「([^「」\n]{1,400})」|『([^『』\n]{1,400})』|《([^《》\n]{1,200})》"
    r"|‘([^‘’\n]{1,400})’(?!\w)|(?<![\w])\"([^\"\n]{1,400})\"(?!\w)|(?<![\w])'("
    r"[^'\n]{2,400})'(?!\w)"
)
_SPOKEN = re.compile(r"[我你他她]|\b(?:i|i'm|my|we|you|he|she|is|are|am)\b", re.I)
_SPLIT = re.compile(
    r"(?<=[。！？!?…])(?![。！？!?…\"'”」])|(?<=[.;；])\s+|\n+|(?<=[^\d\s][.])(?=[\u4e00-\u9fff])"
)
_ABBREVIATED = re.compile(
    r"(?:\b(?:mr|mrs|ms|dr|prof|st|vs|e\.g|i\.e|approx|no|jan|feb|aug|sept|oct|nov"
    r"|dec)|\b[A-Z])\.$",
    re.I,
)
_LOG = re.compile(
    r"\s*(?:>|#|//|\[[\w .-]{2,30}\]\s|\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d"
    r"|\[?\d\d:\d\d:\d\d|\[?(?:DEBUG|INFO|WARN(?:ING)?|ERROR|FATAL|TRACE)\b"
    r"|Traceback|File \"|\$ |#!|<[\w/!]|\||at \w+\.|\+\+\+ |--- |@@ |commit [0-9a-f]{7})"
)
_BULLET = re.compile(r"\s*(?:[-*•·]\s+|\d{1,2}[.)、]\s*|[（(]\d{1,2}[)）]\s*)")
_SPEAKER = re.compile(
    r"\s*(?:\[[^\]\n]{1,30}\]\s*)?(?P<who>[A-Za-z\u4e00-\u9fff]"
    r"[\w .\-\u4e00-\u9fff]{0,24}?)\s?[:：]\s?(?=\S)"
)
_OWN_HEADS = re.compile(
    r"(?:.*\b(?:remember|note|notes|reminder|fyi|ps|rule|rules|decision|decided"
    r"|update|correction|important|btw|memo|intro|mind|memory|reference|repo|project"
    r"|agreed|answer|call|verdict|later|self|too|you"
    r"|set-?up|stack|environment|system|context|background|plan|heads up|todo|name"
    r"|age|job|location|birthday|timezone|email|editor|os|deadline|facts?"
    r"|preferences?|about me|me|this|that)"
    r"|.*(?:记住|记一下|记下来?|记录|备注|注意|规则|决定|结论|更正|更新|补充|说明"
    r"|提醒|重要|约定|要求|原则|姓名|名字"
    r"|职业|生日|所在地|时区|邮箱|编辑器|系统|截止日期|方案|情况|环境|配置|背景"
    r"|技术栈|偏好|记得|备忘|另外|我|忘了|以后))$",
    re.I,
)
_CLAUSES = re.compile(
    r"[，；;]\s*|,\s+|\s+[-–—]{1,2}\s+|——|\s*[()（）]\s*"
    r"|\s+(?:and|but|so|because|since|although|though|while|and also|and then|cause|cuz)\s+"
    r"(?=(?:i|i'm|im|i've|i'd|i'll|my|we|we're|we've|we'll|our|please|always|never"
    r"|don't|from now on|now i|now we|let's|that)\b)"
    r"|\s+(?:so|because|cause|except|even though|which|where|unless)\s+"
    r"|\s+and\s+(?=(?:live in|work (?:at|for|as)|use|prefer|hate|speak|moved to"
    r"|switched to|am|have an?)\b)"
    r"|\s+but\s+|\s+and\s+(?=now\b)",
    re.I,
)


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence with its clauses; both without white space around them."""

    text: str
    clauses: tuple[str, ...]


def sentences(text: str) -> Iterator[Sentence]:
    """The sentences somebody wrote himself: no code, logs, links, long quotes or other speakers."""
    if len(text) > 2 * LONGEST:
        text = f"{text[:LONGEST]}\n{GAP}\n{text[-LONGEST:]}"
    text = text.replace("’", "'") if "‘" not in text else text
    text = _INLINE.sub(lambda m: m[1], text)
    prose = _QUOTED.sub(_unquoted, _URL.sub(GAP, split_code(text)[0]))
    for line in prose.splitlines():
        if _LOG.match(line) or _other_speaker(line):
            yield Sentence(GAP, ())  # keeps what stands before apart from what follows
            continue
        if line.rstrip().endswith((":", "：")) and not _OWN_HEADS.match(line.rstrip(" :：")):
            return  # what follows is a text given to be worked on
        bullet = _BULLET.match(line)
        for sentence in _sentences(line[bullet.end() :] if bullet else line):
            if 1 < len(sentence) <= LONGEST_SENTENCE:
                yield Sentence(sentence, clauses(sentence))


def clauses(sentence: str) -> tuple[str, ...]:
    parts = (part.strip(" .。!！?？…~～、\t:：") for part in _CLAUSES.split(sentence))
    return tuple(part for part in parts if part)


def _sentences(line: str) -> Iterator[str]:
    held = ""
    for part in _SPLIT.split(line):
        held = f"{held} {part}" if held else part
        if len(held) < LONGEST_SENTENCE and _ABBREVIATED.search(held[-8:]):
            continue
        yield held.strip()
        held = ""
    if held:
        yield held.strip()


def _unquoted(match: re.Match[str]) -> str:
    """A quoted name or word stands for itself; what somebody said is taken out."""
    inner = next(filter(None, match.groups()), "")
    words = inner.split()
    short = len(words) <= 3 and len(inner) <= (24 if inner.isascii() else 8)
    return inner if short and not _SPOKEN.search(inner) and inner[-1:] not in "。.!?！？" else GAP


def _other_speaker(line: str) -> bool:
    """A line such as "Bob: I live in Paris" of a pasted conversation."""
    match = _SPEAKER.match(line)
    if not match:
        return False
    who = match["who"].strip()
    return not _OWN_HEADS.match(who) and (len(who.split()) <= 3 and len(who) <= 24)
