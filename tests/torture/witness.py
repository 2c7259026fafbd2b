"""What was said to the engine, and whether all of it is there: whole, findable, nothing half."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import apsw

from mnemic import Mind, NewTurn, ToolCall, ToolResult, Turn
from mnemic.store.postgres.address import is_address
from tests.postgres.server import connect

_LETTERS = "bcfhjklmnpqrtvwx"  # no suffix a stemmer would take away
_FILLER = "uv 升级 Python 数据库 deploy staging 会议 weekly report 用户 prefers dark mode".split()


def word(*numbers: int) -> str:
    """A word that stands in one turn only."""
    digits = [f"{number:x}" for number in numbers]
    return "zz" + "".join("z" + "".join(_LETTERS[int(d, 16)] for d in text) for text in digits)


@dataclass(frozen=True, slots=True)
class Act:
    """One call: turns to record together, or a statement to remember."""

    turns: tuple[NewTurn, ...] = ()
    memory: str = ""
    by_session: bool = False

    def perform(self, mind: Mind) -> None:
        """Durable when this returns."""
        if self.memory:
            mind.remember(self.memory, kind="fact")
        elif len(self.turns) > 1:
            mind.record_many(self.turns)
        elif self.by_session:
            turn = self.turns[0]
            talk = mind.session(turn.session, project="torture")
            talk.assistant(turn.text, tool_calls=turn.tool_calls, tool_results=turn.tool_results)
        else:
            mind.record_turn(self.turns[0])


def acts(seed: int, cycle: int) -> Iterator[Act]:
    """An endless script: the same for the one who acts and the one who checks."""
    rng = random.Random(f"{seed}:{cycle}")
    number = 0
    while True:
        kind = rng.choices(("one", "many", "tools", "memory"), (6, 2, 2, 1))[0]
        if kind == "memory":
            yield Act(memory=_text(rng, cycle, number, 0))
        elif kind == "many":
            size = rng.randint(2, 12)
            yield Act(tuple(_turn(rng, cycle, number, i) for i in range(size)))
        elif kind == "tools":
            turn = NewTurn(
                session=f"tools-{cycle}",
                role="assistant",
                text=_text(rng, cycle, number, 0),
                tool_calls=(ToolCall("search", {"q": rng.choice(_FILLER), "n": number}, "c1"),),
                tool_results=(ToolResult("found " * rng.randint(1, 200), "c1"),),
            )
            yield Act((turn,), by_session=True)
        else:
            yield Act((_turn(rng, cycle, number, 0),))
        number += 1


def _turn(rng: random.Random, *place: int) -> NewTurn:
    session = rng.choice((f"shared-{place[0] // 20}", f"own-{place[0]}"))
    return NewTurn(session=session, role="user", text=_text(rng, *place))


def _text(rng: random.Random, *place: int) -> str:
    size = rng.choice((3, 12, 40, 400))
    return f"{word(*place)} " + " ".join(rng.choices(_FILLER, k=size))


def missing(mind: Mind, done: Iterable[Act], recall_every: int = 1) -> list[str]:
    """Acts of which something is not there, differs, or cannot be found."""
    wrong: list[str] = []
    kept: dict[str, dict[str, Turn]] = {}
    memories = None
    for number, act in enumerate(done):
        for new in act.turns:
            if new.session not in kept:
                found = mind.turns(session=new.session, newest_first=True, limit=100_000)
                kept[new.session] = {turn.text: turn for turn in found}
            turn = kept[new.session].get(new.text)
            if turn is None:
                wrong.append(f"lost: {new.text[:30]}")
            elif (turn.role, turn.tool_calls, turn.tool_results) != (
                new.role,
                new.tool_calls,
                new.tool_results,
            ):
                wrong.append(f"not whole: {new.text[:30]}")
        if act.memory:
            if memories is None:
                memories = {m.text for m in mind.memories(limit=100_000)}
            if act.memory.strip() not in memories:
                wrong.append(f"lost: {act.memory[:30]}")
        if number % recall_every == 0:
            wrong += _unfindable(mind, act)
    return wrong


def _unfindable(mind: Mind, act: Act) -> list[str]:
    texts = [turn.text for turn in act.turns] or [act.memory.strip()]
    return [
        f"not findable: {text[:30]}"
        for text in texts
        if text not in {hit.text for hit in mind.recall(text.split()[0], limit=3)}
    ]


def whole_acts(mind: Mind, script: Iterable[Act]) -> list[str]:
    """Batches of which only a part is there."""
    kept: dict[str, set[str]] = {}
    wrong = []
    for act in script:
        for new in act.turns:
            if new.session not in kept:
                found = mind.turns(session=new.session, newest_first=True, limit=100_000)
                kept[new.session] = {turn.text for turn in found}
        there = {new.text in kept[new.session] for new in act.turns}
        if len(there) > 1:
            wrong.append(f"half a batch: {act.turns[0].text[:30]}")
    return wrong


# Each query returns what is half: one side of a transaction without the other.
_HALVES = {
    "session whose counters disagree": "SELECT count(*) FROM sessions s WHERE"
    " turns != (SELECT count(*) FROM turns t WHERE t.space = s.space AND t.session = s.number)"
    " OR next_idx != (SELECT coalesce(max(idx), -1) + 1 FROM turns t"
    "  WHERE t.space = s.space AND t.session = s.number)",
    "turn without session": "SELECT count(*) FROM turns t WHERE NOT EXISTS"
    " (SELECT 1 FROM sessions s WHERE s.number = t.session AND s.space = t.space)",
    "tool call not listed": "SELECT count(*) FROM turns t WHERE tool_calls IS NOT NULL"
    " AND NOT EXISTS (SELECT 1 FROM turn_tools u WHERE u.doc = t.doc)",
    "listed tool without turn": "SELECT count(*) FROM turn_tools u WHERE NOT EXISTS"
    " (SELECT 1 FROM turns t WHERE t.doc = u.doc)",
    "undigested session without its job": "SELECT count(*) FROM sessions s WHERE digested <"
    " (SELECT max(doc) FROM turns t WHERE t.space = s.space AND t.session = s.number)"
    " AND NOT EXISTS (SELECT 1 FROM jobs j WHERE j.space = s.space AND j.kind = 'digest'"
    "  AND j.key = s.id)",
    "memory without event": "SELECT count(*) FROM memories m WHERE NOT EXISTS"
    " (SELECT 1 FROM events e WHERE e.space = m.space AND e.subject = m.id)",
    "event without memory": "SELECT count(*) FROM events e WHERE type = 'write' AND NOT EXISTS"
    " (SELECT 1 FROM memories m WHERE m.space = e.space AND m.id = e.subject)",
}
# The same of the text index: ``{}`` is the table with a row, and a number, for each document.
_INDEX_HALVES = {
    "turn without index row": "SELECT count(*) FROM turns t WHERE NOT EXISTS"
    " (SELECT 1 FROM {0} d WHERE d.{1} = t.doc)",
    "memory without index row": "SELECT count(*) FROM memories t WHERE NOT EXISTS"
    " (SELECT 1 FROM {0} d WHERE d.{1} = t.doc)",
    "index row without record": "SELECT count(*) FROM {0} d WHERE d.{1} NOT IN"
    " (SELECT doc FROM turns UNION ALL SELECT doc FROM memories"
    "  UNION ALL SELECT doc FROM episodes UNION ALL SELECT doc FROM attachments)",
    "index row without its terms": "SELECT count(*) FROM {0} d WHERE NOT EXISTS"
    " (SELECT 1 FROM {2} t WHERE t.doc = d.{1})",
    "terms without their index row": "SELECT count(*) FROM {2} t WHERE NOT EXISTS"
    " (SELECT 1 FROM {0} d WHERE d.{1} = t.doc)",
}
_FILE = _HALVES | {
    what: query.format("text_index_docsize", "id", "text_terms")
    for what, query in _INDEX_HALVES.items()
}
_SERVER = _HALVES | {
    what: query.format("text_terms", "doc", "text_postings")
    for what, query in _INDEX_HALVES.items()
}
_BROKEN_TREES = (
    "SELECT count(bt_index_check(i.indexrelid, true)) FROM pg_index i"
    " JOIN pg_class c ON c.oid = i.indexrelid JOIN pg_am a ON a.oid = c.relam"
    " WHERE a.amname = 'btree' AND c.relnamespace = 'mnemic'::regnamespace AND i.indisvalid"
)


def halves(target: str | Path, *, integrity: bool, digests: bool = True) -> list[str]:
    """What is half or broken in a database, by its own word. Not all presets have digests."""
    look = _halves_on_server if is_address(str(target)) else _halves_in_file
    skipped = set() if digests else {"undigested session without its job"}
    return look(str(target), integrity=integrity, skipped=skipped)


def _halves_in_file(path: str, *, integrity: bool, skipped: set[str]) -> list[str]:
    conn = apsw.Connection(path)
    conn.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
    conn.set_busy_timeout(10_000)
    try:
        if not conn.execute("SELECT 1 FROM sqlite_schema WHERE name = 'turns'").get:
            return []  # killed before there was a schema
        wrong = [
            f"{found} x {what}"
            for what, query in _FILE.items()
            if what not in skipped and (found := int(conn.execute(query).get))
        ]
        if integrity:
            said = [str(row[0]) for row in conn.execute("PRAGMA integrity_check(5)")]
            wrong += [f"integrity: {line}" for line in said if line != "ok"]
        return wrong
    finally:
        conn.close()


def _halves_on_server(url: str, *, integrity: bool, skipped: set[str]) -> list[str]:
    import psycopg

    with connect(url) as conn:
        if conn.execute("SELECT to_regclass('mnemic.turns')").fetchone() == (None,):
            return []
        # Not every server has what looks at the trees themselves.
        amcheck = "SELECT 1 FROM pg_available_extensions WHERE name = 'amcheck'"
        integrity = integrity and conn.execute(amcheck).fetchone() is not None
        if integrity:
            conn.execute("CREATE EXTENSION IF NOT EXISTS amcheck")
        # One moment: what a killed process had sent whole may still be written meanwhile.
        conn.execute("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
        conn.execute("SET LOCAL search_path = mnemic, public")
        wrong = [
            f"{found} x {what}"
            for what, query in _SERVER.items()
            if what not in skipped and (found := int(conn.execute(query).fetchone()[0]))
        ]
        try:
            if integrity:
                conn.execute(_BROKEN_TREES)
            conn.execute("COMMIT")
        except psycopg.Error as error:
            wrong.append(f"integrity: {error}")
        return wrong
