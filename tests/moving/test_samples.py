"""Files of other memories, made with their own libraries where these install: samples/README.md."""

from __future__ import annotations

import hashlib
import json
import random
import shutil
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest

import mnemic
from mnemic.engine.mind import Mind
from mnemic.errors import InvalidInput
from mnemic.moving.importer import IMPORTED_FROM, Speakers, import_source
from mnemic.moving.reader import reader_of, readers
from mnemic.moving.source import ImportSource
from tests.cli.conftest import Shell, db, shell
from tests.moving.archives import chatgpt_zip, claude_zip

__all__ = ["db", "shell"]
pytestmark = pytest.mark.feature("O4")
SAMPLES = Path(__file__).parent / "samples"
# The format that is found, and what is read.
FOUND: dict[str, tuple[str, dict[str, int]]] = {
    "mem0.json": ("mem0", {"memory": 4}),
    "mem0_history.db": ("mem0", {"memory": 5}),
    "langgraph.json": ("langgraph", {"memory": 6}),
    "langgraph.db": ("langgraph", {"memory": 6}),
    "graphiti.json": ("graphiti", {"memory": 3, "turn": 4}),
    "zep.json": ("zep", {"memory": 2, "turn": 2}),
    "letta.af": ("letta", {"turn": 5, "memory": 3, "scratchpad": 1}),
    "letta_old.af": ("letta", {"memory": 2, "turn": 2}),
    "letta_passages.json": ("letta", {"memory": 2}),
    "basic-memory": ("basic-memory", {"memory": 12}),
    "chatgpt.zip": ("chatgpt", {"turn": 4}),
    "claude.zip": ("claude", {"turn": 2, "memory": 5, "attachment": 1}),
    "claude_split.zip": ("claude", {"turn": 2, "memory": 5, "attachment": 1}),
}
_ANY = {"markdown", "csv", "memories", "turns"}
_MADE: dict[str, Callable[[Path], Path]] = {
    "chatgpt.zip": chatgpt_zip,
    "claude.zip": claude_zip,
    "claude_split.zip": lambda path: claude_zip(path, split=True),
}


def sample(name: str, folder: Path) -> Path:
    """A copy of its own."""
    path = folder / name
    if name in _MADE:
        return _MADE[name](path)
    copy = shutil.copytree if (SAMPLES / name).is_dir() else shutil.copyfile
    copy(SAMPLES / name, path)
    return path


@pytest.fixture
def mind(tmp_path: Path) -> Mind:
    return mnemic.open(tmp_path / "memory.db", worker="none")


def digest(path: Path) -> str:
    files = sorted(path.rglob("*")) if path.is_dir() else sorted(path.parent.glob(path.name + "*"))
    whole = [(str(file), file.read_bytes()) for file in files if file.is_file()]
    return hashlib.sha256(repr(whole).encode()).hexdigest()


@pytest.mark.parametrize("name", FOUND)
def test_it_goes_in_once_and_the_source_stays_as_it_is(name: str, tmp_path: Path) -> None:
    path = sample(name, tmp_path)
    before = digest(path)
    format_, kinds = FOUND[name]
    with mnemic.open(tmp_path / "memory.db", worker="none") as mind:
        done, refused = import_source(mind, str(path))
        assert (done.format, dict(done.kinds), refused) == (format_, kinds, [])
        assert (done.added, done.known) == (sum(kinds.values()), 0)
        again, _ = import_source(mind, str(path))
        assert (again.added, again.known) == (0, sum(kinds.values()))
        for memory in mind.memories(status="all", limit=100):
            assert memory.metadata[IMPORTED_FROM] == format_
            assert memory.origin == "migration"
            assert memory.trust in ("agent", "tool") or format_ == "claude"
    assert digest(path) == before


@pytest.mark.parametrize("name", ["mem0_history.db", "letta.af", "basic-memory", "claude.zip"])
def test_the_command_shows_first_what_it_will_do(name: str, shell: Shell, tmp_path: Path) -> None:
    path = sample(name, tmp_path)
    seen = shell.json("import", str(path), "--preview")
    assert (seen["format"], seen["read"]) == FOUND[name]
    assert not shell.db.exists()
    done = shell.json("import", str(path))
    assert (done["read"], done["added"]) == (seen["read"], sum(seen["read"].values()))
    assert shell.json("import", str(path))["added"] == 0


def test_no_format_is_taken_for_another(tmp_path: Path) -> None:
    """Only the readers of any markdown, list or chat may know another's file, after its own."""
    lines = tmp_path / "turns.jsonl"
    lines.write_text('{"session": "a", "role": "user", "content": "hi", "text": "x"}\n' * 3)
    notes = tmp_path / "notes.md"
    notes.write_text("# Notes\n\nNothing special\n")
    own = [reader for reader in readers() if not {*reader.formats} & _ANY]
    for path in (lines, notes):
        assert not any(reader.recognizes(ImportSource.of(path)) for reader in own)
    for name, (format_, _) in FOUND.items():
        path = sample(name, tmp_path)
        claims = [reader.recognizes(ImportSource.of(path)) for reader in own]
        assert [*filter(None, claims)] == ([] if name in _MADE else [format_]), name
        assert reader_of(ImportSource.of(path))[1] == format_


# --- what becomes of each -------------------------------------------------------------------------


def contents(mind: Mind) -> set[str]:
    return {memory.text for memory in mind.memories(limit=100)}


def test_what_has_ended_there_is_not_known_here(mind: Mind) -> None:
    for name in ("mem0_history.db", "graphiti.json", "zep.json"):
        import_source(mind, str(SAMPLES / name))
    known = contents(mind)
    assert {"User lives in Porto", "Maria lives in Oslo", "Kenji works at Contoso"} <= known
    ended = {"User lives in Lisbon", "Maria lives in Rome", "Kenji works at Northwind"}
    assert not known & ended
    for question in ("Where does Maria live, in Rome?", "Does Kenji work at Northwind?"):
        assert not {hit.text for hit in mind.recall(question)} & ended
    kept = {str(memory.text): memory for memory in mind.memories(status="all", limit=100)}
    assert "User works at Initech" not in kept, "it was deleted there"
    rome = kept["Maria lives in Rome"]
    assert rome.valid_from == datetime(2019, 5, 1, tzinfo=UTC)
    assert rome.valid_to == datetime(2025, 6, 1, tzinfo=UTC)


def test_each_memory_keeps_its_time_and_is_found(mind: Mind) -> None:
    for name in ("mem0.json", "langgraph.json", "letta_passages.json", "basic-memory"):
        import_source(mind, str(SAMPLES / name))
    for question, text, day in (
        ("Who is vegetarian?", "User is vegetarian and loves Thai food", "2025-11-16"),
        ("花生过敏", "爱丽丝对花生过敏", "2025-11-16"),
        ("Who sails on Sunday?", "Tiago sails every Sunday", "2025-05-03"),
        ("coffee black", "Drinks her coffee black", "2025-04-02"),
    ):
        found = [hit.text for hit in mind.recall(question)]
        assert text in found, question
        (memory,) = (one for one in mind.memories(limit=100) if one.text == text)
        assert memory.created_at.date().isoformat() == day
    by_text = {str(memory.text): memory for memory in mind.memories(limit=100)}
    assert by_text["Moorings cost 120 euros a month"].trust == "tool", "a file says so"
    manages = by_text["Alice manages Bob"]
    assert (manages.subject, manages.predicate, manages.value) == ("Alice", "manages", "Bob")
    assert by_text["Alice's dog is called Pixel"].metadata["namespace"] == "memories/alice"
    assert by_text["Ana works together with Marta"].metadata["context"] == "bakery"
    assert by_text["新店开在河边"].kind == "decision"
    assert "Tiago sold the boat" not in by_text, "it was deleted there"


def test_an_agent_of_letta_speaks_and_does_not_think(mind: Mind) -> None:
    import_source(mind, str(SAMPLES / "letta.af"))
    (session,) = mind.sessions()
    told = [(turn.role, turn.text) for turn in mind.turns(session=session.id)]
    assert told == [
        ("user", "My boat is called Sardinha"),
        ("assistant", ""),
        ("assistant", "What a lovely name!"),
        ("assistant", ""),
        ("tool", ""),
    ]
    assert mind.turns(session=session.id)[-1].tool_results[0].content.startswith("Marina de")
    assert "Find a mooring" in mind.scratchpad().text
    assert "Age: ?" not in contents(mind)


def test_claude_brings_its_memory_and_the_projects(mind: Mind, tmp_path: Path) -> None:
    import_source(mind, str(claude_zip(tmp_path / "claude.zip")))
    by_text = {str(memory.text): memory for memory in mind.memories(limit=100)}
    shop = by_text["Anna runs a bicycle shop."]
    assert (shop.trust, shop.topic) == ("agent", "Work context")
    assert by_text["Plan a tour over the Stelvio."].project == "Alps tour"
    rule = by_text["Answer in kilometres."]
    assert (rule.trust, rule.kind, rule.project) == ("owner", "rule", "Alps tour")
    (file,) = mind.attachments()
    assert (file.original_filename, "Bormio" in file.extracted_text) == ("stages.md", True)
    assert [turn.text for turn in mind.turns(session="c-9")] == [
        "Which tyres for the Alps?\n[bike.jpg]",
        "Wide ones.",
    ]
    limited = mnemic.open(tmp_path / "limited.db", worker="none")
    import_source(limited, str(tmp_path / "claude.zip"), speakers=Speakers(most="agent"))
    assert {memory.trust for memory in limited.memories(limit=100)} == {"agent"}


def test_chatgpt_names_pictures(mind: Mind, tmp_path: Path) -> None:
    import_source(mind, str(chatgpt_zip(tmp_path / "chatgpt.zip")))
    assert mind.turns(session="c-1")[0].text == "[image]\nWhat is on this picture?"
    assert {one.topic for one in mind.sessions()} == {"Chat c-1", "Chat c-2"}


# --- damage ---------------------------------------------------------------------------------------


def test_one_bad_record_costs_only_itself(mind: Mind, tmp_path: Path) -> None:
    graph = json.loads((SAMPLES / "graphiti.json").read_text())
    graph["edges"][0]["valid_at"] = "someday"
    graph["nodes"][2]["name"] = 7
    graph["episodes"][0] = ["?"]
    path = tmp_path / "graph.json"
    path.write_text(json.dumps(graph))
    done, refused = import_source(mind, str(path))
    assert {one.place for one in refused} == {"edges 1", "nodes 3", "episodes 1"}
    assert dict(done.kinds) == {"memory": 1, "turn": 3}


def test_a_torn_file_is_read_up_to_the_place_that_is_named(mind: Mind, tmp_path: Path) -> None:
    whole = (SAMPLES / "letta.af").read_text()
    path = tmp_path / "torn.af"
    path.write_text(whole.replace('"id": "message-3"', '"id": "message-3', 1))
    done, refused = import_source(mind, str(path))
    assert [one.place for one in refused] == ["messages 4"]
    assert "it is not JSON" in refused[0].reason
    assert (done.kinds["turn"], done.rejected) == (1, 1)
    path.write_text(whole)
    done, refused = import_source(mind, str(path))
    assert (sum(done.kinds.values()), done.added, refused) == (9, 8, [])


def damaged(data: bytes, rng: random.Random) -> bytes:
    place, many = rng.randrange(len(data)), rng.randrange(1, 24)
    noise = bytes(rng.randrange(256) for _ in range(many))
    return rng.choice(
        (
            data[:place],
            data[:place] + noise + data[place + many :],
            data[:place] + noise + data[place:],
            data[:place] + data[place + many :],
            data[:place] + rng.choice((b'"', b"{", b"}", b"]", b"\\", b"\x00")) + data[place + 1 :],
        )
    )


def test_two_hundred_damaged_files_never_fail_untyped(tmp_path: Path) -> None:
    rng, outcomes = random.Random(18), {"whole": 0, "in part": 0, "refused": 0}
    minds = {
        name: mnemic.open(tmp_path / f"{number}.db", worker="none")
        for number, name in enumerate(FOUND)
    }
    for number in range(200):
        name = list(FOUND)[number % len(FOUND)]
        folder = tmp_path / f"of-{number}"
        folder.mkdir()
        path = sample(name, folder)
        file = path
        if path.is_dir():
            file = rng.choice(sorted(one for one in path.rglob("*.md")))
        file.write_bytes(damaged(file.read_bytes(), rng))
        try:
            done, refused = import_source(minds[name], str(path), format=FOUND[name][0])
        except InvalidInput:
            outcomes["refused"] += 1
            opens = path.suffix not in (".zip", ".db")
            assert not opens, f"{number}: {name} is refused as a whole"
            continue
        assert done.rejected == len(refused)
        assert all(one.place and one.reason for one in refused)
        lost = sum(FOUND[name][1].values()) - done.added - done.known
        outcomes["in part" if lost or refused else "whole"] += 1
    for mind in minds.values():
        mind.close()
    assert outcomes["in part"] > 60, outcomes


def test_a_large_graph_comes_through_a_pipe(shell: Shell) -> None:
    facts = [
        {
            "uuid": f"e{n}",
            "fact": f"Ann keeps cup {n} on shelf {n % 7}",
            "name": "KEEPS",
            "source_node_uuid": "ann",
            "target_node_uuid": "cups",
            "valid_at": "2025-03-01T00:00:00Z",
        }
        for n in range(600)
    ]
    nodes = [
        {"uuid": "ann", "name": "Ann", "summary": "", "labels": ["Person"]},
        {"uuid": "cups", "name": "the cups", "summary": "", "labels": []},
    ]
    graph = json.dumps({"edges": facts, "nodes": nodes})
    assert len(graph) > 1 << 16
    done = shell.json("import", "-", "--format", "graphiti", input=graph)
    assert (done["read"], done["rejected"]) == ({"memory": 600}, 0)
    with mnemic.open(shell.db, worker="none") as mind:
        assert {(one.subject, one.value) for one in mind.memories()} == {("Ann", "the cups")}
