"""Attribution: whose a statement is. One by somebody else than the owner gets that person as its
subject, one about the work of a session gets the session's project.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from mnemic.types import Candidate, Kind, Turn

_USER = frozenset({"user", "the user", "用户"})
_PERSONAL: tuple[Kind, ...] = ("identity", "preference", "rule", "trait")
_ABOUT_THE_USER = re.compile(r"(?:the )?user(?P<s>'s)?\b|用户", re.IGNORECASE)
_SPEAKERS = re.compile(r"\b(?:my|our)\b|我", re.IGNORECASE)
_HAN = re.compile(r"[\u4e00-\u9fff]")


_OF_A_PROJECT: tuple[Kind, ...] = ("config", "decision", "lesson", "skill")
_DATED_WORK = frozenset({"deadline", "port", "path", "version", "decision"})
_THIS_PROJECT = re.compile(
    r"\bthis (?:repo|project|codebase|service|branch)\b|这个?(?:项目|仓库|服务|代码库|工程)|本项目",
    re.I,
)


@dataclass(frozen=True, slots=True)
class SessionPlace:
    """The project and the topic of a session, where it has any."""

    project: str = ""
    topic: str = ""


def add_place(candidate: Candidate, place: SessionPlace) -> Candidate:
    """A statement about the work of a session, in its project; what somebody is or likes, and the
    tools a person uses everywhere, belong to none.
    """
    if not place.project and not place.topic:
        return candidate
    of_user = " ".join(candidate.subject.casefold().split()) in _USER
    of_work = candidate.kind in _OF_A_PROJECT or candidate.predicate in _DATED_WORK
    if not ((of_work and not of_user) or _THIS_PROJECT.search(candidate.text)):
        return candidate
    project, topic = candidate.project or place.project, candidate.topic or place.topic
    return replace(candidate, project=project, topic=topic)


def attribute(candidate: Candidate, turns: Sequence[Turn]) -> Candidate:
    """The candidate with the outsider who said it as its subject, never the user.

    ``turns`` are those it may stand on. What is not an outsider's, of nobody in particular, or not
    about the speaker is left as it is.
    """
    if candidate.trust != "external":
        return candidate
    cited = frozenset(candidate.sources)
    senders = {
        turn.sender
        for turn in turns
        if turn.id in cited and turn.role == "user" and turn.trust == "external"
    }
    if len(senders) != 1 or not (sender := senders.pop()):
        return candidate
    if _is_about_the_speaker(candidate):
        text = _attribute_text(candidate.text, sender)
        return replace(candidate, subject=sender, text=text)
    if not _SPEAKERS.search(candidate.text):
        return candidate
    # "My wife is a nurse": the wife of whoever says so.
    subject, text = candidate.subject, _attribute_text(candidate.text, sender)
    if subject.islower() and subject.isascii() and sender.casefold() not in subject.casefold():
        subject = f"{sender}'s {subject}"
    return replace(candidate, subject=subject, text=text)


def _is_about_the_speaker(candidate: Candidate) -> bool:
    """Whether a statement would be taken for one about the user, or for the user's wish."""
    subject = " ".join(candidate.subject.casefold().split())
    if subject in _USER:
        return True
    unsaid = not subject and candidate.kind in _PERSONAL
    return unsaid or bool(_ABOUT_THE_USER.match(candidate.text))


def _attribute_text(content: str, sender: str) -> str:
    if sender.casefold() in content.casefold():
        return content
    about = _ABOUT_THE_USER.match(content)
    if about:
        return f"{sender}{about['s'] or ''}{content[about.end() :]}"
    return f"{sender}：{content}" if _HAN.search(content) else f"{sender}: {content}"
