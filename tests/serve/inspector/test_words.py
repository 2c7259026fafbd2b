"""The files of the page: words in both languages, nothing that could turn text into code, light."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from mnemic.serve.http import inspector
from mnemic.serve.http.boundary import POLICY

STATIC = Path(inspector.__file__).parent / "static"
FILES = sorted(path for path in STATIC.rglob("*") if path.is_file())
SCRIPTS = [path for path in FILES if path.suffix == ".js"]
LONGEST_FILE = 600
MOST_BYTES = 220_000  # of which a visitor loads one dictionary and the page that is open
# Whatever makes markup or code out of a string.
NEVER = re.compile(
    r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|DOMParser|createContextualFragment"
    r"|srcdoc|\beval\(|new Function|javascript:|setAttribute\(\"style|https?://(?!www\.w3\.org/)"
)


def dictionary(language: str) -> dict[str, str]:
    text = (STATIC / f"{language}.js").read_text("utf-8")
    entries = re.findall(r"^  (\".+?\"): (\".*\"),$", text, re.M)
    return {json.loads(key): json.loads(value) for key, value in entries}


def test_both_languages_say_the_same_things() -> None:
    english, chinese = dictionary("en"), dictionary("zh")
    assert len(english) > 300
    assert english.keys() == chinese.keys()
    for key, text in english.items():
        named = set(re.findall(r"\{\w+\}", text))
        assert named == set(re.findall(r"\{\w+\}", chinese[key])), key
        assert text.strip(), key
        assert chinese[key].strip(), key


def test_chinese_is_chinese() -> None:
    latin = {
        key: text
        for key, text in dictionary("zh").items()
        if not re.search(r"[\u4e00-\u9fff]", text) and key != "language.other"
    }
    assert latin == {}


def test_every_word_that_is_used_is_there_and_the_other_way_round() -> None:
    known = dictionary("en").keys()
    source = "\n".join(path.read_text("utf-8") for path in SCRIPTS if path.stem not in ("en", "zh"))
    used = set(re.findall(r"\bt\(\"([\w. ]+)\"", source))
    assert used <= known, "the page would fail there"
    quoted = set(re.findall(r"\"([\w. ]+)\"", source))
    made = {*re.findall(r"\bt\(`([\w.]+)\.\$", source), *re.findall(r"word\(\"(\w+)\"", source)}
    idle = {key for key in known - quoted if key.partition(".")[0] not in made}
    assert {key for key in idle if not key.startswith(("forget.", "overview."))} == set()


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(STATIC)))
def test_a_file_is_plain(path: Path) -> None:
    text = path.read_text("utf-8")
    assert len(text.splitlines()) <= LONGEST_FILE
    assert NEVER.search(text) is None
    if path.suffix == ".html":
        assert re.search(r"<script(?![^>]* src=)|<style|\sstyle=|\son\w+=", text) is None


def test_the_page_is_light() -> None:
    assert sum(path.stat().st_size for path in FILES) < MOST_BYTES


def test_the_policy_lets_nothing_inline_run() -> None:
    assert "unsafe" not in POLICY
    assert "default-src 'none'" in POLICY


@pytest.mark.parametrize(("before", "after", "expected"), [
    ("Mina is 3", "Minka is 3", [["minus", "Mina"], ["plus", "Minka"], ["same", " is 3"]]),
    ("我用 3.11", "我用 3.12", [["same", "我用 "], ["minus", "3.11"], ["plus", "3.12"]]),
    ("", "new", [["plus", "new"]]),
    ("same", "same", [["same", "same"]]),
])  # fmt: skip
def test_a_diff_says_what_changed(before: str, after: str, expected: list[list[str]]) -> None:
    assert called("diff.js", "changes", before, after) == expected


def called(file: str, name: str, *given: Any) -> Any:
    """What a function of the page gives."""
    return call_each(file, name, [given])[0]


def call_each(file: str, name: str, every: Sequence[Sequence[Any]]) -> list[Any]:
    script = (
        f"import {{ {name} }} from {json.dumps((STATIC / file).as_uri())};"
        f"console.log(JSON.stringify({json.dumps(every)}.map((given) => {name}(...given))))"
    )
    run = subprocess.run(
        ["node", "--input-type=module", "--no-warnings", "-e", script],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    answers: list[Any] = json.loads(run.stdout)
    return answers


DOCUMENT = "# User\n\n- I live in Berlin <!--m:b1-->\n- I prefer tea <!--m:t1-->\n- My own line\n"


@pytest.mark.parametrize(("edited", "expected"), [
    ("# User\n\n- I live in Berlin\n- I prefer tea\n- My own line\n", DOCUMENT),
    ("# User\n\n- I live in Hamburg\n- I prefer tea\n",
     "# User\n\n- I live in Hamburg <!--m:b1-->\n- I prefer tea <!--m:t1-->\n"),
    ("# User\n\n- I prefer tea\n- I live in Berlin\n",
     "# User\n\n- I prefer tea <!--m:t1-->\n- I live in Berlin <!--m:b1-->\n"),
    ("- The cat is grey\n- I prefer tea\n", "- The cat is grey\n- I prefer tea <!--m:t1-->\n"),
    ("- I live in Berlin\n- I live in Berlin\n",
     "- I live in Berlin <!--m:b1-->\n- I live in Berlin\n"),
    ("", ""),
])  # fmt: skip
def test_an_edited_text_keeps_the_marks_of_its_lines(edited: str, expected: str) -> None:
    assert called("markdown.js", "withMarks", DOCUMENT, edited) == expected


def test_the_shares_of_a_score_add_up_to_it() -> None:
    scores = (0.001, 0.2, 0.5, 0.98, 0.999)
    every: tuple[dict[str, float], ...] = (
        {"words": 2.5, "meaning": 1.4, "reading": 2.2, "session": -0.5},
        {"words": 1.0, "asks": -1.0},
        {"recency": 0.001, "of exactly": 7},
        {},
    )
    hits = [{"score": one, "why": {"parts": parts}} for one in scores for parts in every]
    for fusion in ("learned", "rrf"):
        ranking = {"fusion": fusion, "weights": {"recency": 0.3, "relevance": 0.7}}
        listed = call_each("score.js", "shares", [[one, ranking] for one in hits])
        for one, points in zip(hits, listed, strict=True):
            total = sum(value for _, value in points)
            assert total == pytest.approx(one["score"]), (one, points)
            assert "of exactly" not in dict(points)


def hit(type_: str, id_: str, score: float, *turns: str, session: str = "s") -> dict[str, Any]:
    sources = [{"turn_id": turn, "session": session, "index": 0} for turn in turns]
    why = {"routes": [type_], "terms": ["tea"], "parts": {}}
    own = "" if type_ == "memory" else session
    return {
        "type": type_,
        "id": id_,
        "score": score,
        "sources": sources,
        "session": own,
        "why": why,
    }


def test_what_says_the_same_is_one_answer() -> None:
    story, memory = hit("episode", "e", 0.5), hit("memory", "m", 0.3, "t")
    turn, other = hit("turn", "t", 0.4), hit("memory", "o", 0.2, "x", session="elsewhere")
    for hits in ([story, turn, memory, other], [other, memory, turn, story]):
        groups = called("score.js", "group", hits)
        assert [(one["head"]["id"], one["score"], len(one["members"])) for one in groups] == [
            ("m", 0.5, 3),
            ("o", 0.2, 1),
        ]
        assert sorted(groups[0]["routes"]) == ["episode", "memory", "turn"]
