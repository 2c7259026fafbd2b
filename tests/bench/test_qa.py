"""Questions answered by a model over its real protocol, scored by the published protocols."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from bench.qa.scoring import f1, f1_of_parts, order_score
from tests.bench.conftest import Shell
from tests.bench.published import LOCOMO, LONGMEMEVAL, MEMDAILY, write, write_beam
from tests.providers.conftest import server
from tests.providers.scripted import Asked, Scripted, reply, status
from tests.providers.speaking import says

__all__ = ["server"]
pytestmark = pytest.mark.feature("N10")

Bench = Callable[..., Any]


@pytest.fixture
def bench(shell: Shell, server: Scripted, tmp_path: Path) -> Bench:
    """``bench qa`` with the scripted model; the answers go to answers.jsonl."""

    def run(*paths: Path, options: tuple[str, ...] = (), provider: str = "openai") -> Any:
        named = {
            "provider": provider, "name": "m", "api_key": "none", "base_url": server.url,
        }  # fmt: skip
        chosen = [
            word for key, value in named.items() for word in ("--set", f"model.{key}={value}")
        ]
        return shell.json(
            "qa", *map(str, paths), "--out", str(tmp_path / "answers.jsonl"), *chosen,
            "--set", "embedding.provider=none", *options,
        )  # fmt: skip

    return run


def prompt(asked: Asked) -> str:
    text: str = asked.json["messages"][-1]["content"]
    return text


def answers(by_words: dict[str, str], provider: str = "openai") -> Callable[[Asked], object]:
    """A model that answers by the first words that stand in the prompt."""

    def act(asked: Asked) -> object:
        shown = prompt(asked)
        said = next(said for words, said in by_words.items() if words in shown)
        return says(provider, said, tokens=10)

    return act


VERDICT = {"Right answer:": "yes", "正确答案：": "yes"}


def test_locomo_is_scored_by_category(bench: Bench, server: Scripted, tmp_path: Path) -> None:
    server.always(reply(answers({
        "Right answer: Yes": "no", **VERDICT,
        "What does Ann do on Sundays?": "She paints the lakes",
        "When did Ben go to Porto?": "7 May 2023",
        "Which pets and cities": "Porto, a cat",
        "Would Ann like a gallery?": "Likely yes",
        "What does Ben paint?": "(a)",
        "小李在学什么": "她在学陶艺",
    })))  # fmt: skip
    told = bench(write(tmp_path / "locomo.json", LOCOMO), options=("--price", "2", "8"))
    (result,) = told["results"]
    assert (result["format"], result["questions"], result["asked"], result["failed"]) == (
        "locomo", 6, 6, 0,
    )  # fmt: skip
    by = {name: {m: s["value"] for m, s in of.items()} for name, of in result["categories"].items()}
    assert by["temporal"] == {"f1": pytest.approx(0.5), "judge": 1}  # 2023 of three words
    assert by["multi-hop"]["f1"] == 0.5
    assert by["open-domain"] == {"f1": pytest.approx(2 / 3), "judge": 0}
    assert by["single-hop"]["f1"] == pytest.approx((4 / 5 + 4 / 7) / 2)
    assert set(by["adversarial"]) == {"f1"}
    assert result["answering"] == {
        "calls": 6, "input_tokens": 60, "output_tokens": 60, "cost": pytest.approx(6e-4),
    }  # fmt: skip
    assert result["judging"]["calls"] == 5
    first = server.asked[0].json
    assert first["temperature"] == 0
    assert "I paint lakes on Sundays." in prompt(server.asked[0]), "the context is shown"
    dated = next(prompt(a) for a in server.asked if "When did Ben" in prompt(a))
    assert "date of the conversation" in dated


def test_a_repeat_asks_only_what_is_missing(bench: Bench, server: Scripted, tmp_path: Path) -> None:
    path = write(tmp_path / "locomo.json", LOCOMO)
    server.always(reply(answers({**VERDICT, "Question": "lakes"})))
    assert bench(path, options=("--limit", "2"))["results"][0]["asked"] == 2
    asked = len(server.asked)
    again = bench(path, options=("--limit", "2"))["results"][0]
    assert (again["asked"], again["questions"], again["answering"]["calls"]) == (0, 2, 2)
    assert len(server.asked) == asked
    kept = tmp_path / "answers.jsonl"
    whole = kept.read_text(encoding="utf-8")
    kept.write_text(whole + '{"file": "locomo", "ba', encoding="utf-8")  # ended in a line
    grown = bench(path, options=("--limit", "3"))["results"][0]
    assert (grown["asked"], grown["questions"]) == (1, 3)
    # An answer that was not judged yet is judged, and not asked for again.
    lines = [json.loads(line) for line in whole.splitlines()]
    unjudged = [line for line in lines if line["scores"] is None]
    kept.write_text(json.dumps(unjudged[0]) + "\n", encoding="utf-8")
    server.asked.clear()
    judged = bench(path, options=("--limit", "1"))["results"][0]
    assert (judged["asked"], judged["questions"], len(server.asked)) == (0, 1, 1)


def test_answers_of_another_model_are_not_mixed_in(
    bench: Bench, shell: Shell, server: Scripted, tmp_path: Path
) -> None:
    path = write(tmp_path / "locomo.json", LOCOMO)
    server.always(reply(answers({**VERDICT, "Question": "lakes"})))
    bench(path, options=("--limit", "1"))
    told = shell("qa", str(path), "--out", str(tmp_path / "answers.jsonl"),
                 "--set", "model.provider=ollama", "--set", "model.name=other", code=2)  # fmt: skip
    assert "another file with --out" in told.stderr
    assert len(server.asked) == 2


def test_the_judge_may_be_another_model(bench: Bench, server: Scripted, tmp_path: Path) -> None:
    server.always(reply(answers({**VERDICT, "Question": "lakes"})))
    path = write(tmp_path / "locomo.json", LOCOMO)
    told = bench(path, options=("--limit", "1", "--judge", "strict"))
    assert (told["model"], told["judge"]) == ("m", "strict")
    assert [asked.json["model"] for asked in server.asked] == ["m", "strict"]
    assert told["results"][0]["answering"]["cost"] is None, "no price is known"


def test_longmemeval_has_a_judge_for_each_type(
    bench: Bench, server: Scripted, tmp_path: Path
) -> None:
    types = ("temporal-reasoning", "knowledge-update", "single-session-preference")
    more = [{**LONGMEMEVAL[0], "question_id": name, "question_type": name} for name in types]
    server.always(reply(answers({
        "off by one": "Yes.", "what was true before": "no", "description of the personal": "yes",
        "cannot be answered": "yes", "Reply yes if the response contains": "No",
        "Current date: 2023-05-30T23:40:00": "A blue Volvo",
    })))  # fmt: skip
    (result,) = bench(write(tmp_path / "s.json", [*LONGMEMEVAL, *more]))["results"]
    scored = {n: [s["accuracy"]["value"], s["accuracy"]["count"]]
              for n, s in result["categories"].items()}  # fmt: skip
    assert scored == {
        "single-session-user": [0, 1],
        "temporal-reasoning": [1, 1],
        "knowledge-update": [0.5, 2],  # the one that abstains has a judge of its own
        "single-session-preference": [1, 1],
    }
    assert "I bought a blue Volvo" in prompt(server.asked[0])


def test_beam_judges_every_criterion_and_the_order(
    bench: Bench, server: Scripted, tmp_path: Path
) -> None:
    said = '{"score": %s, "reason": "x"}'
    server.always(reply(answers({
        "First: FastAPI\n\nSecond: FastAPI": "yes", "First: Flask\n\nSecond: Flask": "yes",
        "same event": "no",
        "Criterion: Flask": said % "0.5", "Criterion: FastAPI": said % "1",
        "Criterion: There is no": said % "1.0", "Criterion: LLM response": said % "0",
        "In which order": "FastAPI\nFlask", "Question:": "none",
    })))  # fmt: skip
    chats = write_beam(tmp_path / "100K")
    (result,) = bench(chats, options=("--limit", "3"))["results"]
    by = {name: [s["score"]["value"], s["rubric"]["value"]]
          for name, s in result["categories"].items()}  # fmt: skip
    assert by == {
        "abstention": [1, 1], "knowledge_update": [0, 0], "event_ordering": [0, 0.75],
    }  # fmt: skip
    assert result["judging"]["calls"] == 1 + 1 + 2 + 3


def test_memdaily_is_a_choice(bench: Bench, server: Scripted, tmp_path: Path) -> None:
    said = iter([" B\n", "B: 杭州"])
    server.always(reply(lambda asked: says("anthropic", next(said), tokens=5)))
    path = write(tmp_path / "memdaily.json", MEMDAILY)
    (result,) = bench(path, provider="anthropic")["results"]
    values = {name: s["accuracy"]["value"] for name, s in result["categories"].items()}
    assert values == {"simple": 1, "noisy": 0}
    assert "A: 上海\nB: 杭州" in prompt(server.asked[0])
    assert "读书会的地点是杭州" in prompt(server.asked[0])
    assert result["judging"]["calls"] == 0


def test_a_failure_of_one_question_and_of_the_service(
    bench: Bench, shell: Shell, server: Scripted, tmp_path: Path
) -> None:
    path = write(tmp_path / "memdaily.json", MEMDAILY)
    server.then(
        reply(says("openai", "", "declined", tokens=7)),
        status(429, retry_after="0"),  # waited for
        reply(says("openai", "B", tokens=7)),
    )
    (result,) = bench(path)["results"]
    assert (result["failed"], result["questions"], result["lost"]["calls"]) == (1, 1, 1)
    server.always(status(401))
    told = shell("qa", str(path), "--out", str(tmp_path / "answers.jsonl"),
                 "--set", "model.provider=openai", "--set", "model.name=m",
                 "--set", "model.api_key=none", "--set", f"model.base_url={server.url}",
                 "--set", "embedding.provider=none", code=1)  # fmt: skip
    assert "0 of 2 questions done, kept in" in told.stderr
    server.always(reply(says("openai", "B", tokens=7)))
    (result,) = bench(path)["results"]
    assert (result["asked"], result["questions"], result["failed"]) == (1, 2, 0)


def test_without_a_model_or_an_answer_it_says_what_to_do(
    bench: Bench, shell: Shell, bank_file: Path, tmp_path: Path
) -> None:
    out = str(tmp_path / "a.jsonl")
    told = shell("qa", str(bank_file), "--out", out, code=2).stderr
    assert "--set model.provider=" in told
    shell("qa", str(bank_file), code=2)  # where to keep the answers
    with pytest.raises(AssertionError, match="no question with an answer"):
        bench(bank_file)


def test_a_bank_file_with_answers_is_judged_in_its_language(
    bench: Bench, shell: Shell, server: Scripted, tmp_path: Path
) -> None:
    bank = {
        "bank": "b",
        "items": [{"id": "1", "text": "我搬到了杭州。"}],
        "questions": [{"id": "q", "query": "我住在哪里？", "gold": ["1"], "answer": "杭州"}],
    }
    server.always(reply(answers({**VERDICT, "问题：我住在哪里": "杭州"})))
    (result,) = bench(write(tmp_path / "b.jsonl", bank, None))["results"]
    assert result["scores"]["judge"]["value"] == 1
    shown = shell("qa", str(tmp_path / "b.jsonl"), "--out",
                  str(tmp_path / "answers.jsonl"), "--set", "model.provider=openai",
                  "--set", "model.name=m", "--set", "model.api_key=none").stdout  # fmt: skip
    assert all(words in shown for words in ("b (bank)", "judge", "price not known", "0 asked now"))


def test_f1_by_hand() -> None:
    assert f1("The painted lakes", "paint lake, and the") == 1
    assert f1("seven", "eight") == 0
    assert f1("一只蓝色的车", "蓝色的车") == pytest.approx(0.8)
    assert f1_of_parts("Porto, Rome", "rome, Paris") == 0.5
    assert f1_of_parts("陶艺、书法", "书法，陶艺") == 1


def test_order_by_hand() -> None:
    assert order_score(["a", "b", "c"], ["a", "b", "c"]) == 1
    assert order_score(["a", "b", "c"], ["c", "b", "a"]) == 0
    assert order_score(["a", "b", "c"], ["a", "c", "b"]) == pytest.approx((1 / 3 + 1) / 2)
    assert order_score(["a"], ["a"]) == 1
    # Ranks 1 2 4 and 4 1 2 (a, b, x; what is missing comes last): one pair of three agrees.
    assert order_score(["a", "b"], ["b", "x"]) == pytest.approx((-1 / 3 + 1) / 2)
