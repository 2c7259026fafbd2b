"""add says what became of it; memories by filters; edit, archive, restore, delete."""

from __future__ import annotations

from tests.cli.conftest import Shell


def test_add_says_what_became_of_it(shell: Shell) -> None:
    first = shell.json("add", "likes tea", "--metadata", "n=3", "--metadata", "by=Ann")
    assert (first["outcome"], first["metadata"]) == ("new", {"n": 3, "by": "Ann"})
    assert shell("add", "Likes tea.").stdout.split()[:3] == ["same", "fact", first["id"]]
    home = ("--subject", "user", "--predicate", "lives in", "--kind", "identity")
    rome = shell.json("add", "lives in Rome", *home, "--value", "Rome")
    shown = shell("add", "住在巴黎", *home, "--value", "巴黎").stdout
    assert shown.startswith("conflict  identity")
    assert f"replaces {rome['id']}" in shown
    assert "memory.kinds" in shell("add", "x", "--kind", "recipe", code=2).stderr
    own = ("--set", "memory.kinds.recipe.importance=0.7")
    assert shell.json("add", "Boil it", "--kind", "recipe", *own)["importance"] == 0.7
    assert [m["text"] for m in shell.json("memories", "--kind", "recipe", *own)] == ["Boil it"]
    assert "not KEY=VALUE" in shell("add", "x", "--metadata", "n", code=2).stderr


def test_one_memory_by_its_id(shell: Shell) -> None:
    tea = shell.json("add", "likes tea", "--tag", "drink", "--metadata", "n=3")
    shell("add", "喜欢咖啡", "--importance", "0.9")
    listed = shell.json("memories", "--order", "importance", "--limit", "1")
    assert [memory["text"] for memory in listed] == ["喜欢咖啡"]
    for option in (("--tag", "drink"), ("--text", "TEA"), ("--metadata", "n=3")):
        assert [m["id"] for m in shell.json("memories", *option)] == [tea["id"]]
    edited = shell.json(
        "edit", tea["id"], "--text", "likes white tea", "--expires-at", "2099-01-01"
    )
    assert (edited["text"], edited["tags"], edited["metadata"]) == (
        "likes white tea", ["drink"], {"n": 3},
    )  # fmt: skip
    assert "n=3" in shell("show", edited["id"]).stdout
    assert shell.json("edit", edited["id"], "--expires-at", "never")["expires_at"] is None
    (newest,) = shell.json("memories", "--text", "white")
    assert "Pass what to change" in shell("edit", newest["id"], code=2).stderr
    assert "Nothing to change" in shell("edit", newest["id"], "--text", "likes white tea").stderr
    assert "archived" in shell("archive", newest["id"]).stdout
    assert [m["id"] for m in shell.json("memories", "--status", "archived")] == [newest["id"]]
    assert shell.json("restore", newest["id"])[0]["status"] == "active"
    assert "--yes" in shell("delete", newest["id"], code=2).stderr
    assert "deleted" in shell("delete", newest["id"], "--yes").stdout
    assert [m["text"] for m in shell.json("memories", "--status", "all")] == ["喜欢咖啡"]
    assert "it was deleted: a person's word" in shell("history", tea["id"]).stdout
    for command in ("show", "edit", "archive", "delete"):
        more = {"edit": ("--text", "x"), "delete": ("--yes",)}.get(command, ())
        assert "No memory" in shell(command, newest["id"], *more, code=1).stderr
