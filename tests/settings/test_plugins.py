"""Providers of models that other distributions add by entry point."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import mnemic

Install = Callable[..., None]
CODE = """
import json
import mnemic

class Model:
    def __init__(self, settings):
        self.name = f"tinted-{settings.name}-{settings.api_key.reveal()}"

    def complete(self, messages, *, schema=None):
        said = "\\n".join(message.content for message in messages)
        fact = {"kind": "fact", "content": "The user has two beehives.", "confidence": 0.9}
        fact["turns"] = [1]
        return json.dumps({"memories": [fact] if "beehives" in said else []})

EMBEDDED = []

def make_vectors(settings):
    class Vectors:
        name, dimensions = f"tinted-{settings.model}", 2

        def embed(self, texts):
            EMBEDDED.extend(texts)
            return [[len(text), 1] for text in texts]

    return Vectors()

def needs_a_name(settings):
    raise mnemic.ConfigError("No hive is named", remedy="Set model.name")

def broken(settings):
    return 1 // 0
"""


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Install:
    """A distribution on the path: its module, and a dist-info folder with its entry points."""

    def put(**entries: str) -> None:
        folder = tmp_path / "site" / "tinted_models-2.1.dist-info"
        folder.mkdir(parents=True)
        (folder / "METADATA").write_text("Metadata-Version: 2.1\nName: tinted-models\nVersion: 2.1")
        groups = "\n".join(f"[mnemic.{group}]\n{lines}" for group, lines in entries.items())
        (folder / "entry_points.txt").write_text(groups)
        (tmp_path / "site" / "tinted_models.py").write_text(CODE)
        monkeypatch.syspath_prepend(tmp_path / "site")

    return put


def _open(section: str, **values: str) -> None:
    options: dict[str, Any] = {section: values}
    mnemic.open(":memory:", **options)


def test_models_of_an_installed_package_are_used_by_name(install: Install) -> None:
    install(
        chat_providers="tinted = tinted_models:Model",
        embedding_providers="tinted = tinted_models:make_vectors",
    )
    model = {"provider": "tinted", "name": "big", "api_key": "k1"}
    vectors = {"provider": "tinted", "model": "short"}
    with mnemic.open(":memory:", worker="none", model=model, embedding=vectors) as mind:
        with mind.session("s") as talk:
            talk.user("Two new beehives came this morning, and I put them by the wall.")
        mind.drain()
        assert ["beehives" in memory.text for memory in mind.memories()] == [True]
        assert mind.usage()[0].model == "tinted-big-k1"
    from tinted_models import EMBEDDED  # type: ignore[import-not-found]

    assert any("beehives" in text for text in EMBEDDED)


def test_provider_of_the_main_model_is_lent_to_memory(install: Install) -> None:
    install(chat_providers="tinted = tinted_models:Model")
    with mnemic.open(":memory:", worker="none", chat={"provider": "tinted", "name": "x"}) as mind:
        mind.record(session="s", role="user", text="My beehives stand by the wall.")
        mind.end_session("s")
        mind.drain()
        assert mind.usage()[0].model == "tinted-x-"


@pytest.mark.parametrize(
    ("group", "section"), [("chat_providers", "model"), ("embedding_providers", "embedding")]
)
def test_unknown_provider_is_refused_with_ours_and_the_installed_ones(
    install: Install, group: str, section: str
) -> None:
    install(**{group: "tinted = tinted_models:Model\nzinc = tinted_models:Model"})
    with pytest.raises(mnemic.ConfigError, match="ollama") as refused:
        _open(section, provider="tinned")
    assert "tinted, zinc" in str(refused.value)


@pytest.mark.parametrize(
    ("entry", "reason"),
    [
        ("tinted_models:broken", "ZeroDivisionError"),
        ("tinted_models:missing", "missing"),
        ("no_such_module:make", "no_such_module"),
        ("tinted_models:CODE", "CODE"),
    ],
)
@pytest.mark.parametrize(
    ("group", "section"), [("chat_providers", "model"), ("embedding_providers", "embedding")]
)
def test_broken_package_is_named_in_a_typed_error(
    install: Install, group: str, section: str, entry: str, reason: str
) -> None:
    install(**{group: f"tinted = {entry}"})
    with pytest.raises(mnemic.ConfigError, match="tinted-models") as refused:
        _open(section, provider="tinted")
    assert reason in str(refused.value)


def test_remedy_of_a_package_itself_is_kept(install: Install) -> None:
    install(chat_providers="tinted = tinted_models:needs_a_name")
    with pytest.raises(mnemic.ConfigError, match="No hive is named"):
        mnemic.open(":memory:", model={"provider": "tinted"})


def test_name_of_ours_cannot_be_taken_by_a_package(install: Install) -> None:
    install(chat_providers="openai = tinted_models:broken")
    model = {"provider": "openai", "name": "m", "api_key": "k"}
    with mnemic.open(":memory:", worker="none", model=model) as mind:
        assert mind.settings.model.provider == "openai"
