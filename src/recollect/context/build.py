"""Building a context: collect the parts that the preset asks for, and compose them.

No model or network is used and nothing is written: a persona changes how memory is ranked and how
the agent is to speak, never what is stored.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Protocol

from recollect.context.composer import compose
from recollect.context.fit import omission
from recollect.context.parts import (
    OUTDATED,
    PROMOTED,
    SECRET,
    UNTRUSTED,
    ConversationPart,
    Item,
    MemoryView,
    PromptParts,
    memory_item,
)
from recollect.context.render import language_of
from recollect.context.window import Window
from recollect.errors import InvalidInput
from recollect.language.gate import Verdict
from recollect.language.no_evidence import is_for_questions, statement_share
from recollect.language.tokens import TokenCounter, count_tokens
from recollect.prompts import Language, prompt
from recollect.rules import checks
from recollect.rules.budget import PROMPT_ORDER, TokenBudget, budget_of
from recollect.settings import Settings
from recollect.settings.recall import SectionName
from recollect.types import Context, Hit, Omission, SafeName, Turn

# Memory writes into the files these are made of; the identity card has its own, by people alone.
_LEARNT_CARDS: tuple[SectionName, ...] = ("persona", "user")


class Recaller(Protocol):
    """Finds evidence; never raises for a failing route."""

    def __call__(
        self,
        query: str,
        *,
        k: int,
        persona: str | None,
        around: Sequence[str],
        project: SafeName | None,
    ) -> Sequence[Hit]: ...


class Windows(Protocol):
    """The running conversation of a session."""

    def __call__(self, session: str, tokens: int, *, messages: int) -> Window: ...


@dataclass(frozen=True, slots=True)
class Sources:
    """Where the parts of a context come from; each is called only when its part is in the budget.

    ``cards`` gives the compiled cards by part: identity, persona, user. ``core`` gives the
    memories of every prompt, the most important first. ``without_outdated`` removes evidence that
    mentions only what no longer holds, unless the query asks for the past. In a session of a
    project what belongs to another one is left out.
    """

    gate: Callable[[str], Verdict]
    recall: Recaller
    read: Callable[[Sequence[Hit]], Sequence[Item]]
    without_outdated: Callable[[str, Sequence[Hit]], Sequence[Hit]]
    window: Windows
    core: Callable[[SafeName | None], Sequence[MemoryView]]
    project_of: Callable[[str], SafeName | None]
    scratchpad: Callable[[], str]
    cards: Callable[[], Mapping[SectionName, str]]


class Builder:
    """Builds the context of one space by its preset."""

    def __init__(self, sources: Sources, settings: Settings) -> None:
        self._from = sources
        self._settings = settings

    def build(
        self,
        query: str,
        *,
        session: str | None = None,
        budget: int | None = None,
        model: str = "",
        persona: str | None = None,
        host: Mapping[SectionName, str] | None = None,
        count: TokenCounter = count_tokens,
    ) -> Context:
        """The prompt for answering ``query``, within ``budget`` tokens.

        ``host`` are parts only the host knows: system, runtime, rules, catalogs. ``count`` is the
        host's tokenizer. What did not fit is in ``dropped``, each with its reason.
        """
        host_parts = _host_parts(host or {})
        checks.check_text(query, "query", checks.MAX_INDEX)
        _check_counter(count)
        limits = budget_of(self._settings.context, model=model, total=budget)
        language = language_of(query, self._settings.memory.language)
        texts, data = self._texts(limits, language, host_parts)
        conversation = self._conversation(query, session, limits)
        project = None if session is None else self._from.project_of(session)
        core, omitted = self._core(limits, count, project)
        evidence: tuple[Item, ...] = ()
        if "evidence" in limits.sizes and self.wants_evidence(query):
            hits, old = self._current(
                query, self._hits(query, session, persona, conversation, project), count
            )
            evidence, secret = self._evidence(hits)
            omitted += [*old, *secret]
        return compose(
            PromptParts(texts, core, evidence, conversation, tuple(omitted), data),
            limits,
            rounds=self._settings.context.recent_turns,
            pieces=self._settings.recall.evidence,
            language=language,
            count=count,
        )

    def wants_evidence(self, query: str) -> bool:
        """Whether this preset searches for this message by itself."""
        if self._settings.context.disclosure == "progressive":
            return False
        return bool(query.strip()) and self._from.gate(query).wants

    def _texts(
        self, limits: TokenBudget, language: Language, host: Mapping[SectionName, str]
    ) -> tuple[dict[SectionName, str], dict[SectionName, str]]:
        """Guide, cards, scratchpad, the host's parts; and what memory wrote of the cards."""
        texts: dict[SectionName, str] = {}
        if "guide" in limits.sizes:
            texts["guide"] = _guide(language)
        cards, data = _cards_in_place(self._from.cards(), limits)
        texts |= cards
        if "scratchpad" in limits.sizes:
            texts["scratchpad"] = self._from.scratchpad()
        unreplaced = {name: text for name, text in data.items() if name not in host}
        return {name: text for name, text in {**texts, **host}.items() if text.strip()}, unreplaced

    def _conversation(
        self, query: str, session: str | None, limits: TokenBudget
    ) -> ConversationPart:
        """The conversation before the message that is being answered."""
        if session is None or "recent" not in limits.sizes:
            return ConversationPart()
        # Twice the size, so that turns that do not fit can be compressed and accounted for.
        window = self._from.window(
            session,
            2 * limits.sizes["recent"],
            messages=self._settings.short_term.recent_limit,
        )
        turns = window.turns
        if turns and _is_query(turns[-1], query):
            turns = turns[:-1]
        return ConversationPart(turns, window.summary, window.rendered)

    def _core(
        self, limits: TokenBudget, count: TokenCounter, project: SafeName | None
    ) -> tuple[tuple[Item, ...], list[Omission]]:
        if "core" not in limits.sizes:
            return (), []
        memories = self._from.core(project)
        omitted = [
            omission("core", UNTRUSTED, one.content, count, one.id)
            for one in memories
            if one.trust not in PROMOTED and one.kind != "credential"
        ]
        fit_to_show = [m for m in memories if m.trust in PROMOTED and m.kind != "credential"]
        return tuple(map(memory_item, fit_to_show)), omitted

    def _hits(
        self,
        query: str,
        session: str | None,
        persona: str | None,
        conversation: ConversationPart,
        project: SafeName | None,
    ) -> list[Hit]:
        most = self._settings.recall.evidence
        if most < 1:
            return []
        # In a conversation the nearest hits are often its own last turns: recall some more.
        limit = most if session is None else 2 * most
        latest = conversation.turns[-self._settings.recall.enrich_turns :]
        around = [turn.content for turn in latest if turn.role in ("user", "assistant")]
        hits = self._from.recall(query, k=limit, persona=persona, around=around, project=project)
        # The same question, now or before, is no evidence; nor is any other, or a greeting.
        for_questions = is_for_questions(query)
        return [
            hit
            for hit in hits
            if hit.type != "turn"
            or (
                hit.text.strip() != query.strip()
                and (for_questions or statement_share(hit.text) > 0)
            )
        ]

    def _current(
        self, query: str, hits: Sequence[Hit], count: TokenCounter
    ) -> tuple[Sequence[Hit], list[Omission]]:
        current = self._from.without_outdated(query, hits)
        ids = {hit.id for hit in current}
        omitted = [
            omission("evidence", OUTDATED, h.text, count, h.id) for h in hits if h.id not in ids
        ]
        return current, omitted

    def _evidence(self, hits: Sequence[Hit]) -> tuple[tuple[Item, ...], list[Omission]]:
        items = self._from.read(hits)
        secret = [
            Omission("evidence", SECRET, "", 0, i.id) for i in items if i.kind == "credential"
        ]
        return tuple(item for item in items if item.kind != "credential"), secret


def _host_parts(host: Mapping[SectionName, str]) -> Mapping[SectionName, str]:
    for name, text in host.items():
        checks.check_choice(name, PROMPT_ORDER, "a part in host")
        checks.check_text(text, f"host[{name!r}]", checks.MAX_INDEX)
    return host


def _check_counter(count: TokenCounter) -> None:
    """A tokenizer that does not count is refused before anything is fitted with it."""
    if count is count_tokens:
        return
    try:
        tokens: object = count("How many tokens?")
    except Exception as error:
        raise InvalidInput(
            f"count does not count: {type(error).__name__}", remedy="Pass a function of text to int"
        ) from error
    checks.check_tokens(tokens, "what count gives")


@lru_cache(maxsize=2)
def _guide(language: Language) -> str:
    return prompt("guide", language)


def _cards_in_place(
    cards: Mapping[SectionName, str], limits: TokenBudget
) -> tuple[dict[SectionName, str], dict[SectionName, str]]:
    """Each card in its part, or all in one where the preset has one part for them: then what memory
    may have written stands apart.
    """
    if "cards" not in limits.sizes:
        return dict(cards), {}
    learnt = [cards[name].strip() for name in _LEARNT_CARDS if cards.get(name, "").strip()]
    return {"cards": cards.get("identity", "")}, {"cards": "\n\n".join(learnt)}


def _is_query(turn: Turn, query: str) -> bool:
    """Whether a turn is the message that is being answered, already recorded."""
    return turn.role == "user" and turn.content.strip() == query.strip()
