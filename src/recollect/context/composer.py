"""The composer: parts and a budget in, the prompt and its account out.

The same parts give the same bytes. What seldom changes stands first, so that a provider's prompt
cache finds the beginning again; the conversation only grows at its end; what was recalled for this
message and where the agent runs come last.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from recollect.context.fit import (
    BETWEEN,
    NO_SECTION,
    Fitted,
    ItemsPart,
    PromptPart,
    TextPart,
    gone,
)
from recollect.context.parts import Item, PromptParts
from recollect.context.talk import TalkPart
from recollect.language.tokens import TokenCounter, count_tokens
from recollect.prompts import Language
from recollect.rules.budget import PROMPT_ORDER, TokenBudget, allot, giving_way, kept_parts
from recollect.settings.recall import SectionName
from recollect.types import Context, Message, Omission, Role, SectionUse

# Memory may have written these: data, also where they stand in the prompt.
_FENCED: tuple[SectionName, ...] = ("scratchpad", "persona", "user")
_VOLATILE: Mapping[SectionName, Role] = {"evidence": "user", "runtime": "system"}
# A tokenizer may find the whole a little dearer than its parts; so often it is measured again.
_MEASURES = 8

ENOUGH = "more evidence than is wanted"
TOO_SMALL = "the budget is smaller than what is never cut"


def compose(
    parts: PromptParts,
    budget: TokenBudget,
    *,
    rounds: int,
    pieces: int,
    language: Language = "en",
    count: TokenCounter = count_tokens,
) -> Context:
    """Fit ``parts`` to ``budget``.

    Where even what is never cut exceeds it, that is shortened too, and ``dropped`` says so.

    ``rounds`` is how many of the latest rounds of the conversation may stand as they were,
    ``pieces`` how much evidence is wanted, not counting what the prompt holds already.
    """
    wanted = _parts(parts, rounds, language, count)
    left = [*parts.left, *(one for part in wanted for one in _homeless(part, budget))]
    placed = {part.name: part for part in wanted if part.name in budget.sizes}
    at_size = {name: part.fit(_own_size(part, budget)) for name, part in placed.items()}
    if parts.evidence:
        shown = {id_: name for name, one in at_size.items() for id_ in one.ids}
        evidence, told = _fresh(parts.evidence, shown, pieces, count)
        part = ItemsPart("evidence", evidence, count, language)
        left += [*told, *_homeless(part, budget)]
        if evidence and "evidence" in budget.sizes:
            limit = _with_spare("evidence", budget, at_size)
            budget = replace(budget, sizes={**budget.sizes, "evidence": limit})
            placed["evidence"], at_size["evidence"] = part, part.fit(limit)
    costs = {name: one.tokens for name, one in at_size.items()}
    narrowed = budget
    fitted = at_size
    for _ in range(_MEASURES):
        rooms = allot(narrowed, costs)
        fitted = {
            name: _cut(placed[name], rooms[name], budget)
            if rooms[name] < costs[name]
            else at_size[name]
            for name in PROMPT_ORDER
            if name in placed
        }
        context = _written(fitted, budget, tuple(left), count)
        over = context.tokens - context.budget
        if over <= 0:
            return context
        narrowed = replace(narrowed, total=max(narrowed.reply, narrowed.total - over))
    return _whole_parts_less(placed, fitted, budget, tuple(left), count)


def _cut(part: PromptPart, room: int, budget: TokenBudget) -> Fitted:
    """A part in less than its size; of a kept one it is told that the budget made it so."""
    fitted = part.fit(room)
    if part.name not in kept_parts(budget):
        return fitted
    return replace(fitted, left=tuple(replace(one, reason=TOO_SMALL) for one in fitted.left))


def _whole_parts_less(
    placed: Mapping[SectionName, PromptPart],
    fitted: Mapping[SectionName, Fitted],
    budget: TokenBudget,
    left: tuple[Omission, ...],
    count: TokenCounter,
) -> Context:
    """For a tokenizer that finds the whole much dearer than its parts: part after part goes."""
    remaining = dict(fitted)
    context = _written(remaining, budget, left, count)
    for name in (*giving_way(budget), *kept_parts(budget), *budget.separate):
        if context.tokens <= context.budget:
            break
        if name in remaining:
            remaining[name] = _cut(placed[name], 0, budget)
            context = _written(remaining, budget, left, count)
    return context


def _parts(
    parts: PromptParts, rounds: int, language: Language, count: TokenCounter
) -> list[PromptPart]:
    """Every part but the evidence that has something to say."""
    made: list[PromptPart] = [
        TextPart(name, body, count, language, data)
        for name in dict.fromkeys((*parts.texts, *parts.data))
        for body, data in [_by_people_and_memory(parts, name)]
        if body.strip() or data.strip()
    ]
    if parts.core:
        made.append(ItemsPart("core", parts.core, count, language, whole=True))
    if parts.talk.turns or parts.talk.summary.strip():
        made.append(TalkPart(parts.talk, rounds, count, language))
    return made


def _by_people_and_memory(parts: PromptParts, name: SectionName) -> tuple[str, str]:
    """What people wrote of a part, and what memory may have written."""
    text, data = parts.texts.get(name, ""), parts.data.get(name, "")
    return ("", "\n\n".join(filter(None, (text, data)))) if name in _FENCED else (text, data)


def _fresh(
    items: Sequence[Item], shown: Mapping[str, SectionName], pieces: int, count: TokenCounter
) -> tuple[tuple[Item, ...], list[Omission]]:
    """The evidence that is not in the prompt already, as much of it as is wanted."""
    fresh = [item for item in items if not item.id or item.id not in shown]
    told = [
        gone("evidence", f"already in {shown[item.id]}", item.text, count, item.id)
        for item in items
        if item.id in shown
    ]
    told += [gone("evidence", ENOUGH, item.text, count, item.id) for item in fresh[pieces:]]
    return tuple(fresh[:pieces]), told


def _homeless(part: PromptPart, budget: TokenBudget) -> list[Omission]:
    """Everything of a part that the preset has no place for."""
    if part.name in budget.sizes:
        return []
    return [replace(left, reason=NO_SECTION) for left in part.fit(0).left]


def _with_spare(
    name: SectionName, budget: TokenBudget, others: Mapping[SectionName, Fitted]
) -> int:
    """The size of a part, and what the others leave of the total up to its full size."""
    used = sum(one.tokens for other, one in others.items() if other not in budget.separate)
    return max(budget.sizes[name], min(budget.full[name], budget.room - used))


def _own_size(part: PromptPart, budget: TokenBudget) -> int | None:
    """A card is never cut, not even to its size; core memories are chosen up to theirs."""
    kept = part.name in budget.keep and isinstance(part, TextPart)
    return None if kept else budget.sizes[part.name]


def _written(
    fitted: Mapping[SectionName, Fitted],
    budget: TokenBudget,
    left: tuple[Omission, ...],
    count: TokenCounter,
) -> Context:
    shown = {name: one for name, one in fitted.items() if one.text}
    text = BETWEEN.join(one.text for one in shown.values())
    messages = _messages(shown)
    spoken = sum(count(message.content) for message in messages)
    apart = sum(one.tokens for name, one in shown.items() if name in budget.separate)
    return Context(
        text=text,
        messages=messages,
        tokens=max(count(text), spoken),
        budget=budget.room + apart,
        sections=tuple(
            SectionUse(name, one.tokens, budget.sizes[name], one.ids) for name, one in shown.items()
        ),
        dropped=(*left, *(one for part in fitted.values() for one in part.left)),
    )


def _messages(shown: Mapping[SectionName, Fitted]) -> tuple[Message, ...]:
    """What is stable as one system message, the turns, then what belongs to this message only."""
    stable = [one.text for name, one in shown.items() if name not in _VOLATILE and name != "recent"]
    messages = [Message("system", BETWEEN.join(stable))] if stable else []
    if "recent" in shown:
        messages += shown["recent"].messages
    messages += [
        Message(role, shown[name].text) for name, role in _VOLATILE.items() if name in shown
    ]
    return tuple(messages)
