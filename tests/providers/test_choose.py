"""The embedder that the settings ask for."""

from __future__ import annotations

import subprocess
import sys
from importlib.machinery import ModuleSpec
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mnemic import late
from mnemic.errors import ConfigError, MissingExtra
from mnemic.providers.embedding.base import release
from mnemic.providers.embedding.cache import CachedEmbedder
from mnemic.providers.embedding.choose import embedder_for
from mnemic.providers.embedding.http import HttpEmbedder
from mnemic.providers.reader import model
from mnemic.providers.reader.model import TrainedReader
from mnemic.settings import Settings, load
from tests.providers.scripted import Asked, Scripted, reply
from tests.providers.tiny import write_folder


def settings(preset: str = "default", **embedding: Any) -> Settings:
    return load(preset, env={}, overrides={"embedding": embedding})


@pytest.mark.feature("X9")
def test_the_default_is_the_local_model() -> None:
    made = embedder_for(settings())
    assert isinstance(made, TrainedReader)
    assert made.embed(["tea"]).shape == (1, made.dimensions)


@pytest.mark.parametrize("preset", ["openakita", "myclaw"])
def test_presets_without_vectors_have_no_embedder(preset: str) -> None:
    assert embedder_for(settings(preset)) is None


def test_auto_does_without_where_nothing_is_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(model, "_PACKAGE", "no_such_package")
    assert embedder_for(settings()) is None
    with pytest.raises(MissingExtra, match="pip install"):
        embedder_for(settings(provider="local"))


@pytest.mark.setting("embedding.provider", "embedding.folder")
@pytest.mark.parametrize("provider", ["auto", "folder"])
def test_a_folder(tmp_path: Path, provider: str) -> None:
    folder = write_folder(tmp_path / "tiny", {"tea": [1.0, 0.0]})
    made = embedder_for(settings(provider=provider, folder=str(folder)))
    assert isinstance(made, CachedEmbedder)
    assert made.embed(["tea"]).tolist() == [[1.0, 0.0]]
    with pytest.raises(ConfigError, match=r"embedding\.folder"):
        embedder_for(settings(provider="folder"))


@pytest.mark.feature("X9", preset=["openakita", "semibot"])
@pytest.mark.parametrize(
    ("preset", "provider", "model", "dimensions"),
    [
        ("openakita", "dashscope", "text-embedding-v3", 1024),
        ("semibot", "openai", "text-embedding-3-small", 1536),
        ("semibot", "ollama", "nomic-embed-text", 768),
    ],
)
def test_the_models_of_the_documents(
    server: Scripted, preset: str, provider: str, model: str, dimensions: int
) -> None:
    def answer(asked: Asked) -> object:
        rows = [[1.0] * dimensions for _ in asked.json["input"]]
        listed = [{"index": at, "embedding": row} for at, row in enumerate(rows)]
        return {"data": listed, "embeddings": rows}

    server.always(reply(answer))
    made = embedder_for(
        settings(preset, provider=provider, api_key="sk-x", base_url=f"{server.url}/v1")
    )
    assert isinstance(made, CachedEmbedder)
    assert (made.name, made.dimensions) == (f"{provider}-{model}", dimensions)
    assert server.asked == []
    assert made.embed(["tea"]).shape == (1, dimensions)
    assert np.array_equal(made.embed(["tea"]), made.embed(["tea"]))
    release(made)
    path = "/v1/api/embed" if provider == "ollama" else "/v1/embeddings"
    assert [asked.path for asked in server.asked] == [path]
    assert server.asked[0].json["model"] == model


@pytest.mark.setting("embedding.model", "embedding.dimensions", "embedding.base_url")
def test_dimensions_that_are_set_are_asked_for(server: Scripted) -> None:
    server.always(reply({"data": [{"index": 0, "embedding": [3.0, 4.0]}]}))
    made = embedder_for(
        settings(provider="openai", model="x", dimensions=2, base_url=server.url, cache_entries=0)
    )
    assert isinstance(made, HttpEmbedder)
    assert made.embed(["tea"]).tolist() == [[pytest.approx(0.6), pytest.approx(0.8)]]
    release(made)
    assert server.asked[0].json["dimensions"] == 2
    assert "authorization" not in server.asked[0].headers


@pytest.mark.parametrize("provider", ["openai", "dashscope"])
def test_a_missing_key_is_named_at_once(provider: str) -> None:
    with pytest.raises(ConfigError, match=r"embedding\.api_key.*MNEMIC_EMBEDDING__API_KEY"):
        embedder_for(settings(provider=provider))


@pytest.mark.parametrize(
    ("provider", "module", "extra"),
    [
        ("openai", "httpx", "models"),
        ("ollama", "httpx", "models"),
        ("folder", "onnxruntime", "local-models"),
    ],
)
def test_a_missing_extra_is_named_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, provider: str, module: str, extra: str
) -> None:
    def find(name: str) -> ModuleSpec | None:
        return None if name == module else find_spec(name)

    monkeypatch.setattr(late, "find", find)
    folder = write_folder(tmp_path / "tiny", {"tea": [1.0, 0.0]})
    given = {"folder": str(folder)} if provider == "folder" else {}
    with pytest.raises(MissingExtra, match=rf'pip install "mnemic\[{extra}\]"'):
        embedder_for(settings(provider=provider, api_key="sk-x", **given))


def test_choosing_imports_nothing_heavy() -> None:
    code = """
import sys
from mnemic.providers.embedding.choose import embedder_for
from mnemic.settings import load
embedder_for(load("default", env={}))
embedder_for(load("default", env={}, overrides={"embedding": {"provider": "ollama"}}))
heavy = {"httpx", "onnxruntime", "tokenizers", "mnemic_reader"}
print(sorted(heavy & set(sys.modules)))
"""
    said = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert said.stdout.strip() == "[]"
