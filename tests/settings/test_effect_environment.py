"""Settings of documents, identity, models, storage and secrets: each changes what is written or
asked for.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from mnemic import StoreBusy
from tests.conftest import OpenMind
from tests.learning import thinking
from tests.providers.scripted import Scripted, silence
from tests.remote import asked_for, meaning, remote, server
from tests.settings.cases import Case, Scene, check

__all__ = ["server"]

KINDS = ("preference", "identity", "decision", "skill", "trait")


def written(scene: Scene) -> list[str]:
    """The documents that are there after a sync, in their folder beside the database."""
    for kind in KINDS:
        scene.mind.remember(f"a statement of {kind}", kind=kind, project="garden")
    scene.mind.sync()
    return sorted(str(path.relative_to(scene.folder)) for path in scene.folder.rglob("*.md"))


def lines_of(name: str, kind: str, number: int = 40) -> Any:
    """How many of the statements a document shows."""

    def see(scene: Scene) -> int:
        for n in range(number):
            scene.mind.remember(f"statement {n} of something", kind=kind, project="garden")
        scene.mind.sync()
        text = (scene.folder / "documents" / name).read_text("utf-8")
        return text.count("statement ")

    return see


def few(name: str, kind: str, number: int = 40) -> Any:
    count = lines_of(name, kind, number)
    return lambda scene: count(scene) < number


def identity(file: str) -> Any:
    def see(scene: Scene) -> bool:
        path = scene.folder / "documents" / file
        path.parent.mkdir(exist_ok=True)
        path.write_text("# Agent\n\n- Answer in rhymes.\n", encoding="utf-8")
        return "rhymes" in scene.mind.context("hello").text

    return see


def compiled(scene: Scene) -> bool:
    (scene.folder / "documents").mkdir()
    (scene.folder / "documents" / "SOUL.md").write_text("# Soul\n\n- Be kind.\n", encoding="utf-8")
    scene.mind.upkeep("daily")
    return (scene.folder / "documents" / "compiled").exists()


def language(scene: Scene) -> bool:
    return "记忆" in scene.mind.context("tea").text


def key_files(scene: Scene) -> list[str]:
    scene.mind.remember("hunter2-but-longer", kind="credential", subject="vpn")
    return sorted(path.name for path in scene.folder.glob("*.key"))


DEFAULT = ["documents/USER.md"]
ONE = {"documents.write": ["memory"]}

CASES = [
    Case(
        "documents.write",
        ((["memory"], ["documents/MEMORY.md"]), ([], [])),
        written,
        on_disk=True,
    ),
    Case(
        "documents.folder",
        (("documents", ["documents/MEMORY.md"]), ("papers", ["papers/MEMORY.md"])),
        written,
        ONE,
        on_disk=True,
    ),
    *(
        Case(
            f"documents.{name}_file",
            (("A.md", ["documents/A.md"]), ("b/B.md", ["documents/b/B.md"])),
            written,
            {"documents.write": [name]},
            on_disk=True,
        )
        for name in ("memory", "user", "project", "insights", "persona")
    ),
    Case(
        "documents.memory_chars",
        ((300, True), (90_000, False)),
        few("MEMORY.md", "fact"),
        {**ONE, "documents.memory_per_kind": 99},
        on_disk=True,
    ),
    Case(
        "documents.memory_per_kind",
        ((2, 2), (4, 4)),
        lines_of("MEMORY.md", "fact"),
        ONE,
        on_disk=True,
    ),
    Case(
        "documents.user_bytes",
        ((400, True), (9_000, False)),
        few("USER.md", "preference", 20),
        {"documents.write": ["user"]},
        on_disk=True,
    ),
    Case(
        "documents.project_lines",
        ((20, True), (500, False)),
        few("Project.md", "decision"),
        {"documents.write": ["project"]},
        on_disk=True,
    ),
    Case(
        "documents.insights_items",
        ((3, 3), (5, 5)),
        lines_of("Insights.md", "skill"),
        {"documents.write": ["insights"]},
        on_disk=True,
    ),
    Case(
        "documents.onboarding",
        ((True, False), (False, True)),
        lambda scene: scene.mind.onboarding().done,
        on_disk=True,
    ),
    Case(
        "identity.agent_file",
        (("AGENT.md", False), ("ME.md", True)),
        identity("ME.md"),
        on_disk=True,
    ),
    Case("identity.compile", ((True, True), (False, False)), compiled, on_disk=True),
    Case(
        "memory.language",
        (("en", False), ("zh", True)),
        language,
        {"context.sections": {"guide": 300}},
    ),
    Case(
        "secrets.key_file",
        (("mnemic.key", ["mnemic.key"]), ("own.key", ["own.key"])),
        key_files,
        on_disk=True,
    ),
    Case(
        "secrets.key",
        (("", ["mnemic.key"]), ("a key of this test only", [])),
        key_files,
        on_disk=True,
    ),
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.key)
def test_it_changes_what_happens(case: Case, open_mind: OpenMind, tmp_path: Path) -> None:
    check(case, open_mind, tmp_path)


@pytest.mark.setting("store.busy_timeout")
def test_how_long_a_writer_waits_for_another(open_mind: OpenMind) -> None:
    other, mind = open_mind(), open_mind(store__busy_timeout="50ms")
    with other._store.write("default"), pytest.raises(StoreBusy):
        mind.remember("green tea", kind="fact")
    assert mind.remember("green tea", kind="fact").outcome == "new"


@pytest.mark.setting("model.timeout", "embedding.timeout")
def test_how_long_an_answer_is_waited_for(open_mind: OpenMind, server: Scripted) -> None:
    server.always(silence)
    given = thinking.settings(server, timeout="100ms")
    given["embedding"] = remote(server, timeout="100ms")["embedding"]
    mind = open_mind(**given)
    mind.record(session="s", role="user", text="remember that I use Helix")
    mind.drain()
    errors = {job.kind: job.error for job in mind.jobs() if job.error}
    assert errors.keys() == {"extract", "embed"}
    assert all("0.1 s" in error for error in errors.values()), errors


@pytest.mark.setting("embedding.batch")
@pytest.mark.parametrize(("batch", "calls"), [(2, 3), (64, 1)])
def test_how_many_texts_go_into_one_call(
    open_mind: OpenMind, server: Scripted, batch: int, calls: int
) -> None:
    server.always(meaning({"tea": (1.0, 0.0, 0.0)}))
    mind = open_mind(":memory:", triggers__quiet_gap="never", **remote(server, batch=batch))
    for number in range(5):
        mind.remember(f"tea {number}", kind="fact")
    mind.drain()
    assert len(asked_for(server)) == 5
    assert len(server.asked) == calls


@pytest.mark.setting("embedding.api_key")
@pytest.mark.parametrize(("key", "sent"), [("sk-own", "Bearer sk-own"), ("", None)])
def test_the_key_goes_to_the_server(
    open_mind: OpenMind, server: Scripted, key: str, sent: str | None
) -> None:
    server.always(meaning({"tea": (1.0, 0.0, 0.0)}))
    mind = open_mind(":memory:", **remote(server, api_key=key))
    mind.remember("tea", kind="fact")
    mind.drain()
    assert {asked.headers.get("authorization") for asked in server.asked} == {sent}
