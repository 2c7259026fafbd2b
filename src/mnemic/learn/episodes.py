"""Writing episodes: one for each stretch and occasion, however often it is asked for."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import Literal, get_args

from mnemic.days import home_zone, in_zone
from mnemic.errors import InvalidInput, NotFound
from mnemic.ids import new_id
from mnemic.index.embedding_job import ask_vectors
from mnemic.index.segment import index_text
from mnemic.language.fence import fence
from mnemic.language.guard import DEFAULT, MAX_SUMMARY, Guard
from mnemic.language.story import SUMMARY_CHARS, EpisodeDraft, Story, story_of
from mnemic.language.tokens import count_tokens
from mnemic.language.truncation import cut_to_tokens
from mnemic.learn.facts import aliases
from mnemic.learn.turn_lines import in_local_time, today, turn_line
from mnemic.prompts import Language, fill_prompt
from mnemic.providers.chat.base import Answer, ChatModel, Object, Schema, WrongShape
from mnemic.providers.chat.fields import choice_in, share_in, text_in
from mnemic.rules import checks
from mnemic.settings import Settings
from mnemic.store.contract import Unit
from mnemic.types import OUTCOMES, Episode, SafeName, SafeText, Turn, constant, lines_of

PURPOSE = "episode"
SCHEMA: Schema = {
    "type": "object",
    "properties": {
        "summary": {"type": "string"},
        "goal": {"type": "string"},
        "outcome": {"type": "string", "enum": list(OUTCOMES)},
        "entities": {"type": "array", "items": {"type": "string"}},
        "tags": {"type": "array", "items": {"type": "string"}},
        "importance": {"type": "number"},
    },
    "required": ["summary", "goal", "outcome", "entities", "tags", "importance"],
    "additionalProperties": False,
}
_SKIPPED = "[…]"


def ask_for_episode(
    model: ChatModel, turns: Sequence[Turn], language: Language, settings: Settings, now: datetime
) -> Answer[EpisodeDraft]:
    """The story of these turns in the model's words."""
    zone = home_zone(turns[-1].at if turns else None, settings.schedule.zone)
    local = in_local_time(turns, zone)
    shown = conversation(local, language, settings.extraction.batch_tokens.high)
    day = today(in_zone(now, zone), language)
    return model.ask(
        f"{day}\n\n{fence(shown, 'conversation')}",
        purpose=PURPOSE,
        schema=SCHEMA,
        parse=parse_episode,
        system=fill_prompt("episode", language, summary_chars=SUMMARY_CHARS),
    )


def conversation(turns: Sequence[Turn], language: Language, most_tokens: int) -> str:
    """Turns as text: the first, and as many of the last as there is room for."""
    lines = [turn_line(turn, language) for turn in turns]
    if not lines:
        return ""
    room = most_tokens - count_tokens(lines[0])
    latest: list[str] = []
    for shown in reversed(lines[1:]):
        room -= count_tokens(shown)
        if room < 0:
            latest.append(_SKIPPED)
            break
        latest.append(shown)
    return "\n".join([lines[0], *reversed(latest)])


def parse_episode(answer: Object) -> EpisodeDraft:
    """An answer as a draft; one of the wrong shape is told what is wrong with it."""
    text = answer.get("summary")
    summary = text_in(text, '"summary"', MAX_SUMMARY) if isinstance(text, str) else ""
    if not summary:
        raise WrongShape('"summary" has to be a text')
    return EpisodeDraft(
        # Models count badly: what is longer than they were told ends with a whole sentence.
        summary=cut_to_tokens(summary, SUMMARY_CHARS, len),
        goal=text_in(answer.get("goal"), '"goal"'),
        outcome=choice_in(answer.get("outcome"), OUTCOMES, '"outcome"', aliases(OUTCOMES)),
        entities=_texts(answer, "entities"),
        tags=_texts(answer, "tags"),
        importance=share_in(answer.get("importance"), '"importance"'),
    )


def _texts(answer: Object, key: str) -> tuple[str, ...]:
    """The names of a list, or of one text with commas."""
    value = answer.get(key) or []
    names = re.split(r"[,，、;；]", value) if isinstance(value, str) else value
    if not isinstance(names, list):
        raise WrongShape(f'"{key}" has to be a list of texts')
    texts = [text_in(name, f'"{key}"') for name in names]
    return tuple(dict.fromkeys(filter(None, texts)))


EpisodeSource = Literal["session_end", "context_compress", "daily_consolidation"]
SOURCES: tuple[EpisodeSource, ...] = get_args(EpisodeSource)


def write_episode(
    unit: Unit,
    session: SafeName,
    turns: Sequence[Turn],
    source: EpisodeSource,
    *,
    now: datetime,
    draft: EpisodeDraft | None = None,
    memories: Sequence[SafeName] = (),
    guard: Guard = DEFAULT,
) -> Episode:
    """The episode of these turns of a session, in order.

    Asked again for a stretch with the same last turn it gives the episode there is; only a draft
    that comes later fills in better words, and memories are linked.
    """
    checks.check_choice(source, SOURCES, "source")
    if not turns:
        raise InvalidInput("An episode of no turns", remedy="Write one when something was said")
    existing = unit.episodes.of_stretch(session, source, turns[-1].id)
    if existing is None:
        info = unit.ledger.session(session)
        about = (info.project, info.topic) if info else ()
        ended = source != "context_compress"
        story = story_of(turns, draft=draft, tags=about, ended=ended)
        new = replace(
            episode_of(story, turns, source, id_=new_id(now), session=session, guard=guard),
            memories=tuple(dict.fromkeys(memories)),
        )
        written = unit.episodes.add(new, episode_terms(new), last_turn=turns[-1].id)
        _note(unit, "episode", written, now)
        ask_vectors(unit, now)
        return written
    if memories:
        unit.episodes.link(existing.id, memories)
    if draft is not None:
        fill_episode(unit, existing.id, draft, now=now, guard=guard)
    return unit.episodes.by_id([existing.id])[0]


def fill_episode(
    unit: Unit, id_: str, draft: EpisodeDraft, *, now: datetime, guard: Guard = DEFAULT
) -> Episode:
    """Put other words to an episode: the summary of a compressed stretch comes after it."""
    stored = unit.episodes.by_id([id_])
    if not stored:
        raise NotFound(f"No episode {id_}", remedy="See episodes()")
    old = stored[0]
    new = replace(
        old,
        summary=guard.error(draft.summary.strip(), MAX_SUMMARY) or old.summary,
        goal=guard.short(draft.goal) or old.goal,
        outcome=draft.outcome or old.outcome,
        entities=tuple(dict.fromkeys((*map(guard.short, draft.entities), *old.entities))),
        tags=tuple(dict.fromkeys((*old.tags, *map(guard.short, draft.tags)))),
        importance=old.importance if draft.importance is None else draft.importance,
    )
    if new == old:
        return old
    revised = unit.episodes.revise(new, episode_terms(new))
    _note(unit, "episode_told", revised, now)
    ask_vectors(unit, now)
    return revised


def episode_terms(episode: Episode) -> SafeText:
    """What an episode is found by: what happened, what for, with what, and about what."""
    words = (episode.summary, episode.goal, *episode.entities, *episode.tools, *episode.tags)
    return index_text(lines_of(words))


def episode_of(
    story: Story,
    turns: Sequence[Turn],
    source: str,
    *,
    id_: SafeName,
    session: SafeName,
    guard: Guard,
) -> Episode:
    """The story of these turns as it may be stored."""
    return Episode(
        id=id_,
        session=session,
        summary=guard.error(story.summary, MAX_SUMMARY),
        goal=guard.short(story.goal),
        outcome=story.outcome,
        started_at=min(turn.at for turn in turns),
        ended_at=max(turn.at for turn in turns),
        actions=tuple(map(guard.action, story.actions)),
        entities=tuple(map(guard.short, story.entities)),
        tools=tuple(map(guard.short, story.tools)),
        tags=tuple(map(guard.short, story.tags)),
        importance=story.importance,
        source=source,
    )


def _note(unit: Unit, type_: str, episode: Episode, now: datetime) -> None:
    unit.journal.begin_new(type_, now).note(
        type_,
        episode.id,
        session=episode.session,
        source=constant(episode.source),
        outcome=episode.outcome,
    )
