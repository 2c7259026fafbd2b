"""Before a host drops messages: the quick rules read them, their stretch is told as an episode,
and the turns are queued for a whole extraction. No model is asked, nobody waits.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from mnemic.errors import InvalidInput, NotFound
from mnemic.language.guard import MAX_SUMMARY
from mnemic.language.story import EpisodeDraft
from mnemic.late import dataclass
from mnemic.learn.echo import load_marks
from mnemic.learn.episodes import fill_episode, write_episode
from mnemic.learn.extractors import RuleExtractor, drop_echoes
from mnemic.learn.reconciler import Reconciler
from mnemic.record import triggers
from mnemic.record.messages import SESSION_KEYS, UnreadableMessage, read_message
from mnemic.record.recorder import Recorder, accept_turn
from mnemic.rules import checks
from mnemic.space import Space
from mnemic.store.contract import Unit
from mnemic.store.rows import TurnFilter, TurnRow
from mnemic.types import Episode, HostMessage, NewTurn, SafeName, Turn

_MOST = 10_000  # turns of a session that are compared with the messages
_FORMS = "Pass NewTurn values, or dicts with role and content as OpenAI or Anthropic have them"


@dataclass(frozen=True, slots=True, eq=False)
class Compression:
    """The hook for the hosts of one space."""

    space: Space
    recorder: Recorder
    reconciler: Reconciler
    extractor: RuleExtractor

    def before(self, session: str, messages: Iterable[HostMessage] | None = None) -> Episode:
        """Keep what is about to be dropped. A message nobody recorded is recorded first; without
        messages it is everything of the session that no episode tells of yet.
        """
        guard = self.space.guard
        id_ = guard.name(session, "session")
        turns = self._turns(id_, messages)
        if not turns:
            raise NotFound(
                f"Session {session!r} has nothing to compress", remedy="Record its messages first"
            )
        now = self.space.now()
        wanted = self.space.settings.triggers
        with self.space.write() as unit:
            learned = self._learn(unit, id_, turns) if wanted.compression_rules else []
            episode = write_episode(
                unit, id_, turns, "context_compress", now=now, memories=learned, guard=guard
            )
            if wanted.before_compression:
                triggers.queue(unit, [id_], now=now)
        return episode

    def after(self, episode: str, summary: str) -> Episode:
        """Fill in the summary that the host has made of the dropped messages."""
        checks.check_name(episode, "episode")
        text = self.space.guard.text(summary, "summary", MAX_SUMMARY)
        if not text.strip():
            raise InvalidInput("The summary is empty", remedy="Pass the host's summary")
        with self.space.write() as unit:
            now, guard = self.space.now(), self.space.guard
            return fill_episode(unit, episode, EpisodeDraft(text), now=now, guard=guard)

    def _turns(self, session: SafeName, messages: Iterable[HostMessage] | None) -> list[Turn]:
        with self.space.read() as unit:
            recorded = unit.ledger.turns(
                TurnFilter(session=session, newest_first=True, limit=_MOST)
            )[::-1]
            covered = unit.episodes.list_covered(session, None)
        if messages is None:
            return [turn for turn in recorded if not covered or turn.index > covered[-1]]
        new_turns = [_new_turn(message, session) for message in messages]
        return self._match(session, new_turns, recorded)

    def _match(
        self, session: SafeName, messages: Iterable[NewTurn], recorded: Sequence[Turn]
    ) -> list[Turn]:
        """The turn of each message, in their order; the same words twice are two turns."""
        recorded_as: dict[tuple[object, ...], list[Turn]] = {}
        for turn in reversed(recorded):
            recorded_as.setdefault(_content(turn), []).append(turn)
        matched: dict[str, Turn] = {}
        for message in messages:
            if self.space.guard.name(message.session, "session") != session:
                raise InvalidInput(
                    f"A message belongs to session {message.session!r}",
                    remedy="Pass NewTurn(session, role, text) of the session itself",
                )
            same = (
                None if message.index is not None else recorded_as.get(self._as_recorded(message))
            )
            turn = same.pop() if same else self.recorder.record(message)
            matched[turn.id] = turn
        return sorted(matched.values(), key=lambda turn: turn.index)

    def _as_recorded(self, message: NewTurn) -> tuple[object, ...]:
        """The message as the ledger keeps it: without its secrets."""
        return _content(accept_turn(message, self.space.now(), self.space.guard))

    def _learn(self, unit: Unit, session: SafeName, turns: Sequence[Turn]) -> list[SafeName]:
        now, learned = self.space.now(), list[SafeName]()
        marks = load_marks(unit, session, now, self.space.settings.trust)
        fresh = [turn for turn in turns if turn.state in ("new", "failed")]
        proposals = self.extractor.propose(drop_echoes(fresh, marks), ())
        for n, candidate in enumerate(proposals.candidates):
            decision = self.reconciler.settle(
                unit, candidate, operation_id=f"rules:{candidate.sources[0]}:{n}", now=now
            )
            if decision.memory is not None:
                learned.append(decision.memory.id)
        return learned


def _new_turn(message: object, session: str) -> NewTurn:
    """A message as the host has it: a value, or a dict in the form of a model's API."""
    if isinstance(message, NewTurn):
        return message
    if not isinstance(message, Mapping):
        raise InvalidInput(f"one of messages is a {type(message).__name__}", remedy=_FORMS)
    fields = dict(message)
    id_ = next((fields[name] for name in ("_session_id", *SESSION_KEYS) if name in fields), None)
    if id_ is not None and not isinstance(id_, str):
        raise InvalidInput("the session of a message is not text", remedy=_FORMS)
    fields.pop("index", None)  # the host's own count; a turn is known by what it says
    try:
        return read_message(fields, id_ or session)
    except UnreadableMessage as error:
        raise InvalidInput(f"one of messages cannot be read: {error}", remedy=_FORMS) from error


def _content(turn: Turn | TurnRow) -> tuple[object, ...]:
    return (turn.role, turn.text, *(result.content for result in turn.tool_results))
