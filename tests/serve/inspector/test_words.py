"""The files of the page: words in both languages, nothing that could turn text into code, light."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path

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
    script = (
        f"import {{ changes }} from {json.dumps((STATIC / 'diff.js').as_uri())};"
        f"console.log(JSON.stringify(changes({json.dumps(before)}, {json.dumps(after)})))"
    )
    run = subprocess.run(
        ["node", "--input-type=module", "--no-warnings", "-e", script],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert json.loads(run.stdout) == expected
