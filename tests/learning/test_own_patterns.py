"""Patterns of one's own: a file is read beside ours, and refused where something in it is wrong."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from mnemic import Mind
from mnemic.errors import ConfigError
from tests.conftest import OpenMind

pytestmark = pytest.mark.feature("X5")

LIGHT: dict[str, Any] = {"triggers": {"session_min_messages": 1}, "index": {"vectors": "none"}}
ENGLISH = r"""
language = "en"

[words]
climbs = "climb|boulder"

[[pattern]]
name = "climbing grade"
needs = ["climb", "boulder"]
match = 'i {very}{climbs} (?P<value>[5-9][abc]\+?)(?: these days)?'
kind = "fact"
slot = "climbing_grade"
check = "clean"
example = ["I boulder 7a => user/climbing_grade=7a"]
"""
CHINESE = r"""
language = "zh"

[[pattern]]
name = "攀岩等级"
needs = ["攀岩"]
match = '{me}{now}攀岩(?:能)?爬\s?(?P<value>[5-9][abc]\+?)'
kind = "fact"
slot = "climbing_grade"
check = "clean"
example = ["我攀岩能爬7a => user/climbing_grade=7a"]
"""
GERMAN = r"""
language = "de"

[words]
i = "ich|i"

[phrases]
not_meant = '\b(?:angeblich|wenn)\b'
value_tail = '\s+(?:zurzeit|gerade)$'

[[complete]]
match = '(?=wohne in\b)'
put = "Ich "

[[pattern]]
name = "Wohnort"
match = '{i} wohne in (?P<value>[A-Z]\w{2,30}(?: zurzeit)?)'
kind = "identity"
slot = "lives_in"
check = "place"
example = ["wohne in Kiel zurzeit => user/lives_in=Kiel"]

[[pattern]]
name = "Abneigung"
match = '{i} hasse (?P<value>.{2,40})'
kind = "preference"
slot = "dislikes"
example = ["Ich hasse Rosenkohl => user/dislikes=Rosenkohl"]
"""


def facts(mind: Mind, *messages: str) -> set[tuple[str, str]]:
    with mind.session("talk") as session:
        for message in messages:
            session.user(message)
            session.assistant("ok")
    mind.end_session("talk")
    mind.drain()
    return {(memory.predicate, memory.value) for memory in mind.memories()}


@pytest.mark.setting("extraction.patterns")
def test_a_folder_adds_to_both_languages(open_mind: OpenMind, tmp_path: Path) -> None:
    (tmp_path / "patterns").mkdir()
    (tmp_path / "patterns" / "climbing.toml").write_text(ENGLISH, encoding="utf-8")
    (tmp_path / "patterns" / "攀岩.toml").write_text(CHINESE, encoding="utf-8")
    plain = open_mind(":memory:", **LIGHT)
    own = open_mind(":memory:", **LIGHT, extraction={"patterns": str(tmp_path / "patterns")})
    said = ("I live in Oslo", "I usually climb 6b", "我现在攀岩能爬7c", "Do I climb 9a?")
    ours = {("lives_in", "Oslo")}
    assert facts(plain, *said) == ours
    assert facts(own, *said) == ours | {("climbing_grade", "6b"), ("climbing_grade", "7c")}


@pytest.mark.parametrize("own", [True, False])
def test_a_rule_of_ones_own_patterns_is_not_doubted(
    open_mind: OpenMind, tmp_path: Path, own: bool
) -> None:
    (tmp_path / "climbing.toml").write_text(ENGLISH, encoding="utf-8")
    extraction = {"patterns": str(tmp_path / "climbing.toml")} if own else {}
    mind = open_mind(":memory:", extraction=extraction)  # with the reader, which doubts
    assert (("rule", "Use metric units") in facts(mind, "Use metric units.")) is own
    assert [candidate.text for candidate in mind.pending()] == ([] if own else ["Use metric units"])


def test_a_third_language_is_one_file(open_mind: OpenMind, tmp_path: Path) -> None:
    file = tmp_path / "de.toml"
    file.write_text(GERMAN, encoding="utf-8")
    mind = open_mind(":memory:", **LIGHT, extraction={"patterns": str(file)})
    learned = facts(
        mind, "Ich wohne in Bremen", "Ich hasse Rosenkohl", "Angeblich hasse ich Kaffee", "我喜欢茶"
    )
    assert learned == {("lives_in", "Bremen"), ("dislikes", "Rosenkohl"), ("likes", "茶")}


PATTERN = """
language = "en"
[[pattern]]
name = "grade"
match = 'i climb (?P<value>.{2,10})'
slot = "grade"
example = ["I climb 7a => user/grade=7a"]
"""


@pytest.mark.parametrize(
    ("text", "named"),
    [
        pytest.param("language = ", ("not TOML",), id="not TOML"),
        pytest.param('[words]\na = "b"', ("names no language", "language ="), id="no language"),
        pytest.param('language = "en"\nrules = 1', ("'rules'", "words"), id="unknown part"),
        pytest.param(
            PATTERN + "colour = 1", ("'grade'", "'colour'", "reject_clause"), id="unknown field"
        ),
        pytest.param(
            PATTERN.replace('slot = "grade"', ""), ("'grade'", "no slot"), id="nothing to say"
        ),
        pytest.param(
            PATTERN + 'kind = "wisdom"', ("'grade'", "'wisdom'", "preference"), id="unknown kind"
        ),
        pytest.param(PATTERN + "change = 1", ("'grade'", "change", "true"), id="wrong type"),
        pytest.param(
            PATTERN.replace("{2,10})", "{2,10}"), ("'grade'", "regular expression"), id="unbalanced"
        ),
        pytest.param(
            PATTERN.replace("i climb", "{climbs}"),
            ("'grade'", "{climbs}", "[words]"),
            id="no piece",
        ),
        pytest.param(
            PATTERN.replace('slot = "grade"', 'slot = "{of}"'), ("'grade'", "'of'"), id="no group"
        ),
        pytest.param(
            PATTERN.replace("i climb (?P<value>.{2,10})", "i climb (?P<value>(?:[a-z0-9]+)+)"),
            ("'grade'", "repeat", "Bound its repeats"),
            id="catastrophic",
        ),
        pytest.param(
            PATTERN.replace("=7a", "=8a"), ("'I climb 7a'", "user/grade=7a"), id="wrong example"
        ),
        pytest.param(
            PATTERN.replace("example", "# example"), ("'grade'", "no example"), id="no example"
        ),
        pytest.param(
            PATTERN + PATTERN.partition("\n[[")[2].join(["\n[[", ""]), ("twice",), id="twice"
        ),
    ],
)
def test_a_bad_file_is_refused_when_the_mind_is_opened(
    open_mind: OpenMind, tmp_path: Path, text: str, named: tuple[str, ...]
) -> None:
    file = tmp_path / "mine.toml"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(ConfigError) as refused:
        open_mind(":memory:", extraction={"patterns": str(file)})
    assert "mine.toml" in str(refused.value)
    assert refused.value.remedy
    for part in named:
        assert part in str(refused.value)


def test_a_missing_file_or_an_empty_folder_is_refused(open_mind: OpenMind, tmp_path: Path) -> None:
    for place in (tmp_path / "none.toml", tmp_path):
        with pytest.raises(ConfigError, match=r"extraction\.patterns"):
            open_mind(":memory:", extraction={"patterns": str(place)})
