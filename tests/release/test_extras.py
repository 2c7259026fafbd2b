"""Without an extra, in an environment with the core alone, its use says how to install it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.release.environments import core_environment
from tests.release.extras import USES, extras, names_it, refusals, surroundings, use_of


@pytest.fixture(scope="module")
def said(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    folder: Path = tmp_path_factory.mktemp("extras")
    core = core_environment(folder / "venv")
    with surroundings(folder / "around") as variables:
        return refusals(core, folder / "uses", variables)


@pytest.mark.parametrize("extra", extras())
def test_without_an_extra_its_use_names_it(extra: str, said: dict[str, str]) -> None:
    assert names_it(said[extra], extra), said[extra]


def test_every_extra_has_a_use_and_every_use_an_extra() -> None:
    assert {use_of(extra) for extra in extras()} == set(USES.glob("[!_]*.py"))
