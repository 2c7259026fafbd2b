"""Files that came from elsewhere: links, endless numbers, slow patterns, settings of others."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

import mnemic
from mnemic.errors import ConfigError, InvalidInput, MnemicError
from mnemic.moving.backup import restore
from mnemic.moving.importer import import_source
from tests.cli.conftest import Shell, db, shell
from tests.conftest import OpenMind

__all__ = ["db", "shell"]
ENDLESS = "7" * 4_500  # more digits than Python turns into a number


# --- symbolic links -------------------------------------------------------------------------------


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Notes, with links to a file and a folder outside, and one that leads to itself."""
    outside = tmp_path / "private"
    outside.mkdir()
    (outside / "diary.md").write_text("- the safe is behind the painting\n")
    notes = tmp_path / "notes"
    (notes / "deep").mkdir(parents=True)
    (notes / "own.md").write_text("- likes sencha\n")
    (notes / "deep" / "more.md").write_text("- 喜欢爬山\n")
    (notes / "linked.md").symlink_to(outside / "diary.md")
    (notes / "deep" / "folder").symlink_to(outside)
    (notes / "circle").symlink_to(notes / "circle")
    (notes / "up").symlink_to(notes)
    return notes


@pytest.mark.feature("O2")
def test_links_in_an_imported_folder_are_named_and_not_followed(
    open_mind: OpenMind, folder: Path
) -> None:
    mind = open_mind()
    done, refused = import_source(mind, str(folder))
    assert {str(memory.text) for memory in mind.memories()} == {"likes sencha", "喜欢爬山"}
    assert done.rejected == 4
    assert {one.place for one in refused} == {"linked.md", "deep/folder", "circle", "up"}
    assert all("symbolic link" in one.reason for one in refused)


@pytest.mark.feature("O2")
def test_the_import_command_counts_the_links_it_left_out(shell: Shell, folder: Path) -> None:
    assert shell.json("import", str(folder), "--preview", code=1)["rejected"] == 4
    shown = shell("import", str(folder), code=1)
    assert "linked.md: it is a symbolic link" in shown.stderr
    assert "4 rejected" in shown.stdout


@pytest.mark.sqlite_file("the path of a file")
def test_a_loop_of_links_is_a_typed_error_at_every_door(shell: Shell, tmp_path: Path) -> None:
    loop = tmp_path / "loop.db"
    loop.symlink_to(tmp_path / "other.db")
    (tmp_path / "other.db").symlink_to(loop)
    with pytest.raises(MnemicError):
        mnemic.open(loop, worker="none")
    with pytest.raises(MnemicError), mnemic.open(tmp_path / "m.db", worker="none") as mind:
        import_source(mind, str(loop))
    with pytest.raises(MnemicError):
        restore(loop, tmp_path / "restored.db")
    assert "error: " in shell("--db", str(loop), "stats", code=1).stderr
    assert "cannot be read" in shell("import", str(loop), code=2).stderr


# --- numbers without end --------------------------------------------------------------------------


def test_an_endless_number_in_an_import_costs_only_its_line(
    open_mind: OpenMind, shell: Shell, tmp_path: Path
) -> None:
    file = tmp_path / "memories.jsonl"
    file.write_text(f'{{"text": "one", "importance": {ENDLESS}}}\n{{"text": "two"}}\n')
    mind = open_mind()
    done, refused = import_source(mind, str(file))
    assert [memory.text for memory in mind.memories()] == ["two"]
    assert (done.rejected, len(refused)) == (1, 1)
    assert "Traceback" not in shell("import", str(file), code=1).stderr


@pytest.mark.parametrize("text", ["[{}]", '{{"memories": [\n{}]}}'])
def test_a_list_is_read_up_to_an_endless_number(
    open_mind: OpenMind, tmp_path: Path, text: str
) -> None:
    file = tmp_path / "memories.json"
    entries = ('{"text": "one"}', f'{{"text": "two", "n": {ENDLESS}}}', '{"text": "three"}')
    file.write_text(text.format(", ".join(entries)))
    mind = open_mind()
    _, (refused,) = import_source(mind, str(file))
    assert [memory.text for memory in mind.memories()] == ["one"]
    assert refused.place.endswith(" 2")


@pytest.mark.parametrize(
    "given",
    [
        {"jobs": {"max_attempts": 10**4_400}},
        {"routing": {"write": 10**4_400}},
        {"jobs": {"lease": 10**4_400}},
        {"jobs": {"lease": f"{ENDLESS}d"}},
        {"schedule": {"daily": f"{ENDLESS} 3 * * *"}},
        {"context": {"sections": {"core": 10**4_400}}},
    ],
    ids=lambda given: str(next(iter(given))),
)
def test_an_endless_number_in_a_setting_is_a_config_error(
    open_mind: OpenMind, given: dict[str, Any]
) -> None:
    with pytest.raises(ConfigError):
        open_mind(":memory:", **given)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("s.toml", f"[jobs]\nmax_attempts = {ENDLESS}\n"),
        ("s.json", f'{{"jobs": {{"max_attempts": {ENDLESS}}}}}'),
    ],
)
def test_an_endless_number_in_a_settings_file_is_a_config_error(
    shell: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, text: str
) -> None:
    (tmp_path / name).write_text(text)
    monkeypatch.setenv("MNEMIC_CONFIG", str(tmp_path / name))
    with pytest.raises(ConfigError, match=re.escape(name)):
        mnemic.open(tmp_path / "m.db", worker="none")


def test_an_endless_number_is_refused_as_input(open_mind: OpenMind) -> None:
    mind = open_mind()
    number = 10**4_400
    for call in (
        lambda: mind.recall("tea", limit=number),
        lambda: mind.remember("tea", kind="fact", metadata={"n": number}),
        lambda: mind.emit("host.x", {"n": number}),
        lambda: mind.turns(limit=number),
    ):
        with pytest.raises(InvalidInput):
            call()


# --- pattern files --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "part",
    [
        "[phrases]\nnot_meant = '(?:perhaps +)*(?:x+x+)+y'\n",
        "[phrases]\npast = 'in the (?:(?:very )+)+old days'\n",
        "[phrases]\ncondition = '(?:[a-z]+ ?)+!'\n",
        "[phrases]\nplay = 'pretend|(\\w+\\s?)*:$'\n",
        "[phrases]\nunsure = '(?:也许|也|许)+吧'\n",
        "[[rewrite]]\nmatch = '(?:(?:well )+)+then'\nput = 'then'\n",
    ],
)
def test_slow_phrases_of_a_pattern_file_are_refused(
    open_mind: OpenMind, tmp_path: Path, part: str
) -> None:
    file = tmp_path / "own.toml"
    file.write_text(f'language = "en"\n{part}')
    with pytest.raises(ConfigError, match="let no repeat hold another"):
        open_mind(extraction={"patterns": str(file)})


def test_quick_phrases_of_a_pattern_file_are_taken(open_mind: OpenMind, tmp_path: Path) -> None:
    file = tmp_path / "own.toml"
    phrases = {"not_meant": "as a joke|(?:just )?kidding", "past": "back in (?:the )?day"}
    lines = "".join(f"{name} = {json.dumps(text)}\n" for name, text in phrases.items())
    file.write_text(f'language = "en"\n[phrases]\n{lines}')
    mind = open_mind(extraction={"patterns": str(file)})
    mind.record(session="s", role="user", text="Kidding, I live in Oslo.")
    mind.record(session="s", role="user", text="My name is Ann.")
    mind.end_session("s")
    mind.drain()
    assert {memory.predicate for memory in mind.memories()} == {"name"}


# --- settings beside a database -------------------------------------------------------------------

ELSEWHERE = {
    "chat.base_url": '[chat]\nprovider = "openai"\nname = "m"\nbase_url = "http://a.example/v1"\n',
    "model.base_url": '[model]\nprovider = "ollama"\nname = "m"\nbase_url = "http://a.example"\n',
    "embedding.base_url": '[embedding]\nbase_url = "https://collector.example"\n',
    "documents.folder": '[documents]\nfolder = "/tmp/elsewhere"\n',
    "backup.folder": '[backup]\nfolder = "../../shared"\n',
    "ledger.jsonl_folder": '[ledger]\njsonl_folder = "~/public"\n',
    "extraction.patterns": '[extraction]\npatterns = "/tmp/patterns.toml"\n',
    "secrets.key_file": '[secrets]\nkey_file = "../key"\n',
}


@pytest.mark.parametrize(("key", "text"), ELSEWHERE.items(), ids=list(ELSEWHERE))
def test_a_settings_file_that_came_with_a_database_names_no_server_and_no_place_outside(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, key: str, text: str
) -> None:
    file = tmp_path / "mnemic.toml"
    file.write_text(text)
    with pytest.raises(ConfigError, match=re.escape(key)) as refused:
        mnemic.open(tmp_path / "m.db", worker="none")
    assert f"MNEMIC_CONFIG={file}" in str(refused.value)
    assert not (tmp_path / "m.db").exists()
    monkeypatch.setenv("MNEMIC_CONFIG", str(file))  # a person names it
    if key != "extraction.patterns":
        mnemic.open(tmp_path / "m.db", worker="none").close()


def test_a_settings_file_beside_a_database_sets_everything_else(tmp_path: Path) -> None:
    text = '[documents]\nfolder = "pages/of/mine"\n[jobs]\nmax_attempts = 9\n'
    (tmp_path / "mnemic.toml").write_text(text)
    with mnemic.open(tmp_path / "m.db", worker="none") as mind:
        assert mind.settings.jobs.max_attempts == 9
        assert mind.settings.documents.folder == "pages/of/mine"


def test_a_settings_file_in_the_users_own_data_folder_may_name_a_server(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("MNEMIC_DB", raising=False)
    import platformdirs

    own = Path(platformdirs.user_data_dir("mnemic", appauthor=False))
    own.mkdir(parents=True)
    (own / "mnemic.toml").write_text('[embedding]\nbase_url = "http://localhost:9/v1"\n')
    with mnemic.open(worker="none") as mind:
        assert mind.settings.embedding.base_url == "http://localhost:9/v1"
