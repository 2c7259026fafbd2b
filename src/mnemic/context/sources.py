"""Where the parts of a prompt come from: recall, core memories, turns, and the zone of dates."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from functools import partial

from mnemic.context.parts import most_core_lines
from mnemic.days import Zone
from mnemic.language.gate import Verdict
from mnemic.recall.engine import Recall
from mnemic.recall.request import choose_types
from mnemic.record.short_term import ShortTermMemory
from mnemic.rules.kinds import PROFILE
from mnemic.settings.recall import SectionName
from mnemic.space import Space
from mnemic.store.rows import CoreLine, TurnFilter
from mnemic.types import Hit, Kind, Memory, SafeName, Turn

_RULES: tuple[Kind, ...] = ("rule",)  # in every prompt, however many others are more important
_KINDS: Mapping[str, Sequence[Kind]] = {"profile": PROFILE, "rules": _RULES}
_STORY_TURNS = 200  # an episode of more turns counts as saying more than a prompt shows


@dataclass(eq=False)
class PromptSources:
    """Reads the parts of a prompt for one space; each only when its part is in the budget.

    ``scratchpad`` gives the open tasks of a project, or with None of all, without those that the
    prompt shows. ``cards`` gives the compiled cards by part, identity, persona and user, for a
    persona or none. ``pending`` gives statements to put to the user that were not put to them
    before.
    """

    space: Space
    recall: Recall
    short_term: ShortTermMemory
    scratchpad: Callable[[SafeName | None, Callable[[str], bool]], str]
    cards: Callable[[str | None], Mapping[SectionName, str]]
    pending: Callable[[], Sequence[Memory]]

    def gate(self, message: str) -> Verdict:
        """Whether a message wants memory."""
        return self.recall.gate(message)

    def zone(self) -> Zone:
        """The zone of every date of a prompt that states none itself."""
        return self.recall.zone()

    def find(
        self,
        query: str,
        *,
        limit: int,
        persona: str | None,
        around: Sequence[str],
        project: SafeName | None,
        without: Collection[str],
    ) -> Sequence[Hit]:
        """Evidence from this session's project or from none; a failing route never raises."""
        request = self.recall.request(
            query,
            limit=limit,
            min_score=0.0,
            of=choose_types(self.space.settings.recall),
            within=project and self.recall.project_meant(query, project),
            persona=persona,
            around=around,
            without=without,
        )
        formula = self.space.settings.ranking.fusion != "learned"
        sure = self.space.settings.recall.evidence_score if formula else 0.0
        return self.recall.find(replace(request, explained=False, sure=sure))

    def without_outdated(self, query: str, hits: Sequence[Hit]) -> Sequence[Hit]:
        """Drop evidence that only mentions what is outdated, unless the query asks for it."""
        return self.recall.without_outdated(query, hits)

    def core(self, project: SafeName | None, tokens: int) -> Sequence[Memory | CoreLine]:
        """The core memories within so many tokens, chosen as the preset does, weightiest first."""
        settings = self.space.settings
        choice = settings.upkeep.core_choice
        with self.space.read() as unit:
            document = unit.document_states.get("memory") if choice == "document" else None
            written = document.written if document is not None else None
            chosen = choice in _KINDS or written is not None
            read = partial(
                unit.tiers.core_lines,
                least=0.0 if chosen else settings.upkeep.core_importance,
                now=self.space.now(),
                limit=most_core_lines(tokens, settings.capacity.core),
                within=project,
                ids=None if written is None else list(written.bullets),
            )
            lines = read(kinds=_KINDS.get(choice))
            ids = {line.id for line in lines}
            rules = read(kinds=_RULES, ids=None, least=0.0)  # also one newer than the document
            lines += [rule for rule in rules if rule.id not in ids]
            if written is not None:
                order = {id_: place for place, id_ in enumerate(written.bullets)}
                lines.sort(key=lambda line: order.get(line.id, len(order)))
            return lines

    def opening(self, session: str) -> str:
        """The first message of the user in a session."""
        first = TurnFilter(session=self.space.guard.name(session, "session"), role="user", limit=1)
        with self.space.read() as unit:
            turns = unit.ledger.turns(first)
        return turns[0].text if turns else ""

    def turns_behind(self, hits: Sequence[Hit]) -> Mapping[str, Sequence[Turn]]:
        """The turns of a memory or episode, by hit; not of an episode with very many."""
        sources = {hit.id: [s.turn_id for s in hit.sources] for hit in hits if hit.type == "memory"}
        stories = [hit.id for hit in hits if hit.type == "episode"]
        if not stories and not any(sources.values()):
            return {}
        with self.space.read() as unit:
            ids = [id_ for turn_ids in sources.values() for id_ in turn_ids]
            turns = {turn.id: turn for turn in unit.ledger.turns_by_id(ids)}
            behind = {
                id_: [turns[turn_id] for turn_id in turn_ids]
                for id_, turn_ids in sources.items()
                if all(turn_id in turns for turn_id in turn_ids)
            }
            for episode in unit.episodes.by_id(stories):
                stretch = TurnFilter(
                    session=episode.session,
                    since=episode.started_at,
                    until=episode.ended_at + timedelta(microseconds=1),
                    limit=_STORY_TURNS + 1,
                )
                covered = [turn for turn in unit.ledger.turns(stretch) if turn.text.strip()]
                behind[episode.id] = covered if len(covered) <= _STORY_TURNS else []
        return behind
