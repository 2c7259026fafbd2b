"""Whether a message may present a text without a mark.

People put a text behind a question, before a request, under a word on where it came from. There is
no end to such words, so what counts is the other side: a message is the person's own from end to
end only if each of its sentences is plainly talk to the agent. Where one is not, what the others
say is in doubt.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, NamedTuple

from mnemic.language.voice.blocks import Block, Line, MessageLayout
from mnemic.language.voice.words import pattern, words

_DASHES = frozenset("-–—~")
_LONGEST = 300  # characters of a sentence that is looked at
_MOST = 200  # sentences
_FEWEST_WORDS, _FEW = 3, 0.3  # words of a sentence, and the share that English has at least
_FEWEST_HAN = 2  # characters that are a matter of its own
Frame = Literal["ask", "other", "speech"]


class _Sentence(NamedTuple):
    text: str
    start: int
    end: int
    line: int  # 0 is the first
    opens: bool  # whether it begins its line
    alone: bool  # whether it is all of its line, and there are others
    trails: bool  # whether a dash sets it off from what was said


def in_doubt(layout: MessageLayout) -> Iterator[Block]:
    """What may be of a text that the message presents, and what may be the person's own."""
    lines = _without_signature([line for line in layout.lines if line.text])
    if _has_foreign_line([line.text for line in lines]):
        yield Block(0, len(layout.text), "doubt")
        return
    if any(block.reason != "inline" for block in layout.blocks):
        return  # that is the text
    sentences = list(_sentences(layout.text, lines))[:_MOST]
    frames = {n: frame for n, sentence in enumerate(sentences) if (frame := _frame(sentence, n))}
    if _offers_choice(lines, sentences):
        frames[-1] = "ask"
    if len(sentences) == 1 and not _presents_itself(sentences[0].text):
        return  # and nothing that it could present
    for n, sentence in enumerate(sentences):
        frame = frames.get(n)
        others = (other for m, other in frames.items() if other != "speech" or m < n)
        if frame != "ask" and (frame or any(others)):
            yield Block(sentence.start, sentence.end, "doubt")


def _frame(sentence: _Sentence, number: int) -> Frame | None:
    """What a sentence is if it is not plainly talk to the agent."""
    text = pattern("presented_bullet").sub("", sentence.text, count=1)
    if len(text) > _LONGEST or pattern("social").fullmatch(text):
        return None
    if not sentence.trails and is_other_language(text):
        return None
    head = pattern("presented_head").match(text)
    if head:
        return None if _is_own_head(head[1]) else "other"
    if _reports(text):
        return "other" if sentence.trails or pattern("presents_speech").search(text) else "speech"
    if pattern("to_the_agent").search(text) or pattern("standing").search(text):
        return None
    if pattern("asks").search(text) or pattern("world_request").match(text):
        heads = sentence.alone and number == 0
        return None if _asks_agent(text, number) and not (heads and _is_vague(text)) else "ask"
    return None if _states_own(text, sentence, number) else "other"


def _presents_itself(text: str) -> bool:
    """Whether a sentence holds the words of somebody else that it tells of."""
    head = pattern("presented_head").match(text)
    if head:
        return not _is_own_head(head[1]) and bool(pattern("standing").search(text[head.end() :]))
    return _reports(text)


def is_other_language(text: str) -> bool:
    """Whether it is neither English nor Chinese, which are known here and read by a reader."""
    tokens = pattern("presented_word").findall(text)
    if len(tokens) < _FEWEST_WORDS or pattern("presented_han").search(text):
        return False
    light = words("light")
    if text[0].islower() and text[-1].isalnum():
        return False  # a command, or a note
    return sum(word.lower() in light for word in tokens) < _FEW * len(tokens)


def _reports(text: str) -> bool:
    """Whether somebody else speaks or writes, other than in a case that is only thought of."""
    speech = pattern("reported").search(text) or pattern("reported_zh").search(text)
    return bool(speech) and not pattern("supposed").search(text)


def _states_own(text: str, sentence: _Sentence, number: int) -> bool:
    """Whether somebody tells something of himself, or goes on with what he told."""
    if any(pattern(name).search(text) for name in ("came_here", "is_presented", "elsewhere")):
        return False
    if pattern("own_subject").search(text):
        return not (number == 0 and pattern("deixis_or_work").search(text))
    if sentence.trails:
        return False
    if pattern("instruction").match(text):
        return not pattern("deixis").search(text)
    if sentence.opens and _is_own(text):
        return True
    if pattern("presented_thing").search(text):
        return False
    # Of something else one speaks in passing, after a word on oneself.
    return bool(pattern("small_talk").match(text)) or (number > 0 and not sentence.opens)


def _asks_agent(text: str, number: int) -> bool:
    """Whether a question or a request is about a matter of its own, not about a text."""
    if number and pattern("agreement").search(text):
        return True
    if pattern("own_subject").match(text) and pattern("wish").search(text):
        return True
    if pattern("elsewhere").search(text) or (number == 0 and pattern("deixis").search(text)):
        return False
    if pattern("pronoun").search(text):
        return bool(pattern("interrogative").match(text)) and _names_something(text)
    if pattern("answering").search(text):
        return bool(pattern("condition").search(text))
    if pattern("presented_quoted").search(text):
        return True
    formed = pattern("world_request").match(text) or pattern("interrogative").search(text)
    apart = bool(formed) and not pattern("about_text").search(text)
    return (apart or bool(pattern("creating").search(text))) and _has_own_matter(text)


def _is_vague(text: str) -> bool:
    """Whether a question on a line of its own, with more below it, may be about what is there."""
    if pattern("opinion").search(text):
        return True
    return not pattern("presented_han").search(text) and not _names_something(text)


def _names_something(text: str) -> bool:
    """Whether it has a name or a figure, other than that of a language."""
    names = pattern("presented_proper").findall(text)
    return any(name.lower() not in words("light") for name in names)


def _has_own_matter(text: str) -> bool:
    """Whether a question or a request names anything that it is about."""
    if any(map(str.isdigit, text)):
        return True
    light = words("light")
    tokens = pattern("presented_word").findall(text)
    if any(word.lower().replace("’", "'") not in light for word in tokens):
        return True
    plain = pattern("light_zh").sub(" ", text)
    return len(pattern("presented_han").findall(plain)) >= _FEWEST_HAN


def _has_foreign_line(lines: list[str]) -> bool:
    """Whether a line is of a letter, a chat, a page or a file rather than of talk to the agent."""
    if any(pattern("not_talk").search(line[:_LONGEST]) for line in lines):
        return True
    if len(lines) < 2:
        return False
    if pattern("signed").match(lines[-1]) and lines[-2][0] != lines[-1][0]:
        return True
    if pattern("addressed").match(lines[0]):
        return True
    return any(pattern("presented_name").match(line) and not _is_own(line) for line in lines)


def _without_signature(lines: list[Line]) -> list[Line]:
    """The lines without the name of a person below them: after a closing, or after a greeting."""
    texts = [line.text for line in lines]
    if len(texts) < 2 or pattern("office").search(texts[-1]):
        return lines
    if pattern("closing").match(texts[-1]):
        return lines[:-1]
    if not pattern("presented_name").match(texts[-1]):
        return lines
    if pattern("closing").match(texts[-2]):
        return lines[:-2]
    return lines[:-1] if pattern("social").fullmatch(texts[0]) else lines


def _is_own_head(head: str) -> bool:
    """Whether a colon leads to the person's own words."""
    if _is_own(head) or pattern("to_the_agent").search(head) or pattern("attention").match(head):
        return True
    return bool(pattern("own_subject").search(head)) and not pattern("of_others").search(head)


def _is_own(line: str) -> bool:
    return any(pattern(name).fullmatch(line) for name in ("own_title", "fillers", "social"))


def _offers_choice(lines: list[Line], sentences: list[_Sentence]) -> bool:
    """Whether somebody is to choose among the items of a list."""
    if sum(bool(pattern("option").match(line.text)) for line in lines) < 2:
        return False
    texts = [sentence.text for sentence in sentences]
    return any(map(pattern("asks").search, filter(pattern("choosing").search, texts)))


def _sentences(text: str, lines: list[Line]) -> Iterator[_Sentence]:
    for number, line in enumerate(lines):
        opens, trails = True, False
        for match in pattern("presented_sentence").finditer(text, line.start, line.end):
            place = match.start()
            for joint in [*pattern("presented_run_on").finditer(text, place, match.end()), None]:
                end = match.end() if joint is None else joint.start()
                body = text[place:end].strip()
                trails = trails or body[:1] in _DASHES
                if any(map(str.isalpha, body)):
                    alone = len(lines) > 1 and len(body) == len(line.text)
                    yield _Sentence(body, place, end, number, opens, alone, trails and not opens)
                    opens = False
                place, trails = end, joint is not None and not joint.group().isspace()
