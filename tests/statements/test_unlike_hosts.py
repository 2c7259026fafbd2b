"""What hosts bring that is nothing like the documents' examples: careless backends and models,
files of other programs in other shapes, databases of older versions in other hands.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

import mnemic
from mnemic import Message, ModelOutput, NewTurn
from mnemic.clock import ManualClock
from tests.cli.conftest import Shell, db, shell
from tests.conftest import OpenMind
from tests.fixtures.build import path_of
from tests.moving import sources
from tests.providers.scripted import Scripted
from tests.remote import asked_for, meaning, remote, server

__all__ = ["db", "server", "shell"]
OPENAKITA = ("--preset", "openakita")


# --- search ---------------------------------------------------------------------------------------


@dataclass
class Workshop:
    """Two statements of a trade, and a question that shares no word with the one it means."""

    meant: str
    other: str
    question: str
    near: tuple[str, str]
    words: str

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        return [[float(any(word in text for word in self.near)), 0.2] for text in texts]

    name = "workshop"
    dimensions = 2


LUTHIER = Workshop(
    meant="The spruce for the belly seasons nine years in the loft",
    other="Invoices leave on the last Thursday",
    question="How long do we dry tonewood?",
    near=("spruce", "tonewood"),
    words="invoices Thursday",
)
TEA = Workshop(
    meant="老枞的青叶要萎凋一整夜",
    other="茶厂逢五逢十发货",
    question="晾青多久？",
    near=("萎凋", "晾青"),
    words="逢五逢十发货",
)
WORKSHOPS = pytest.mark.parametrize("shop", [LUTHIER, TEA], ids=["luthier", "茶厂"])


@dataclass
class Careless:
    """A vector search that answers in any order and with more than was wanted."""

    stranger: bool = False
    rows: dict[str, dict[int, Any]] = field(default_factory=dict)

    def add(self, table: str, ids: Sequence[int], vectors: Any) -> None:
        self.rows.setdefault(table, {}).update(zip(ids, vectors, strict=True))

    def search(self, table: str, vector: Any, limit: int) -> list[tuple[int, float]]:
        cosines = [(id, float(row @ vector)) for id, row in self.rows.get(table, {}).items()]
        return [*sorted(cosines, key=lambda pair: pair[1]), *[(990_001, 1.0)] * self.stranger]

    def clear(self, table: str) -> None:
        self.rows.pop(table, None)


@WORKSHOPS
@pytest.mark.statement("A70")
def test_a_careless_search_of_ones_own_still_finds_what_was_meant(
    tmp_path: Path, shop: Workshop
) -> None:
    backend = Careless()
    given: dict[str, Any] = {"preset": "openakita", "worker": "none", "embedder": shop}
    with mnemic.open(tmp_path / "m.db", vectors=backend, **given) as mind:
        for text in (shop.other, shop.meant):
            mind.remember(text, kind="fact")
        mind.drain()
        found = mind.recall(shop.question)
        assert found[0].text == shop.meant
        assert "vector" in found[0].why.routes
        assert {hit.text for hit in found} <= {shop.meant, shop.other}
        backend.stranger = True
        assert mind.recall(shop.words)[0].text == shop.other, "words answer"
        assert any("vector backend" in str(event.payload) for event in mind.events())
    with mnemic.open(tmp_path / "m.db", vectors=Careless(), **given) as mind:  # a new, empty one
        mind.drain()
        assert mind.recall(shop.words)[0].text == shop.other
        assert mind.recall(shop.question)[0].text == shop.meant


@WORKSHOPS
@pytest.mark.parametrize("written", ["arguments", "file"])
@pytest.mark.statement("A71")
def test_the_names_of_the_configuration_wherever_they_are_written(
    tmp_path: Path,
    server: Scripted,
    monkeypatch: pytest.MonkeyPatch,
    written: str,
    shop: Workshop,
) -> None:
    server.always(meaning(dict.fromkeys(shop.near, (1.0, 0.0, 0.0))))
    given: dict[str, Any] = {
        "search_backend": "api_embedding",
        "embedding_api_provider": "openai",
        "embedding_api_key": "sk-of-the-workshop",
        "embedding_api_model": "nomic-embed-text",
        "embedding.base_url": server.url,
    }
    options: dict[str, Any] = {}
    if written == "arguments":
        options = given
    else:
        file = tmp_path / "mnemic.toml"
        file.write_text("".join(f"{name} = {json.dumps(v)}\n" for name, v in given.items()))
        monkeypatch.setenv("MNEMIC_CONFIG", str(file))
    with mnemic.open(":memory:", preset="openakita", worker="none", **options) as mind:
        for text in (shop.other, shop.meant):
            mind.remember(text, kind="fact")
        mind.drain()
        best = mind.recall(shop.question)[0]
        assert (best.text, "vector" in best.why.routes) == (shop.meant, True)
    assert {asked.json["model"] for asked in server.asked} == {"nomic-embed-text"}
    assert server.asked[-1].headers["authorization"] == "Bearer sk-of-the-workshop"
    with pytest.raises(mnemic.ConfigError, match=r"embedding_api_model.*one setting"):
        mnemic.open(":memory:", preset="openakita", **given, embedding={"model": "another"})


@pytest.mark.parametrize(
    ("question", "others"),
    [
        ("Which strings for the cello?", "The peg of cello {} slips"),
        ("用什么弦？", "{}号琴的弦轴松"),
    ],
    ids=["cello", "琴"],
)
@pytest.mark.statement("E130")
def test_a_question_that_is_asked_now_and_then_stays_in_the_cache(
    open_mind: OpenMind, server: Scripted, question: str, others: str
) -> None:
    server.always(meaning({question: (1.0, 0.0, 0.0)}))
    given = remote(server)
    del given["embedding"]["cache_entries"]
    mind = open_mind(preset="semibot", **given)
    mind.remember("gut strings", kind="preference")
    mind.drain()
    mind.recall(question)
    for start in (0, 600, 1_200):
        mind.record_many(NewTurn("s", "user", others.format(n)) for n in range(start, start + 600))
        mind.drain()
        mind.recall(question)
    assert asked_for(server).count(question) == 1, "what is used stays, however much comes"
    mind.record_many(NewTurn("s", "user", others.format(n)) for n in range(2_000, 3_100))
    mind.drain()
    mind.recall(question)
    assert asked_for(server).count(question) == 2


# --- a model of one's own -------------------------------------------------------------------------


@dataclass
class Rambling:
    """A model that talks around its answer and gives turns as text."""

    fact: dict[str, Any]
    asked: list[str] = field(default_factory=list)
    name = "shed-13b"

    def complete(self, messages: Sequence[Message], *, schema: Any = None) -> str | ModelOutput:
        self.asked.append(messages[-1].content)
        answer = json.dumps({"facts": [self.fact], "summary": "a talk"}, ensure_ascii=False)
        return f"Sure! Here it is:\n\n```json\n{answer}\n```\nAnything else?"


@pytest.mark.parametrize(
    ("said", "fact"),
    [
        ("We decided that cellos leave with a soft case", "Cellos leave with a soft case"),
        ("我们决定春茶只做三批", "春茶只做三批"),
    ],
    ids=["luthier", "茶厂"],
)
@pytest.mark.statement("D107")
def test_a_model_that_rambles_learns_in_a_session_that_goes_on(
    clock: ManualClock, said: str, fact: str
) -> None:
    model = Rambling({"content": fact, "category": "Decision", "importance": 0.8, "turns": ["1"]})
    with mnemic.open(":memory:", preset="myclaw", clock=clock, worker="none", model=model) as mind:
        session = mind.session("bench", project="workshop")
        session.user(said)
        session.assistant("OK")
        clock.advance(minutes=4)
        mind.drain()
        (learned,) = mind.memories()
        assert (learned.text, learned.kind) == (fact, "decision")
        session.user("...")
        session.user("By the way, the kettle whistles 水开了")
        clock.advance(minutes=4)
        mind.drain()
        assert said not in model.asked[-1].split("kettle")[-1]
        assert len(mind.memories()) == 1
        assert {one.model for one in mind.usage()} == {"shed-13b"}


# --- what others stored ---------------------------------------------------------------------------


@pytest.mark.statement("A109")
@pytest.mark.parametrize(
    ("stored", "question", "answer"),
    [
        (["The user keeps bees behind the barn", "Never call before ten"], "bees", "bees"),
        (["用户在后院养蜂", "十点以前不要打电话"], "养蜂", "养蜂"),
    ],
    ids=["bees", "养蜂"],
)
def test_a_memories_json_that_somebody_edited_by_hand(
    shell: Shell, tmp_path: Path, stored: list[str], question: str, answer: str
) -> None:
    known, rule = stored
    entries: list[Any] = [
        {"id": 7, "content": known, "type": "Fact", "importance_score": "0.9",
         "created_at": "2024/11/05 08:00:00"},
        {"id": "r", "content": rule, "type": "RULE"},
        {"id": "x", "content": "   ", "type": "fact"},
        "a line",
        {"id": "old", "content": "gone", "type": "fact", "expires_at": "2024-12-01T00:00:00"},
        {"id": 7, "content": known, "type": "Fact"},
    ]  # fmt: skip
    file = tmp_path / "memories.json"
    file.write_text("\ufeff" + json.dumps({"memories": entries}, ensure_ascii=False), "utf-8")
    done = shell.json("import", str(file), *OPENAKITA, code=1)
    assert done["format"] == "openakita"
    assert len(done["problems"]) == done["rejected"] >= 1
    again = shell.json("import", str(file), *OPENAKITA, code=1)
    assert again["added"] == 0
    with mnemic.open(shell.db, preset="openakita", worker="none") as mind:
        words = {m.text: mind.words(m)["type"] for m in (*mind.memories(), *mind.pending())}
        assert words == {known: "FACT", rule: "RULE"}
        (memory,) = mind.memories(kind="FACT")
        assert memory.created_at == datetime(2024, 11, 5, 8, tzinfo=UTC)
        assert memory.importance == 0.9
        assert answer in mind.recall(question)[0].text
        prompt = mind.context(question, session="s").text
        assert "gone" not in prompt


@pytest.mark.statement("A110")
@pytest.mark.parametrize(
    ("collection", "documents", "question"),
    [
        ("garage-notes", ("The Volvo takes 5W-30", "Winter tyres are in the loft"), "tyres"),
        ("cheku", ("沃尔沃用 5W-30 机油", "冬季轮胎在阁楼上"), "轮胎"),
    ],
    ids=["garage", "车库"],
)
def test_a_chromadb_collection_of_another_program(
    shell: Shell, tmp_path: Path, collection: str, documents: tuple[str, str], question: str
) -> None:
    chromadb = pytest.importorskip("chromadb", reason="chromadb is not installed")
    place = tmp_path / "garage" / "vectors"
    quiet = chromadb.config.Settings(anonymized_telemetry=False)
    client = chromadb.PersistentClient(str(place), settings=quiet)
    try:
        kept = client.create_collection(collection)
        kept.add(ids=["1", "2"], embeddings=[[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]],
                 documents=list(documents),
                 metadatas=[{"memory_type": "semantic"}, None])  # fmt: skip
        kept.upsert(ids=["2", "3"], embeddings=[[0.0, 1.0, 0.1], [0.0, 0.0, 1.0]],
                    documents=[documents[1] + "!", documents[0]])  # fmt: skip
    finally:
        client.close()
    before = sources.prints(place)
    done = shell.json("import", str(tmp_path / "garage"), *OPENAKITA)
    assert (done["format"], done["added"] + done["known"]) == ("chroma", 3)
    assert sources.prints(place) == before
    with mnemic.open(shell.db, preset="openakita", worker="none") as mind:
        texts = [m.text for m in mind.memories()]
        assert sorted(texts) == sorted((documents[0], documents[1] + "!"))
        assert mind.recall(question)[0].text == documents[1] + "!"


@pytest.mark.statement("A111")
@pytest.mark.parametrize(
    ("said", "query"),
    [
        ("Put the ferry tickets into the blue folder", "ferry tickets"),
        ("船票放进蓝色文件夹", "船票"),
    ],
    ids=["ferry", "船票"],
)
def test_jsonl_with_tools_a_torn_line_and_two_sessions(
    shell: Shell, tmp_path: Path, said: str, query: str
) -> None:
    folder = tmp_path / "conversation_history"
    folder.mkdir()
    call = {"name": "write_file", "input": {"path": "blue/tickets.pdf"}, "id": "c1"}
    turns: list[dict[str, Any]] = [
        {"role": "user", "content": said, "timestamp": "2025-08-01T07:00:00"},
        {"role": "assistant", "content": "OK", "timestamp": "2025-08-01T07:01:00",
         "tool_calls": [call]},
    ]  # fmt: skip
    text = "\n".join(json.dumps(turn, ensure_ascii=False) for turn in turns)
    (folder / "20250801_harbor.jsonl").write_text(f'{text}\n{{"role": "us', "utf-8")
    (folder / "20250802_harbor.jsonl").write_text(f"{text}\n", "utf-8")
    done = shell.json(*OPENAKITA, "import", str(folder), code=1)
    assert (done["added"], done["rejected"]) == (4, 1)
    with mnemic.open(shell.db, preset="openakita", worker="none") as mind:
        assert len({turn.session for turn in mind.turns()}) == 2
        assert {turn.at for turn in mind.turns(role="user")} == {
            datetime(2025, 8, 1, 7, tzinfo=UTC)
        }
        assert mind.recall(query, of=["turn"])[0].text == said
        assert mind.recall("blue/tickets.pdf", of=["turn"])


@pytest.mark.statement("C24")
@pytest.mark.parametrize("version", [2, 5, 9, 12])
def test_a_database_of_any_version_goes_on(
    open_mind: OpenMind, clock: ManualClock, tmp_path: Path, version: int
) -> None:
    """Both spaces, what was learned, its history, and a conversation that goes on tomorrow."""
    old = tmp_path / "ours.db"
    old.write_bytes(path_of(version).read_bytes())
    clock.set(datetime(2026, 2, 20, 9, tzinfo=UTC))
    mind = open_mind(old, preset="shiyi", embedding={"provider": "none"})
    (uv,) = mind.memories(kind="preference")
    assert uv.text == "uses uv"
    assert [one.text for one in mind.history(uv.id).versions] == ["uses pip", "uses uv"]
    assert "Lisbon" in mind.recall("When do we fly to Lisbon?")[0].text
    session = mind.session("trip")
    before = len(mind.turns(session="trip"))
    session.user("We decided to take the night train instead")
    session.assistant("好的")
    mind.drain()
    assert [turn.index for turn in mind.turns(session="trip")][-2:] == [before, before + 1]
    assert any("night train" in memory.text for memory in (*mind.memories(), *mind.pending()))
    clock.advance(days=1)
    mind.upkeep("daily")
    mind.upkeep("weekly")
    assert all(finding.ok for finding in mind.doctor())
    mind.close()
    bob = open_mind(old, preset="shiyi", space="bob", embedding={"provider": "none"})
    assert [turn.text for turn in bob.turns()] == ["the secret of bob"]
    assert bob.recall("night train") == []


@pytest.mark.statement("A112")
@pytest.mark.parametrize(
    ("session_id", "said", "zone"),
    [("tele/gram:42", "I prefer nets of hemp", "America/Lima"),
     ("渔港", "我喜欢用麻网", "Asia/Tokyo")],
    ids=["Lima", "东京"],
)  # fmt: skip
def test_the_folders_of_a_fisher_under_another_roof(
    open_mind: OpenMind,
    clock: ManualClock,
    tmp_path: Path,
    *,
    session_id: str,
    said: str,
    zone: str,
) -> None:
    home = tmp_path / "my files" / "船 data"
    clock.set(datetime(2026, 6, 30, 16, 30, tzinfo=UTC))
    given: dict[str, Any] = {"preset": "openakita", "schedule": {"zone": zone}}
    mind = open_mind(home / "memory.db", **given)
    session = mind.session(session_id)
    session.user(said)
    mind.drain()
    for _ in range(2):  # a session that goes on over two nights
        clock.advance(days=1)
        mind.drain()
        session.user("...")
    mind.drain()
    days = sorted(path.stem for path in (home / "daily_summaries").glob("*.md"))
    assert days == sorted(set(days))
    local = {str((clock.now() + timedelta(hours=-5 if "Lima" in zone else 9)).date())}
    assert local & set(days)
    files = list((home / "conversation_history").rglob("*.jsonl"))
    assert len(files) == 1
    lines = files[0].read_text(encoding="utf-8").splitlines()
    assert [json.loads(line)["text"] for line in lines] == [said, "...", "..."]
    assert all(home in file.parents for file in files), "a session's name is no path"
    assert {"MEMORY.md", "USER.md"} <= {path.name for path in (home / "identity").iterdir()}
    assert said[-4:] in (home / "identity" / "USER.md").read_text(encoding="utf-8")
