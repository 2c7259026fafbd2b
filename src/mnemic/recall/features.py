"""What is known of each candidate for a query: one row of numbers a candidate, for the ranker.

Nothing here says how a conversation was cut up or how long a text is: that would tell collections
of texts from each other, not evidence from what is none.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

from mnemic.language.query_intent import QueryIntent
from mnemic.late import NDArray, dataclass, np

Floats: TypeAlias = "NDArray[np.floating]"
Flags: TypeAlias = "NDArray[np.bool_]"
Places: TypeAlias = "NDArray[np.int64]"
ABSENT = -1
_TINY = 1e-6
_LIKENESS = 0.15  # a standard deviation of likeness, beside the best text score
_BEST = 3
_CROWD = 4  # turns of a session that make room for other sessions; more need not be told apart
_LEAST_COVER = 0.1  # of the weight of the query's terms
_FAR = 4.0  # standard deviations beyond which likeness says no more


# What a part of an explanation is made of.
GROUPS: Mapping[str, tuple[str, ...]] = {
    "words": ("text", "text strength", "text place", "cover", "best term"),
    "shared with best": ("shared with best", "rarest shared"),
    "meaning": ("vector", "vector behind best", "vector place"),
    "reading": (
        "late", "late behind best", "late place", "late lead", "previous late", "following late",
        "session late",
    ),
    "words and meaning": ("own", "own place"),
    "neighbors": (
        "cover with previous", "cover of window", "previous text", "following text", "second text",
        "previous vector", "following vector", "previous own", "following own", "second own",
    ),
    "answered question": ("answered text", "answered own", "answers"),
    "asks": ("asks",),
    "session": (
        "session text", "session cover", "session vector", "session own", "session sum",
        "in conversation",
    ),
    "speaker": ("named speaker",),
    "other speaker": ("other speaker", "reply to named"),
    "assistant": ("agent",),
    "assistant asked for": ("agent asked for",),
    "date": ("date",),
    "other date": ("other date",),
    "recency": ("recency",),
    "routes": ("route time", "route exact", "route entity"),
    "wish": ("wish",),
    "time or number": ("time asked for", "number asked for"),
    "type": ("is memory", "is episode"),
    "query": (
        "query absent", "query terms", "query best cover", "query best strength",
        "query best vector", "query best late", "query for help", "query of whole",
        "query has date", "query for time", "query for number",
    ),
}  # fmt: skip
OF_QUERY = GROUPS["query"]


@dataclass(frozen=True, slots=True)
class VectorScores:
    """Best-passage cosines of the candidates, and how those of any record spread for this query."""

    similarity: Floats
    mean: float
    deviation: float
    late: Floats | None = None  # token by token, NaN for what was not read

    @property
    def read(self) -> Floats | None:
        """``late``, unless nothing was read yet."""
        return None if self.late is None or np.isnan(self.late).all() else self.late


@dataclass(frozen=True, slots=True)
class CandidateTable:
    """One entry a candidate; ``previous`` and ``following`` are places here, or ``ABSENT``.

    ``present`` tells which terms of the query a text has, ``heft`` what each weighs, ``absent``
    what those weigh that no text has.
    """

    text_score: Floats
    shared: Floats  # of the terms of the best texts, by what they tell among the candidates
    rarest_shared: Floats
    present: Flags
    heft: Floats
    absent: float
    tells_time: Flags  # only where a time is asked for, and so with a number
    tells_number: Flags
    session: Places
    previous: Places
    following: Places
    in_conversation: Flags
    asks: Flags
    by_assistant: Flags
    by_named_speaker: Flags
    date_fit: Floats
    standing_wish: Flags
    recency: Floats
    in_routes: dict[str, Flags]
    of_type: dict[str, Flags]

    @property
    def weight(self) -> float:
        """Of all terms of the query."""
        return max(float(self.heft.sum()) + self.absent, _TINY)


def features(
    candidates: CandidateTable, vectors: VectorScores | None, asking: QueryIntent
) -> dict[str, Floats]:
    """Every feature by its name, one entry a candidate; there is at least one."""
    columns = _words(candidates) | _meaning(candidates, vectors) | _reading(candidates, vectors)
    columns |= _conversation(candidates, columns["text"], columns["vector"])
    columns |= _standing(candidates, asking)
    columns |= _of_query(candidates, columns, asking)
    return columns


def _words(table: CandidateTable) -> dict[str, Floats]:
    """How well the words of the text itself answer the query."""
    cover = table.present @ table.heft / table.weight
    best = int(table.text_score.argmax())
    score = table.text_score / max(float(table.text_score[best]), _TINY)
    # Where even the best has only stop words of the query, it is no measure for the others.
    score = score * min(1.0, float(cover[best]) / _LEAST_COVER)
    heaviest = max(float(table.heft.max(initial=0.0)), _TINY)
    return {
        "text": score,
        "text strength": score * cover[best],
        "cover": cover,
        "best term": (table.present * table.heft).max(axis=1, initial=0.0) / heaviest,
        "shared with best": table.shared,
        "rarest shared": table.rarest_shared,
    }


def _meaning(table: CandidateTable, vectors: VectorScores | None) -> dict[str, Floats]:
    """Likeness by vectors, in standard deviations above any text."""
    likeness = _likeness(vectors, len(table.session))
    return {"vector": likeness, "vector behind best": float(likeness.max(initial=0.0)) - likeness}


def _reading(table: CandidateTable, vectors: VectorScores | None) -> dict[str, Floats]:
    """How well the reader finds that each text answers, and those around it.

    The score itself says whether anything fits; how far it is behind the best, in what order.
    """
    size = len(table.session)
    late = None if vectors is None else vectors.read
    if late is None:
        return {name: np.zeros(size) for name in GROUPS["reading"]}
    scores = np.sort(late[~np.isnan(late)])  # nanmedian loads all of numpy.ma
    median = (scores[(len(scores) - 1) // 2] + scores[len(scores) // 2]) / 2
    late = np.where(np.isnan(late), median, late)
    before = np.where(table.in_conversation, table.previous, ABSENT)
    after = np.where(table.in_conversation, table.following, ABSENT)
    beyond = np.maximum(late - float(late.mean()), 0.0)  # above what any candidate has
    around = _at(beyond, np.stack([before, after]))
    second = float(np.sort(late)[-2]) if size > 1 else float(late[0])
    return {
        "late": late,
        "late behind best": float(late.max()) - late,
        "late place": _places(late[None])[0],
        "late lead": np.maximum(late - second, 0.0),
        "previous late": around[0],
        "following late": around[1],
        "session late": Groups(table.session).best_of_others(beyond[None])[0],
    }


def _likeness(vectors: VectorScores | None, size: int) -> Floats:
    if vectors is None:
        return np.zeros(size)
    spread = max(vectors.deviation, _TINY)
    apart: Floats = np.clip((vectors.similarity - vectors.mean) / spread, -_FAR, 2 * _FAR)
    return apart


def leading(text_score: Floats, vectors: VectorScores | None) -> list[int]:
    """The places of the two best by words and meaning together."""
    best = max(float(text_score.max(initial=0.0)), _TINY)
    joint = text_score / best + _LIKENESS * _likeness(vectors, len(text_score))
    first: list[int] = np.argsort(-joint, kind="stable")[:2].tolist()
    return first


def _conversation(table: CandidateTable, text: Floats, likeness: Floats) -> dict[str, Floats]:
    """Words and meaning together, of the text itself, of those around it and of its session."""
    joint = text + _LIKENESS * likeness
    values = np.stack([text, likeness, joint])
    lent = np.stack([text, likeness, np.maximum(joint, 0.0)])
    # Where one person takes notes, they do not answer each other.
    before = np.where(table.in_conversation, table.previous, ABSENT)
    after = np.where(table.in_conversation, table.following, ABSENT)
    beyond = _at(before, before, ABSENT), _at(after, after, ABSENT)
    around = _at(lent, np.stack([before, after, *beyond]))
    previous, following = around[:, 0], around[:, 1]
    second = np.maximum(around[:, 2], around[:, 3])
    asked = _at(table.asks, before)
    sessions = Groups(table.session)
    others = sessions.best_of_others(values)
    places = _places(values)
    scale = 1 / table.weight
    covered = table.present @ table.heft
    has = table.present.T
    beside = has | _at(has, before)
    window = beside | _at(has, after)
    return {
        "own": joint,
        "text place": places[0],
        "vector place": places[1],
        "own place": places[2],
        "cover with previous": (table.heft @ beside - covered) * scale,
        "cover of window": (table.heft @ window - covered) * scale,
        "previous text": previous[0],
        "previous vector": previous[1],
        "previous own": previous[2],
        "following text": following[0],
        "following vector": following[1],
        "following own": following[2],
        "second text": second[0],
        "second own": second[2],
        "answered text": previous[0] * asked,
        "answered own": previous[2] * asked,
        "session text": others[0],
        "session vector": others[1],
        "session own": others[2],
        "session sum": sessions.mean_of_best(joint),
        "session cover": sessions.union(table.present) @ table.heft * scale,
    }


def _places(rows: Floats) -> Floats:
    """Of each row, 1 for the highest, a half for the second, and so on."""
    places = np.empty(rows.shape)
    ranks = np.broadcast_to(1 / np.arange(1, rows.shape[1] + 1), rows.shape)
    np.put_along_axis(places, np.argsort(-rows, axis=1, kind="stable"), ranks, axis=1)
    return places


def _standing(table: CandidateTable, asking: QueryIntent) -> dict[str, Floats]:
    """Who said it, when, as what, and by which routes it was found."""
    named = table.by_named_speaker.astype(np.float64)
    others_named = float(table.by_named_speaker.any()) * (1 - named)
    assistant = table.by_assistant.astype(np.float64)
    of_assistant = float(asking.of_assistant)
    return {
        "asks": table.asks.astype(np.float64),
        "answers": _at(table.asks, table.previous).astype(np.float64),
        "in conversation": table.in_conversation.astype(np.float64),
        "named speaker": named,
        "other speaker": others_named,
        "reply to named": _at(named, table.previous),
        "agent": assistant * (1 - of_assistant),
        "agent asked for": assistant * of_assistant,
        "date": table.date_fit,
        "other date": (table.date_fit == 0) * float(table.date_fit.any()),
        "wish": table.standing_wish.astype(np.float64),
        "time asked for": table.tells_time.astype(np.float64),
        "number asked for": table.tells_number.astype(np.float64),
        "recency": table.recency,
        **{f"route {name}": flags.astype(np.float64) for name, flags in table.in_routes.items()},
        **{f"is {name}": flags.astype(np.float64) for name, flags in table.of_type.items()},
    }


def _of_query(
    table: CandidateTable, columns: dict[str, Floats], asking: QueryIntent
) -> dict[str, Floats]:
    """What is the same for all candidates: how sure anything is, and what is asked for."""
    size = len(table.session)
    values = {
        "query absent": table.absent / table.weight,
        "query terms": float(np.log1p(table.present.shape[1])),
        "query best cover": float(columns["cover"].max(initial=0.0)),
        "query best strength": float(columns["text strength"].max(initial=0.0)),
        "query best vector": float(columns["vector"].max(initial=0.0)),
        "query best late": float(columns["late"].max(initial=-1.0)),
        "query for help": float(asking.for_help),
        "query of whole": float(asking.of_whole),
        "query has date": float(asking.date is not None),
        "query for time": float(asking.for_time),
        "query for number": float(asking.for_number),
    }
    return {name: np.full(size, value) for name, value in values.items()}


def crowding(scores: Floats, session: Places) -> Places:
    """How many better ones of its own session each candidate has, up to a few."""
    order = np.lexsort((-scores, session))
    of = session[order]
    first = np.searchsorted(of, of)
    places = np.empty(len(scores), np.int64)
    places[order] = np.arange(len(scores)) - first
    return np.minimum(places, _CROWD)


class Groups:
    """Candidates by session: sorted once, then each session is one stretch."""

    def __init__(self, session: Places) -> None:
        self._order = np.argsort(session, kind="stable")
        sorted_ = session[self._order]
        is_first = np.ones(len(sorted_), bool)
        is_first[1:] = sorted_[1:] != sorted_[:-1]
        self._starts = np.flatnonzero(is_first)
        self._of = np.empty(len(session), np.int64)
        self._of[self._order] = np.cumsum(is_first) - 1

    def best_of_others(self, values: Floats) -> Floats:
        """Of each row, the highest value of the session apart from one's own; 0 where there is no
        other.
        """
        best = self._highest(values)
        mine = values >= best
        counts = np.add.reduceat(mine[:, self._order].astype(np.int64), self._starts, axis=1)
        alone = counts[:, self._of] == 1
        second = self._highest(np.where(mine, -np.inf, values))
        other = np.where(mine & alone, second, best)
        return np.where(np.isfinite(other), other, 0.0)

    def mean_of_best(self, values: Floats) -> Floats:
        """The mean of the three highest values of the session, where a missing one counts 0."""
        order = np.lexsort((-values, self._of))
        of = self._of[order]
        is_best = np.arange(len(values)) - self._starts[of] < _BEST
        best = np.maximum(values[order][is_best], 0.0)
        sums = np.bincount(of[is_best], best, minlength=len(self._starts))
        mean: Floats = sums[self._of] / _BEST
        return mean

    def union(self, flags: Flags) -> Flags:
        """A row a candidate: what any of its session has."""
        every: Flags = np.logical_or.reduceat(flags[self._order], self._starts, axis=0)[self._of]
        return every

    def _highest(self, values: Floats) -> Floats:
        highest = np.maximum.reduceat(values[:, self._order], self._starts, axis=1)
        every: Floats = highest[:, self._of]
        return every


def _at(values: NDArray[Any], places: Places, absent: int = 0) -> NDArray[Any]:
    """Entries at places, of each row where there are several; ``absent`` where there is none."""
    padded = np.empty((*values.shape[:-1], values.shape[-1] + 1), values.dtype)
    padded[..., :-1], padded[..., ABSENT] = values, absent
    return padded[..., places]
