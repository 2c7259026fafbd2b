"""Outcome of a conversation, by its last messages and tool results.

The word of the user counts first, then what the tools answered last, then how the agent closed.
"""

from __future__ import annotations

from collections.abc import Sequence

from mnemic.language.fence import strip_fenced
from mnemic.language.word_file import WordFile
from mnemic.types import ActionNode, Outcome, Turn

_LOOK = 600  # characters at the end of a message
pattern = WordFile("mnemic.language", "outcome.toml").pattern


def outcome_of(
    turns: Sequence[Turn], actions: Sequence[ActionNode], *, ended: bool = True
) -> Outcome:
    """The outcome of these turns; ``ended`` when no more of them will come."""
    user_turns = [(n, turn) for n, turn in enumerate(turns) if turn.role == "user"]
    if user_turns:
        place, last = user_turns[-1]
        judged = verdict(last.text)
        if judged is not None:
            return _after(judged, turns[place + 1 :], actions)
    if turns and turns[-1].role == "user":
        return "ongoing"
    return _by_work(turns, actions, ended=ended)


def verdict(message: str) -> Outcome | None:
    """What a message of the user says of the work so far, if it speaks of it."""
    text = strip_fenced(message)[-_LOOK:].strip()
    if pattern("later").search(text):
        return "ongoing"
    if pattern("partly").search(text):
        return "partial"
    if _is_half_done(text) and pattern("good").search(text):
        return "partial"
    bad = max((match.start() for match in pattern("bad").finditer(text)), default=-1)
    # What a failure says of success ("not fixed") is no success: only what stands outside counts.
    plain = pattern("bad").sub(lambda match: " " * len(match.group()), text)
    good = max((match.start() for match in pattern("good").finditer(plain)), default=-1)
    if bad < 0 and good < 0:
        return None
    if bad < 0:
        return _unless_asking(text, good)
    if good > bad:
        return _unless_asking(text, good)
    return "partial" if good >= 0 and pattern("but").search(text[good:bad]) else "failed"


def _unless_asking(text: str, good: int) -> Outcome | None:
    """Thanks with a request or a question after them are no end ("谢谢，再帮我…")."""
    rest = text[good:]
    asks = pattern("asks").search(rest) or pattern("wants_more").search(rest)
    return None if asks else "success"


def _after(judged: Outcome, later: Sequence[Turn], actions: Sequence[ActionNode]) -> Outcome:
    """A complaint that was worked on since, without an error, and not judged again."""
    if judged != "failed" or not later:
        return judged
    since = [action for action in actions if action.at >= later[0].at]
    return "partial" if since and since[-1].success else "failed"


def _by_work(turns: Sequence[Turn], actions: Sequence[ActionNode], *, ended: bool) -> Outcome:
    closing = next((turn.text for turn in reversed(turns) if turn.role == "assistant"), "")
    closing = strip_fenced(closing)[-_LOOK:].strip()
    if actions and not actions[-1].success:
        return "partial" if any(action.success for action in actions) else "failed"
    if pattern("admits").search(closing):
        return "partial" if any(action.success for action in actions) else "failed"
    if _is_half_done(closing):
        return "partial"
    if not ended or not closing or pattern("asks").search(closing):
        return "ongoing"
    if any(_asks_for_input(sentence) for sentence in pattern("sentence").findall(closing)):
        return "ongoing"
    return "failed" if pattern("undone").search(closing) else "success"


def _is_half_done(text: str) -> bool:
    undone = pattern("undone").search(text)
    return (
        undone is not None and pattern("done").search(pattern("undone").sub(" ", text)) is not None
    )


def _asks_for_input(sentence: str) -> bool:
    wanted = pattern("needs_input").search(sentence)
    return wanted is not None and pattern("polite").search(sentence) is None
