"""Vectors searched by ChromaDB: a copy of the rows, in a folder beside the file."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path
from typing import Any

import apsw
import pytest

import mnemic
from mnemic import Mind, NewTurn
from tests.conftest import OpenMind

pytestmark = [
    pytest.mark.feature("R3"),
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),  # of what ChromaDB stands on
]
ANSWER = "We adopted a puppy from the shelter"
WITH_CHROMA: dict[str, Any] = {"index__vectors": "chromadb", "embedding__provider": "local"}


@pytest.fixture(autouse=True)
def _installed(request: pytest.FixtureRequest) -> None:
    if "missing" not in request.node.name:
        pytest.importorskip("chromadb", reason='pip install "mnemic[chroma]"')


def tell(mind: Mind, session: str = "s") -> None:
    said = [*(f"remark {n} on the weather in Oslo" for n in range(30)), ANSWER]
    mind.record_many(NewTurn(session, "assistant", content) for content in said)
    mind.remember("the user pays a mortgage", kind="fact")
    mind.drain()


def by_vector(mind: Mind, query: str) -> list[str]:
    return [hit.text for hit in mind.recall(query) if "vector" in hit.why.routes]


def test_the_job_fills_the_folder_and_recall_asks_it(open_mind: OpenMind, tmp_path: Path) -> None:
    mind = open_mind(**WITH_CHROMA)
    tell(mind)
    assert (tmp_path / "memory.db.chroma").is_dir()
    assert by_vector(mind, "which dog do we have")[0] == ANSWER
    assert by_vector(mind, "home loan")[0] == "the user pays a mortgage"
    other = open_mind(space="another", **WITH_CHROMA)
    assert by_vector(other, "which dog do we have") == []
    mind.close()
    plain = open_mind(embedding__provider="local")
    assert by_vector(plain, "which dog do we have")[0] == ANSWER, "the rows are in the file too"


def test_a_folder_that_was_lost_is_made_again(open_mind: OpenMind, tmp_path: Path) -> None:
    mind = open_mind(**WITH_CHROMA)
    tell(mind)
    mind.close()
    shutil.rmtree(tmp_path / "memory.db.chroma")
    mind = open_mind(**WITH_CHROMA)
    assert by_vector(mind, "which dog do we have")[0] == ANSWER
    assert mind.events(type="retrieval_fail") == []


def test_a_folder_that_is_broken_leaves_the_words_and_an_event(
    open_mind: OpenMind, tmp_path: Path
) -> None:
    mind = open_mind(**WITH_CHROMA)
    tell(mind)
    mind.close()
    folder = tmp_path / "memory.db.chroma"
    conn = apsw.Connection(str(folder / "chroma.sqlite3"))
    conn.execute("DROP TABLE collections")
    conn.close()
    mind = open_mind(**WITH_CHROMA)
    assert mind.recall("adopted a puppy")[0].text == ANSWER
    assert by_vector(mind, "which dog do we have") == []
    told = [str(event.payload["error"]) for event in mind.events(type="retrieval_fail")]
    assert "memory.db.chroma cannot be used" in told[0]


def test_without_a_file_there_is_no_place_for_it(open_mind: OpenMind) -> None:
    with pytest.raises(mnemic.ConfigError, match="only in memory"):
        open_mind(":memory:", **WITH_CHROMA)


def test_with_a_missing_package_vectors_are_searched_in_memory_and_it_is_said(
    open_mind: OpenMind, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setitem(sys.modules, "chromadb", None)
    with pytest.warns(RuntimeWarning, match=r"chromadb is not installed") as warned:
        mind = open_mind(**WITH_CHROMA)
    assert len(warned) == 1
    assert 'pip install "mnemic[chroma]"' in str(warned[0].message)
    tell(mind)
    assert by_vector(mind, "which dog do we have")[0] == ANSWER
    by_vector(mind, "home loan")
    (event,) = mind.events(type="retrieval_fail")
    assert "chromadb is not installed" in str(event.payload["error"])
    (finding,) = (finding for finding in mind.doctor() if finding.check == "vectors")
    assert not finding.ok
    assert "chromadb is not installed" in finding.detail
    assert 'pip install "mnemic[chroma]"' in finding.remedy
    assert not (tmp_path / "memory.db.chroma").exists()


@pytest.mark.setting("index.vectors")
def test_no_vectors_at_all(open_mind: OpenMind) -> None:
    mind = open_mind(index__vectors="none", embedding__provider="local")
    tell(mind)
    assert mind.recall("adopted a puppy")[0].text == ANSWER
    assert by_vector(mind, "which dog do we have") == []
    assert mind.stats().unembedded == 0
