"""Published formats by path, told apart by their content."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from bench import banks
from bench.banks import find_files, read_banks
from mnemic.errors import InvalidInput, NotFound
from tests.bench.conftest import Shell
from tests.bench.published import (
    BEAM_CHAT,
    BEAM_PROBES,
    LOCOMO,
    LONGMEMEVAL,
    MEMDAILY,
    write,
    write_beam,
)

pytestmark = pytest.mark.feature("N10")


def test_locomo(tmp_path: Path) -> None:
    first, second = read_banks(write(tmp_path / "any.json", LOCOMO))
    assert (first.name, first.format, second.name) == ("conv-1", "locomo", "conv-2")
    assert [item.id for item in first.items] == ["D1:1", "D1:2", "D2:1"]
    painted = first.items[0]
    assert painted.text == "I paint lakes on Sundays. [image: a painted lake]"
    assert (painted.timestamp, painted.speaker, painted.session) == (
        "2023-05-08T13:56:00", "Ann", "session_1",
    )  # fmt: skip
    assert [(q.id, q.category, q.gold) for q in first.questions] == [
        ("q0", "single-hop", ("D1:1",)),
        ("q1", "temporal", ("D1:2",)),
        ("q2", "multi-hop", ("D2:1", "D1:2")),
        ("q3", "open-domain", ()),
        ("q4", "adversarial", ("D1:1",)),
    ]
    assert first.questions[1].answer == "2023"
    adversarial = first.questions[4]
    assert adversarial.choices is not None
    assert sorted(adversarial.choices) == ["a", "b"]
    assert adversarial.choices[adversarial.right] == "Not mentioned in the conversation"
    assert "lakes" in adversarial.choices.values()
    assert second.items[0].text.startswith("我在学陶艺")


def test_longmemeval_is_read_one_question_at_a_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(banks, "_CHUNK", 7)  # shorter than any element
    for indent in (None, 2):
        asked, abstained = read_banks(write(tmp_path / "s.json", LONGMEMEVAL, indent))
        assert [item.id for item in asked.items] == [
            "answer_1_1", "answer_1_2", "filler_1", "filler#2_1",
        ]  # fmt: skip
        (question,) = asked.questions
        assert (question.gold, question.category) == (("answer_1_1",), "single-session-user")
        assert (question.at, asked.items[0].timestamp) == (
            "2023-05-30T23:40:00", "2023-05-20T02:21:00",
        )  # fmt: skip
        assert question.answerable
        assert not abstained.questions[0].answerable
        assert abstained.questions[0].gold == ()


def test_beam_is_a_folder_of_chats(tmp_path: Path) -> None:
    chats = write_beam(tmp_path / "chats" / "100K")
    assert find_files([tmp_path / "chats"]) == find_files([chats]) == [chats]
    whole, shorter = read_banks(chats)
    assert (whole.name, shorter.name) == ("100K-2", "100K-10")
    assert [(i.id, i.text, i.timestamp, i.session) for i in whole.items] == [
        ("0", "My tracker uses Flask 2.3.", "2024-03-15T00:00:00", "1"),
        ("1", "Noted.", "2024-03-15T00:00:00", "1"),
        ("2", "I moved the tracker to FastAPI.", "2024-03-15T00:00:00", "2"),
    ]
    gold = {q.id: (q.gold, q.answerable) for q in whole.questions}
    assert gold == {
        "abstention-0": ((), False),
        "knowledge_update-0": (("0", "2"), True),
        "event_ordering-0": (("0", "2"), True),
    }
    assert len(shorter.items) == 2
    assert [b.name for b in read_banks(chats / "2")] == ["100K-2"]


def test_beam_of_ten_million_tokens_has_plans(tmp_path: Path) -> None:
    chat = tmp_path / "10M" / "1"
    write(chat / "chat.json", [{"plan-1": BEAM_CHAT[:1]}, {"plan-2": BEAM_CHAT[1:]}])
    write(chat / "probing_questions" / "probing_questions.json", BEAM_PROBES)
    (bank,) = read_banks(tmp_path / "10M")
    assert [item.session for item in bank.items] == ["plan-1-1", "plan-1-1", "plan-2-2"]


@pytest.mark.parametrize("indent", [None, 4])
def test_memdaily(tmp_path: Path, indent: int | None) -> None:
    plain, noisy = read_banks(write(tmp_path / "m.json", MEMDAILY, indent))
    assert (plain.name, noisy.name) == ("simple-events-0", "noisy-roles-3")
    for bank in (plain, noisy):
        (question,) = bank.questions
        assert bank.items[1].text == "读书会的地点是杭州。"
        assert bank.items[1].timestamp == "2024-04-02T07:08:00"
        assert (question.gold, question.right, question.at) == (
            ("m1",), "B", "2024-04-04T07:42:00",
        )  # fmt: skip
    assert (noisy.items[0].text, noisy.items[0].timestamp) == ("今天天气不错", "")
    assert (plain.questions[0].category, noisy.questions[0].category) == ("simple", "noisy")


def test_memdaily_before_the_merge_is_a_list(tmp_path: Path) -> None:
    record = dict(MEMDAILY["simple"]["events"][0])
    record["question_list"] = [record.pop("QA")]
    (bank,) = read_banks(write(tmp_path / "01_simple_events.json", [record]))
    assert bank.questions[0].gold == ("m1",)


def _changed(content: Any, *path: Any, value: Any) -> Any:
    changed = json.loads(json.dumps(content))
    inner = changed
    for key in path[:-1]:
        inner = inner[key]
    inner[path[-1]] = value
    return changed


@pytest.mark.parametrize(
    ("content", "place"),
    [
        (_changed(LOCOMO, 1, "qa", 0, "category", value=9), "Record 1 of .* qa 0"),
        (_changed(LOCOMO, 0, "conversation", "session_1", 1, "text", value=None),
         "Record 0 of .* session_1, turn 1"),
        (_changed(LOCOMO, 0, "conversation", "session_1_date_time", value="May"),
         "Record 0 of .* 'May' is not a date"),
        (_changed(LONGMEMEVAL, 1, "haystack_sessions", 1, 0, "content", value=3),
         "Record 1 of .* session filler, turn 0"),
        (_changed(LONGMEMEVAL, 0, "haystack_dates", value=[]), "Record 0 of"),
        (_changed(MEMDAILY, "noisy", "roles", 0, "QA", "target_step_id", value=[7]),
         "Record 0 of noisy/roles of .* QA 0.*target_step_id"),
        (_changed(MEMDAILY, "simple", "events", 0, "message_list", 1, "time", value="soon"),
         "Record 0 of simple/events of .* message 1"),
        ([{"what": "ever"}], "Record 0 of .* no known format"),
        ([1, 2], "Record 0 of .* no known format"),
        ({"results": [1]}, "Record 0 of results of .* no known format"),
    ],
)  # fmt: skip
def test_a_malformed_record_is_an_error_with_its_place(
    tmp_path: Path, content: Any, place: str
) -> None:
    path = write(tmp_path / "bad.json", content)
    with pytest.raises(InvalidInput, match=place) as caught:
        list(read_banks(path))
    assert caught.value.remedy


def test_what_is_no_json_is_an_error_with_its_place(tmp_path: Path) -> None:
    whole = json.dumps(LOCOMO, ensure_ascii=False)
    cut = tmp_path / "cut.json"
    cut.write_text(whole[:-40], encoding="utf-8")
    with pytest.raises(InvalidInput, match=r"Record 1 of .* is not JSON"):
        list(read_banks(cut))
    cut.write_text('{"bank": "x", "items": [], "questions": []}\n{"bank', encoding="utf-8")
    with pytest.raises(InvalidInput, match=r"Line 2 of .* is not JSON"):
        list(read_banks(cut))
    cut.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(InvalidInput, match="cannot be read"):
        list(read_banks(cut))
    chats = write_beam(tmp_path / "100K")
    (chats / "2" / "chat.json").write_text("[{", encoding="utf-8")
    with pytest.raises(InvalidInput, match=r"2/chat\.json is not JSON"):
        list(read_banks(chats))


def test_a_folder_gives_what_is_of_a_known_format(tmp_path: Path, bank_file: Path) -> None:
    folder = bank_file.parent
    known = write(folder / "published.json", LOCOMO)
    write(folder / "report.json", {"results": []})
    assert find_files([folder]) == [known, bank_file]
    empty = tmp_path / "empty"
    empty.mkdir()
    with pytest.raises(NotFound):
        find_files([empty])


def test_recall_reads_them(shell: Shell, tmp_path: Path) -> None:
    paths = [
        write(tmp_path / "locomo.json", LOCOMO),
        write(tmp_path / "longmemeval.json", LONGMEMEVAL),
        write(tmp_path / "memdaily.json", MEMDAILY),
        write_beam(tmp_path / "100K"),
    ]
    told = shell.json("recall", *map(str, paths), "--baseline", "none",
                      "--set", "embedding.provider=none")  # fmt: skip
    assert {r["file"]: (r["banks"], r["questions"]) for r in told["results"]} == {
        "locomo": (2, 5), "longmemeval": (2, 1), "memdaily": (2, 2), "100K": (2, 4),
    }  # fmt: skip
    assert all(r["metrics"]["hit@20"]["value"] > 0 for r in told["results"])
