"""Building a context: collect the parts that the preset asks for, and compose them.

No model or network is used and nothing is written: a persona changes how memory is ranked and how
the agent is to speak, never what is stored.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import timedelta

from mnemic.context.composer import Composer
from mnemic.context.fit import ItemsPart, are_evidence, omission
from mnemic.context.parts import (
    IN_HOST_PROMPT,
    OUTDATED,
    PROMOTED,
    SECRET,
    UNTRUSTED,
    ConversationPart,
    Item,
    PromptParts,
    Style,
    hit_item,
    memory_item,
)
from mnemic.context.redundancy import (
    CONTAINED,
    Background,
    ShownTexts,
    has_words_of,
    normalize,
    select,
)
from mnemic.context.render import item_head, item_record
from mnemic.context.sources import PromptSources
from mnemic.days import LocalSpan, Zone, day_of
from mnemic.errors import InvalidInput
from mnemic.language.detection import language_of, language_of_most
from mnemic.language.exact import exact_question
from mnemic.language.gate import is_nod
from mnemic.language.no_evidence import is_for_questions, statement_share
from mnemic.language.tokens import TokenCounter, count_tokens
from mnemic.prompts import Language, prompt, words
from mnemic.rules import checks
from mnemic.rules.budget import PROMPT_ORDER, TokenBudget, budget_of
from mnemic.settings import Settings
from mnemic.settings.recall import SectionName
from mnemic.types import EMPTY, EXACT_TOTAL, Context, Evidence, Hit, Omission, SafeName, Turn

_LINE = 40  # tokens of a line of evidence
# Memory writes into the files these are made of; the identity card has its own, by people alone.
_LEARNED_CARDS: tuple[SectionName, ...] = ("persona", "user")


class Builder:
    """Builds the context of one space by its preset."""

    def __init__(self, sources: PromptSources, settings: Settings) -> None:
        self._from = sources
        self._settings = settings
        learned = settings.ranking.fusion == "learned"  # else no score says whether a piece fits
        self._sure = settings.recall.evidence_score if learned else 0.0

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
        shown: Iterable[str] | None = None,
    ) -> Context:
        """The prompt for answering ``query``, within ``budget`` tokens.

        ``host`` are parts only the host knows: system, runtime, rules, catalogs. ``count`` is the
        host's tokenizer. ``shown`` is what stands in the host's prompt already, as texts or as ids
        of turns: the conversation is the host's then, and nothing of it is shown again. What is
        left out is in ``dropped``, each with its reason.
        """
        host_parts, shown_texts = host or {}, list(shown or ())
        _check_arguments(query, host_parts, shown_texts, count)
        limits = budget_of(self._settings.context, model=model, total=budget)
        prompt_of_host = None if shown is None else ShownTexts.of(shown_texts)
        project = None if session is None else self._from.short_term.project_of(session)
        zone = self._from.zone()
        conversation = ConversationPart(zone=zone)
        if session is not None and prompt_of_host is None:
            conversation = self._conversation(query, session, limits, zone)
        cards = self._from.cards(persona)
        learned = "\n".join(text for name, text in cards.items() if name in _LEARNED_CARDS)
        core, omitted = self._core(limits, count, project, zone, learned)
        if "user" in cards:
            in_core = {normalize(item.text) for item in core if item.kind == "rule"}
            lines = cards["user"].split("\n")
            unsaid = "\n".join(line for line in lines if normalize(line) not in in_core)
            cards = {**cards, "user": unsaid}
        language = self._language(query, session, cards, core)
        texts, data = self._texts(limits, language, host_parts, cards)
        if "scratchpad" in limits.sizes and "scratchpad" not in host_parts:
            in_prompt = [query, *(turn.text for turn in conversation.turns), *shown_texts]
            texts["scratchpad"] = self._from.scratchpad(
                # The tasks of the session's own project, which may be none; without one of all.
                None if session is None else project or EMPTY,
                lambda task: ShownTexts.of(in_prompt).says(task),
            )
        hits: Sequence[Hit] = ()
        evidence: tuple[Item, ...] = ()
        finding = ""
        if "evidence" in limits.sizes and self.wants_evidence(query):
            spoken = conversation.turns
            if session is not None and "recent" not in limits.sizes:
                spoken = self._find_host_turns(query, session)
                prompt_of_host = prompt_of_host or ShownTexts.of_turns(spoken)
            core_ids = {item.id for item in core}
            most = self._most_hits(session, limits.room)
            hits = self._hits(query, most, persona, spoken, project=project, core=core_ids)
            if not are_evidence([hit.score for hit in hits], self._sure):
                hits = []
            fresh, repeated = self._new_to(prompt_of_host, hits, count)
            current, old = self._current(query, fresh, count)
            evidence, secret = self._evidence(current, zone)
            sure = [hit for hit in current if hit.score >= self._sure]
            finding = exact_answer(query, sure, zone, language)
            finding = finding or nothing_recorded(self._from.recall.empty_times(query), language)
            omitted += [*repeated, *old, *secret]
        built = Composer(
            PromptParts(
                texts,
                self._label(core, language),
                self._label(evidence, language),
                conversation,
                tuple(omitted),
                data,
                query,
                finding,
            ),
            limits,
            Style(count, language, self._settings.vocabulary.headings),
            rounds=self._settings.context.recent_turns,
            pieces=self._settings.recall.evidence,
            sure=self._sure,
        ).compose()
        ids = {use.name: frozenset(use.ids) for use in built.sections}
        turns, pieces = ids.get("recent", ()), ids.get("evidence", frozenset())
        self._from.recall.note_use([hit for hit in hits if hit.id in pieces])
        # For a host that takes the memories only: rules must reach its prompt too.
        rules = core if self._settings.upkeep.core_choice == "rules" else ()
        pieces |= ids.get("core", frozenset())
        return replace(
            built,
            recent=tuple(turn for turn in conversation.turns if turn.id in turns),
            summary=conversation.summary,
            memories=tuple(item.text for item in (*evidence, *rules) if item.id in pieces),
            reply=limits.reply,
            pending=() if session is None else tuple(self._from.pending()),
        )

    def evidence(self, query: str, hits: Sequence[Hit]) -> list[Evidence]:
        """Each hit that is worth showing, as a record of its own."""
        for hit in hits:
            if not isinstance(hit, Hit):
                raise InvalidInput(
                    f"hits holds {checks.brief_value(hit)}", remedy="Pass hits that recall() gave"
                )
        items = self._showable(query, hits, self._detect_language(query))
        by_id = {hit.id: hit for hit in hits}
        return [
            Evidence(replace(by_id[item.id], text=item.text), item_head(item), item_record(item))
            for item in items
        ]

    def evidence_text(self, query: str, hits: Sequence[Hit], tokens: int) -> str:
        """Evidence as it stands in a prompt, within so many tokens; empty where there is none."""
        language = self._detect_language(query)
        items = self._showable(query, hits, language)
        style = Style(count_tokens, language, self._settings.vocabulary.headings)
        finding = nothing_recorded(self._from.recall.empty_times(query), language)
        section = ItemsPart("evidence", items, style, finding=finding)
        return section.fit(tokens).text if items or finding else ""

    def _detect_language(self, query: str) -> Language:
        return language_of([query], self._settings.memory.language)

    def _showable(self, query: str, hits: Sequence[Hit], language: Language) -> tuple[Item, ...]:
        """Hits that fit the query, say something, hold today and repeat no other."""
        if self._sure and query.strip() and is_nod(query):
            return ()
        fitting = [
            hit
            for hit in _telling(query, hits)
            if hit.score >= self._sure or has_words_of(query, hit.text)
        ]
        current, _ = self._current(query, fitting, count_tokens)
        items, _ = self._evidence(current, self._from.zone())
        chosen, _ = select(items, Background(query=query), len(items))
        return self._label(tuple(chosen), language)

    def _label(self, items: tuple[Item, ...], language: Language) -> tuple[Item, ...]:
        """Items with the words of the preset's document."""
        words = self._settings.vocabulary
        if not words.kinds and not words.labels:
            return items
        return tuple(
            replace(item, label=words.label(words.kinds.show(item.kind), language))
            for item in items
        )

    def wants_evidence(self, query: str) -> bool:
        """Whether this preset searches for this message by itself."""
        nods = self._settings.recall.evidence_score and is_nod(query)  # nothing is evidence for it
        if nods or self._settings.context.disclosure == "progressive":
            return False
        # Memories that are to be injected are not left to the tools.
        always = self._settings.gate.mode == "on_demand"
        return bool(query.strip()) and (always or self._from.gate(query).wants)

    def _language(
        self,
        query: str,
        session: str | None,
        cards: Mapping[SectionName, str],
        core: Sequence[Item],
    ) -> Language:
        """The language in which the conversation began: it stays the same whatever the next
        question is in. A greeting has none; then, and outside of a conversation, that of what is
        always in the prompt.
        """
        began = (self._from.opening(session) or query) if session is not None else ""
        if not is_nod(began) and any(map(str.isalpha, began)):
            return self._detect_language(began)
        lines = [line for card in cards.values() for line in card.splitlines()]
        texts = [*filter(str.strip, [*lines, *(item.text for item in core)])] or [query]
        return language_of_most(texts, self._settings.memory.language)

    def _texts(
        self,
        limits: TokenBudget,
        language: Language,
        host: Mapping[SectionName, str],
        cards: Mapping[SectionName, str],
    ) -> tuple[dict[SectionName, str], dict[SectionName, str]]:
        """Guide, cards, the host's parts; and what memory wrote of the cards."""
        texts: dict[SectionName, str] = {}
        if "guide" in limits.sizes:
            texts["guide"] = prompt("guide", language)
        in_place, data = _cards_in_place(cards, limits)
        texts |= in_place
        unreplaced = {name: text for name, text in data.items() if name not in host}
        return {name: text for name, text in {**texts, **host}.items() if text.strip()}, unreplaced

    def _conversation(
        self, query: str, session: str, limits: TokenBudget, zone: Zone
    ) -> ConversationPart:
        """The conversation before the message that is being answered."""
        if "recent" not in limits.sizes:
            return ConversationPart(zone=zone)
        # Twice the size, so that turns that do not fit can be compressed and accounted for.
        most = max(limits.sizes["recent"], limits.full["recent"])
        rounds, messages = self._settings.context.recent_turns, self._settings.short_term
        limit = messages.recent_limit if rounds else None
        window = self._from.short_term.window(session, 2 * most, messages=limit)
        turns = _before(query, window.turns)
        return ConversationPart(turns, window.summary, zone, window.rendered)

    def _find_host_turns(self, query: str, session: str) -> tuple[Turn, ...]:
        """The turns before the message where the host keeps the conversation in its own prompt."""
        messages = self._settings.short_term.recent_limit
        return _before(query, self._from.short_term.window(session, messages=messages).turns)

    def _core(
        self,
        limits: TokenBudget,
        count: TokenCounter,
        project: SafeName | None,
        zone: Zone,
        cards: str,
    ) -> tuple[tuple[Item, ...], list[Omission]]:
        """Core memories, without those that a card says; rules are said here."""
        if "core" not in limits.sizes:
            return (), []
        memories = self._from.core(project, limits.full["core"])
        carded = set(map(normalize, cards.split("\n"))) if "user" in limits.sizes else set()
        items, omitted, seen = list[Item](), list[Omission](), set[str]()
        for memory in memories:
            text = normalize(memory.text)
            if memory.kind == "credential":
                continue
            if memory.trust not in PROMOTED:
                reason = UNTRUSTED
            elif memory.kind != "rule" and text in carded:
                reason = CONTAINED.format("user")
            elif text in seen:  # one sentence may have taught several memories
                reason = CONTAINED.format("core")
            else:
                seen.add(text)
                items.append(memory_item(memory, zone))
                continue
            omitted.append(omission("core", reason, memory.text, count, memory.id))
        if self._settings.upkeep.core_choice == "document":  # whose lines bear no dates
            items = [replace(item, at=None, source="") for item in items]
        # Where lines have no room, rules are not among them.
        if "core" in self._settings.context.grow:
            items.sort(key=lambda item: item.kind != "rule")
        return tuple(items), omitted

    def _most_hits(self, session: str | None, room: int) -> int:
        """How many hits are worth looking at: more in a conversation, bounded by the room."""
        recall = self._settings.recall
        most = recall.evidence if session is None else 2 * recall.evidence
        return min(most, room // _LINE) if self._sure else most

    def _hits(
        self,
        query: str,
        limit: int,
        persona: str | None,
        spoken: Sequence[Turn],
        *,
        project: SafeName | None,
        core: Collection[str],
    ) -> list[Hit]:
        """Evidence for the query, which the latest of the ``spoken`` turns make clearer."""
        if limit < 1:
            return []
        latest = spoken[-self._settings.recall.enrich_turns :]
        around = [turn.text for turn in latest if turn.role in ("user", "assistant")]
        hits = self._from.find(
            query, limit=limit, persona=persona, around=around, project=project, without=core
        )
        return _telling(query, hits)

    def _new_to(
        self, prompt_of_host: ShownTexts | None, hits: Sequence[Hit], count: TokenCounter
    ) -> tuple[Sequence[Hit], list[Omission]]:
        """Drop hits that are in the host's prompt, and memories made of such turns alone."""
        if prompt_of_host is None:
            return hits, []
        behind = self._from.turns_behind(hits)
        new = [hit for hit in hits if not prompt_of_host.has(hit, behind.get(hit.id, ()))]
        return new, _omit_others(hits, new, IN_HOST_PROMPT, count)

    def _current(
        self, query: str, hits: Sequence[Hit], count: TokenCounter
    ) -> tuple[Sequence[Hit], list[Omission]]:
        current = self._from.without_outdated(query, hits)
        return current, _omit_others(hits, current, OUTDATED, count)

    def _evidence(self, hits: Sequence[Hit], zone: Zone) -> tuple[tuple[Item, ...], list[Omission]]:
        items = [hit_item(hit, zone) for hit in hits]
        secret = [
            Omission("evidence", SECRET, "", 0, i.id) for i in items if i.kind == "credential"
        ]
        return tuple(item for item in items if item.kind != "credential"), secret


def _omit_others(
    hits: Sequence[Hit], kept: Sequence[Hit], reason: str, count: TokenCounter
) -> list[Omission]:
    ids = {hit.id for hit in kept}
    return [omission("evidence", reason, h.text, count, h.id) for h in hits if h.id not in ids]


def _telling(query: str, hits: Sequence[Hit]) -> list[Hit]:
    """The same question, now or before, is no evidence; nor is any other, or a greeting."""
    for_questions = is_for_questions(query)
    return [
        hit
        for hit in hits
        if hit.type != "turn"
        or (
            hit.text.strip() != query.strip()
            and not is_nod(hit.text)
            and (for_questions or statement_share(hit.text) > 0)
        )
    ]


def _check_arguments(
    query: str, host: Mapping[SectionName, str], shown: Sequence[str], count: TokenCounter
) -> None:
    """Also a tokenizer that does not count is refused before anything is fitted with it."""
    for name, text in host.items():
        checks.check_choice(name, PROMPT_ORDER, "a part in host")
        checks.check_text(text, f"host[{name!r}]", checks.MAX_INDEX)
    for text in shown:
        checks.check_text(text, "a text in shown", checks.MAX_INDEX)
    checks.check_text(query, "query", checks.MAX_INDEX)
    if count is count_tokens:
        return
    try:
        tokens: object = count("How many tokens?")
    except Exception as error:
        raise InvalidInput(
            f"count does not count: {type(error).__name__}", remedy="Pass a function of text to int"
        ) from error
    checks.check_tokens(tokens, "what count gives")


def _cards_in_place(
    cards: Mapping[SectionName, str], limits: TokenBudget
) -> tuple[dict[SectionName, str], dict[SectionName, str]]:
    """Each card in its part, or all in one where the preset has a single part for them."""
    if "cards" not in limits.sizes:
        return dict(cards), {}
    learned = [cards[name].strip() for name in _LEARNED_CARDS if cards.get(name, "").strip()]
    return {"cards": cards.get("identity", "")}, {"cards": "\n\n".join(learned)}


def _before(query: str, turns: tuple[Turn, ...]) -> tuple[Turn, ...]:
    """The turns before the message that is being answered, which may be recorded already."""
    last = turns[-1] if turns else None
    is_query = last and last.role == "user" and last.text.strip() == query.strip()
    return turns[:-1] if is_query else turns


_MOST_DAYS = 10


def nothing_recorded(spans: Sequence[LocalSpan], language: Language) -> str:
    """The line that says so of days that a question is about; empty where there are none."""
    lines, texts = [], words("exact_answer", language)
    for span in spans:
        first, last = span.wall_since.date(), (span.wall_until - timedelta(days=1)).date()
        when = texts["one_day" if first == last else "days"].format(first=first, last=last)
        lines.append(texts["nothing"].format(when=when))
    return "; ".join(lines)


def exact_answer(query: str, hits: Sequence[Hit], zone: Zone, language: Language) -> str:
    """The figure or date that an exact question asks for; empty where no record has it."""
    exact = [hit for hit in hits if EXACT_TOTAL in hit.why.parts]
    question = exact_question(query) if exact else None
    line = words("exact_answer", language).get(question.kind) if question else None
    if question is None or line is None:
        return ""
    dates = [str(day_of(hit.valid_from or hit.at, zone)) for hit in exact]
    distinct = sorted(set(dates))
    days = ", ".join(distinct[-_MOST_DAYS:])
    first = distinct[-1] if question.kind == "latest" else distinct[0]
    total = round(exact[0].why.parts[EXACT_TOTAL])
    return line.format(topic=question.topic, total=total, days=days, first=first)
