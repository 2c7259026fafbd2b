"""Every extra of pyproject.toml: what it is for works with it, and without it names it."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from tests.chat.conftest import said
from tests.providers.scripted import Scripted, reply
from tests.providers.tiny import write_folder
from tests.release.environments import ROOT, Environment

USES = Path(__file__).parent / "uses"
ATTEMPT = USES.with_name("attempt.py")
# Its library draws the plots of `python -m bench`, which a wheel does not carry.
_CHECKOUT_ONLY = {"bench"}
_WORDS = {"dog": [1.0, 0.1], "puppy": [1.0, 0.0], "tea": [0.0, 1.0]}


def extras() -> list[str]:
    """The extras that a wheel has a use for."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return [name for name in project["optional-dependencies"] if name not in _CHECKOUT_ONLY]


def use_of(extra: str) -> Path:
    return USES / f"{extra.replace('-', '_')}.py"


def fault(extra: str, environment: Environment, folder: Path, at: Mapping[str, str]) -> str:
    """What is wrong with an extra in an environment that has it; "" for nothing."""
    folder.mkdir(parents=True)
    done = environment.run("python", "-P", str(use_of(extra)), folder=folder, more=at)
    return "" if done.returncode == 0 else done.stderr[-2_000:] or f"exit {done.returncode}"


def refusals(environment: Environment, folder: Path, at: Mapping[str, str]) -> dict[str, str]:
    """What is said to whoever uses an extra in an environment that has none, by extra."""
    folder.mkdir(parents=True, exist_ok=True)
    programs = [str(use_of(extra)) for extra in extras()]
    done = environment.run("python", "-P", str(ATTEMPT), *programs, folder=folder, more=at)
    ended = json.loads(done.stdout or "{}")
    return {extra: ended.get(use_of(extra).stem, done.stderr[-2_000:]) for extra in extras()}


def names_it(refusal: str, extra: str) -> bool:
    return f'pip install "mnemic[{extra}]"' in refusal and "Traceback" not in refusal


@contextmanager
def surroundings(folder: Path) -> Iterator[dict[str, str]]:
    """What is outside of a person's environment: a model's server, and models in folders; no
    server of memories, which the use of an extra that is not there never asks.
    """
    folder.mkdir(parents=True, exist_ok=True)
    with Scripted() as model:
        model.always(reply(said('{"memories": []}'), content_type="application/json"))
        yield {
            "MODEL_URL": model.url,
            "ONNX_FOLDER": str(write_folder(folder / "onnx", _WORDS)),
            "POSTGRES_URL": "postgresql://127.0.0.1:1/nowhere",
            "SERVICE_URL": "http://127.0.0.1:1",
            "SERVICE_TOKEN": "none",
        }
