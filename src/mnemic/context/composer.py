"""The composer: from parts and a budget to the prompt and the account of its tokens.

The same parts give the same bytes. The first message is the stable part: it changes only when
memory itself does, so that a provider's prompt cache finds it again. The conversation grows at its
end; the tasks in hand, what was recalled for this message and where the agent runs come last.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from mnemic.context.conversation import ConversationSection
from mnemic.context.fit import (
    NO_SECTION,
    WEAK,
    FittedPart,
    ItemsPart,
    PromptPart,
    TextPart,
    omission,
)
from mnemic.context.parts import BETWEEN, PromptParts, Style
from mnemic.context.redundancy import Background, normalize, select
from mnemic.rules.budget import PROMPT_ORDER, TokenBudget, allot, giving_way, list_kept
from mnemic.settings.recall import SectionName
from mnemic.types import Context, Message, Omission, Role, SectionUse

# Memory may have written these: data, also where they stand in the prompt.
_FENCED: tuple[SectionName, ...] = ("scratchpad", "persona", "user")
_VOLATILE: Mapping[Role, tuple[SectionName, ...]] = {
    "user": ("scratchpad", "evidence"),
    "system": ("runtime",),
}
# A tokenizer may find the whole a little dearer than its parts; so often it is measured again.
_MEASURES = 8

TOO_SMALL = "the budget is smaller than what is never cut"


@dataclass(frozen=True, slots=True)
class Composer:
    """Fits ``parts`` to ``budget``.

    Where even what is never cut exceeds it, that is shortened too, and ``dropped`` says so.

    ``rounds`` is how many of the latest rounds of the conversation may stand as they were,
    ``pieces`` how much evidence is wanted, not counting what the prompt holds already, ``sure``
    the score from which a piece is evidence; weaker ones only fill what is free.
    """

    parts: PromptParts
    budget: TokenBudget
    style: Style
    rounds: int
    pieces: int
    sure: float = 0.0

    def compose(self) -> Context:
        parts, budget = self.parts, self.budget
        sections = self._sections()
        omitted = [*parts.omitted]
        for section in sections:
            omitted += self._without_section(section)
        placed = {section.name: section for section in sections if section.name in budget.sizes}
        if "core" in placed:
            budget = _resize(budget, "core", budget.full["core"])
        at_size = {n: section.fit(_own_size(section, budget)) for n, section in placed.items()}
        if parts.evidence or parts.finding:
            limit = _with_spare("evidence", budget, at_size) if "evidence" in budget.sizes else 0
            evidence, fit, redundant = self._evidence(at_size, limit)
            omitted += [*redundant, *self._without_section(evidence)]
            if (evidence.items or evidence.finding) and limit:
                budget = _resize(budget, "evidence", limit)
                placed["evidence"], at_size["evidence"] = evidence, fit
        if "recent" in placed and at_size["recent"].omitted:
            others = {**at_size}
            del others["recent"]
            limit = _with_spare("recent", budget, others)
            budget = _resize(budget, "recent", limit)
            at_size["recent"] = placed["recent"].fit(limit)
        return self._cut_to_total(placed, at_size, budget, tuple(omitted))

    def _cut_to_total(
        self,
        placed: Mapping[SectionName, PromptPart],
        at_size: Mapping[SectionName, FittedPart],
        budget: TokenBudget,
        omitted: tuple[Omission, ...],
    ) -> Context:
        """Cut parts until the whole fits; for a tokenizer that finds it much dearer than its parts,
        drop them one after the other.
        """
        costs = {name: fit.tokens for name, fit in at_size.items()}
        narrowed, fitted = budget, dict(at_size)
        for _ in range(_MEASURES):
            sizes = allot(narrowed, costs)
            fitted = {
                name: _cut(placed[name], sizes[name], budget)
                if sizes[name] < costs[name]
                else at_size[name]
                for name in PROMPT_ORDER
                if name in placed
            }
            context = self._write(fitted, budget, omitted)
            over = context.tokens - context.budget
            if over <= 0:
                return context
            narrowed = replace(narrowed, total=max(narrowed.reply, narrowed.total - over))
        context = self._write(fitted, budget, omitted)
        for name in (*giving_way(budget), *list_kept(budget), *budget.separate):
            if context.tokens <= context.budget:
                break
            if name in fitted:
                fitted[name] = _cut(placed[name], 0, budget)
                context = self._write(fitted, budget, omitted)
        return context

    def _sections(self) -> list[PromptPart]:
        """Every part that is not empty, except the evidence."""
        parts = self.parts
        sections: list[PromptPart] = [
            TextPart(name, body, self.style, data)
            for name in dict.fromkeys((*parts.texts, *parts.data))
            for body, data in [_by_people_and_memory(parts, name)]
            if body.strip() or data.strip()
        ]
        if parts.core:
            sections.append(ItemsPart("core", parts.core, self.style, whole=True))
        talk = parts.conversation
        if talk.turns or talk.summary.strip():
            sections.append(ConversationSection(talk, self.rounds, self.style))
        return sections

    def _evidence(
        self, others: Mapping[SectionName, FittedPart], limit: int
    ) -> tuple[ItemsPart, FittedPart, list[Omission]]:
        """The evidence that says something the rest of the prompt does not, at most ``pieces``.

        A piece that is left out because another contains it must be read there: where that one is
        cut to fit, the choice is made again without relying on it.
        """
        parts = self.parts
        ids = {id_: name for name, fit in others.items() for id_ in fit.ids}
        background = Background(
            ids=ids,
            texts={name: normalize(fit.text) for name, fit in others.items() if name != "guide"},
            memories=[item for item in parts.core if item.id in ids],
            query=parts.query,
        )
        chosen, redundant = select(parts.evidence, background, self.pieces)
        section = ItemsPart(
            "evidence", tuple(chosen), self.style, finding=parts.finding, sure=self.sure
        )
        fitted = section.fit(limit)
        partial = {lost.id for lost in fitted.omitted if lost.reason != WEAK}
        if partial and redundant:
            chosen, redundant = select(parts.evidence, background, self.pieces, partial)
            section = replace(section, items=tuple(chosen))
            fitted = section.fit(limit)
        count = self.style.count
        lost = [omission("evidence", why, item.text, count, item.id) for item, why in redundant]
        return section, fitted, lost

    def _without_section(self, section: PromptPart) -> list[Omission]:
        """The omissions of a part that the preset has no section for."""
        if section.name in self.budget.sizes:
            return []
        return [replace(lost, reason=NO_SECTION) for lost in section.fit(0).omitted]

    def _write(
        self,
        fitted: Mapping[SectionName, FittedPart],
        budget: TokenBudget,
        omitted: tuple[Omission, ...],
    ) -> Context:
        present = {name: section for name, section in fitted.items() if section.text}
        text = BETWEEN.join(section.text for section in present.values())
        messages = _messages(present)
        spoken = sum(self.style.count(message.content) for message in messages)
        apart = sum(section.tokens for name, section in present.items() if name in budget.separate)
        return Context(
            text=text,
            messages=messages,
            tokens=max(self.style.count(text), spoken),
            budget=budget.room + apart,
            sections=tuple(
                SectionUse(name, section.tokens, budget.sizes[name], section.ids)
                for name, section in present.items()
            ),
            dropped=(*omitted, *(lost for section in fitted.values() for lost in section.omitted)),
        )


def _resize(budget: TokenBudget, name: SectionName, size: int) -> TokenBudget:
    return replace(budget, sizes={**budget.sizes, name: size})


def _cut(section: PromptPart, size: int, budget: TokenBudget) -> FittedPart:
    """A part cut below its size; for one that is never cut the reason is the budget."""
    fitted = section.fit(size)
    if section.name not in list_kept(budget):
        return fitted
    omitted = tuple(replace(lost, reason=TOO_SMALL) for lost in fitted.omitted)
    return replace(fitted, omitted=omitted)


def _by_people_and_memory(parts: PromptParts, name: SectionName) -> tuple[str, str]:
    """The text of a part by people, and the text that memory may have written."""
    text, data = parts.texts.get(name, ""), parts.data.get(name, "")
    return ("", "\n\n".join(filter(None, (text, data)))) if name in _FENCED else (text, data)


def _with_spare(
    name: SectionName, budget: TokenBudget, others: Mapping[SectionName, FittedPart]
) -> int:
    """The size of a part, plus what the others do not use, up to its full size."""
    used = sum(fit.tokens for other, fit in others.items() if other not in budget.separate)
    return max(budget.sizes[name], min(budget.full[name], budget.room - used))


def _own_size(section: PromptPart, budget: TokenBudget) -> int | None:
    """A card is never cut, not even to its size; core memories are chosen up to theirs."""
    uncut = section.name in budget.keep and isinstance(section, TextPart)
    return None if uncut else budget.sizes[section.name]


def _messages(present: Mapping[SectionName, FittedPart]) -> tuple[Message, ...]:
    """Stable parts as one system message, the turns, then the parts for this message only."""
    moving = {"recent", *(name for names in _VOLATILE.values() for name in names)}
    stable = [section.text for name, section in present.items() if name not in moving]
    messages = [Message("system", BETWEEN.join(stable))] if stable else []
    if "recent" in present:
        messages += present["recent"].messages
    for role, names in _VOLATILE.items():
        texts = [present[name].text for name in names if name in present]
        messages += [Message(role, BETWEEN.join(texts))] if texts else []
    return tuple(messages)
