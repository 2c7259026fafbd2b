"""Candidates as they may be stored: checked, guarded, or made of a memory again."""

from __future__ import annotations

from typing import cast

from mnemic.errors import InvalidInput
from mnemic.language.dates.moments import maybe_moment
from mnemic.language.guard import Guard
from mnemic.learn.wording import pattern
from mnemic.rules import checks
from mnemic.rules.lifetimes import DURATIONS, is_duration
from mnemic.settings.upkeep import PRIORITIES
from mnemic.types import (
    GENERAL_TOPIC,
    GLOBAL_PROJECT,
    TRUSTS,
    Candidate,
    Kind,
    Memory,
    SafeCandidate,
    SafeName,
    no_metadata,
)

_LONGEST = 1_000_000  # characters of a statement


def check_candidate(candidate: Candidate, guard: Guard, longest: int = _LONGEST) -> SafeCandidate:
    """The candidate as it may be stored, or InvalidInput that says what is wrong."""
    limit = min(guard.characters, longest)
    if not checks.check_text(candidate.text, "text", limit).strip():
        raise InvalidInput("A candidate says nothing", remedy="Give it a text")
    checks.check_choice(candidate.trust, TRUSTS, "trust")
    for name in ("importance", "confidence"):
        share = getattr(candidate, name)
        if share is not None:
            checks.check_share(share, name)
    if candidate.duration and not is_duration(candidate.duration):
        raise InvalidInput(
            f"duration={checks.brief_value(candidate.duration)} is unknown",
            remedy=f"Use one of {', '.join((*DURATIONS, *PRIORITIES))}, or a span such as 30d",
        )
    content = guard.text(candidate.text.strip(), "text", limit)
    labels = checks.check_tags(candidate.tags, guard.tags)

    def label(text: str, what: str) -> SafeName:
        """A label, or nothing where it is only a secret of the statement."""
        checks.check_text(text, what, checks.MAX_NAME)
        return guard.label(guard.part(text, candidate.text, content, what), what)

    word = candidate.kind
    if guard.words.scopes and candidate.origin == "extraction" and word == "rule":
        word = "trait" if pattern("manner").search(content) else word  # C §3: how it speaks
    word, kinds = guard.kind_word(word)
    project = guard.name(candidate.project or GLOBAL_PROJECT, "project")
    metadata = guard.metadata(candidate.metadata) if candidate.metadata else no_metadata()
    kind = cast("Kind", guard.words.choose(kinds, metadata))
    return SafeCandidate(
        kind=kind,
        text=content,
        subject=label(candidate.subject, "subject"),
        predicate=label(candidate.predicate, "predicate"),
        value=guard.part(candidate.value, candidate.text, content, "value"),
        importance=candidate.importance,
        confidence=candidate.confidence,
        duration=candidate.duration,
        project=project,
        topic=guard.name(candidate.topic or GENERAL_TOPIC, "topic"),
        tags=guard.labels(filter(None, (label(tag, "tag") for tag in labels))),
        is_update=candidate.is_update,
        withdraws=candidate.withdraws,
        asked=candidate.asked,
        trust=candidate.trust,
        sources=tuple(dict.fromkeys(guard.label(id_, "source") for id_ in candidate.sources)),
        valid_from=maybe_moment(candidate.valid_from, "valid_from"),
        valid_to=maybe_moment(candidate.valid_to, "valid_to"),
        metadata=guard.add_words(metadata, word, kind, project != GLOBAL_PROJECT),
        origin=candidate.origin,
    )


def candidate_of(memory: Memory) -> SafeCandidate:
    """A memory as it was proposed."""
    return SafeCandidate(
        kind=memory.kind,
        text=memory.text,
        subject=memory.subject,
        predicate=memory.predicate,
        value=memory.value,
        importance=memory.importance,
        confidence=memory.confidence,
        project=memory.project,
        topic=memory.topic,
        tags=memory.tags,
        trust=memory.trust,
        sources=tuple(source.turn_id for source in memory.sources),
        valid_from=memory.valid_from,
        valid_to=memory.valid_to,
        metadata=memory.metadata,
        origin=memory.origin,
    )
