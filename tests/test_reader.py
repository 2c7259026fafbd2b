"""The reader in a memory: what it reads is kept with the record, and goes with it."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

import mnemic
from mnemic import Mind
from mnemic.providers.reader import model
from tests import inside
from tests.conftest import OpenMind, usual_target


def count(tmp_path: Path, table: str = "token_vectors") -> int:
    return int(inside.rows(usual_target(tmp_path), f"SELECT count(*) FROM {table}")[0][0])


def tokens_of_turns(tmp_path: Path) -> dict[int, bytes]:
    rows = inside.rows(
        usual_target(tmp_path),
        "SELECT t.doc, v.tokens FROM token_vectors v JOIN turns t ON t.doc = v.doc",
    )
    return {doc: bytes(tokens) for doc, tokens in rows}


def talk(mind: Mind, *texts: str, session: str = "s") -> list[str]:
    return [
        mind.record(session=session, role="user" if n % 2 == 0 else "assistant", text=text).id
        for n, text in enumerate(texts)
    ]


@pytest.fixture
def other_reader(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the installed reader that a test may change."""
    folder = tmp_path / "mnemic_reader"
    shutil.copytree(model.find_folder(), folder)
    monkeypatch.setattr(model, "find_folder", lambda: folder)
    return folder


def test_recording_waits_for_no_reader_and_a_drain_reads_every_turn(
    open_mind: OpenMind, tmp_path: Path
) -> None:
    mind = open_mind()
    talk(mind, "We adopted a beagle", "What is it called?", "Toffee, after my grandfather's")
    assert count(tmp_path) == 0
    mind.drain()
    assert count(tmp_path) >= 3
    assert mind.stats().unembedded == 0


def test_average_turn_takes_at_most_three_kilobytes(open_mind: OpenMind, tmp_path: Path) -> None:
    mind = open_mind()
    turns = [
        "My landlord finally fixed the boiler, so you can drop the reminder about the space heater",
        "Done. Anything else for the flat?",
        "我下个月十五号要去一趟宁波，帮我记一下，到时候别忘了带合同和公章，还有上次说的样品",
        "记下了，出发前一天我提醒你。",
    ]
    talk(mind, *turns)
    mind.drain()
    sizes = inside.rows(
        usual_target(tmp_path),
        "SELECT sum(length(tokens)) FROM token_vectors WHERE doc IN (SELECT doc FROM turns)",
    )
    vectors = inside.rows(
        usual_target(tmp_path), "SELECT count(*) FROM vectors WHERE doc IN (SELECT doc FROM turns)"
    )
    assert (sizes[0][0] + 512 * vectors[0][0]) / len(turns) <= 3 * 1024


def test_forgetting_a_turn_takes_what_was_read_of_it_and_beside_it(
    open_mind: OpenMind, tmp_path: Path
) -> None:
    mind = open_mind()
    ids = talk(mind, "The clinic called about the biopsy", "I am sorry. When is it?", "On Monday")
    mind.drain()
    docs = tokens_of_turns(tmp_path)
    assert len(docs) == 3
    mind.forget(id=ids[0])
    mind.drain()
    left = tokens_of_turns(tmp_path)
    assert len(left) == 2
    first, second = sorted(left)
    assert left[first] != docs[first], "it was read beside what is forgotten"
    assert left[second] == docs[second]


def test_new_version_reads_everything_again_and_the_old_one_answers_meanwhile(
    open_mind: OpenMind, other_reader: Path, tmp_path: Path
) -> None:
    mind = open_mind()
    talk(mind, "Our daughter plays the cello", "How long has she played?", "Since she was six")
    mind.drain()
    mind.close()
    card = json.loads((other_reader / "reader.json").read_text())
    (other_reader / "reader.json").write_text(json.dumps({**card, "version": "99-next"}))
    model._load_reader.cache_clear()
    again = open_mind()
    assert again.recall("cello")[0].text == "Our daughter plays the cello"
    again.drain()
    names = inside.rows(
        usual_target(tmp_path),
        "SELECT DISTINCT e.name FROM token_vectors v JOIN embedders e ON e.number = v.embedder",
    )
    assert [name for (name,) in names] == ["mnemic-reader-99-next"]


def test_damaged_model_file_leaves_words_and_an_event(
    open_mind: OpenMind, other_reader: Path
) -> None:
    for script in ("latin", "han"):
        (other_reader / f"{script}.onnx").write_bytes(b"\x08\x08torn")
    model._load_reader.cache_clear()
    mind = open_mind()
    talk(mind, "The spare key is under the flower pot", "Noted.")
    mind.drain()
    assert mind.recall("spare key")[0].text == "The spare key is under the flower pot"
    assert mind.stats().jobs_ready + mind.stats().jobs_dead > 0, "the embedding failed visibly"
    assert mind.stats().unembedded > 0


def test_without_the_reader_words_answer(
    open_mind: OpenMind, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(model, "_PACKAGE", "no_such_package")
    mind = open_mind()
    talk(mind, "The spare key is under the flower pot")
    mind.drain()
    assert mind.recall("spare key")[0].text == "The spare key is under the flower pot"
    with pytest.raises(mnemic.MissingExtra, match=r"mnemic\[local\]"):
        open_mind(embedding__provider="local")


@pytest.mark.feature("R3")
@pytest.mark.parametrize(
    ("told", "asked"),
    [
        ("我对花生过敏，一吃就起疹子", "Which foods should I avoid?"),
        ("The wedding is at my aunt's vineyard in June", "婚礼在哪里办？"),
        ("我们家的猫做完绝育手术了", "what happened at the vet?"),
    ],
)
def test_question_in_one_language_finds_what_was_told_in_the_other(
    open_mind: OpenMind, told: str, asked: str
) -> None:
    mind = open_mind()
    chat = [
        "The printer is out of toner again", "Ordered.", "明天记得提醒我交电费", "好的。",
        "My bike has a flat tyre", "A repair kit is in the drawer.", "周末想去爬山", "天气不错。",
    ]  # fmt: skip
    talk(mind, *chat, session="a")
    talk(mind, told, "ok", session="b")
    talk(
        mind,
        "Remind me to call the plumber",
        "Will do.",
        "这周的会改到周四",
        "已更新。",
        session="c",
    )
    mind.drain()
    assert told in [hit.text for hit in mind.recall(asked, limit=3, of=["turn"], min_score=0.0)]
