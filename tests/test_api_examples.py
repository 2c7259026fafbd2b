"""The example of every call in the reference runs, in order, on a real memory."""

from __future__ import annotations

from pathlib import Path

import pytest

import mnemic
from scripts.api_page import CLASSES, calls_of, examples


@pytest.mark.sqlite_file("it opens files of its own")
def test_every_call_has_an_example_and_every_example_runs(tmp_path: Path) -> None:
    listed = examples()
    assert {kind: list(found) for kind, found in listed.items()} == {
        kind.__name__: calls_of(kind) for kind in CLASSES
    }, "scripts/api_examples.toml has one for each call, in the order of the code"
    with (
        mnemic.open(tmp_path / "me.db", worker="none", documents__write=["memory"]) as mind,
        mnemic.connect(tmp_path / "team.db", worker="none") as engine,
    ):
        names = {"mnemic": mnemic, "mind": mind, "engine": engine}
        for kind, found in listed.items():
            for call, code in found.items():
                try:
                    exec(compile(code, f"{kind}.{call}", "exec"), names)
                except Exception as error:
                    raise AssertionError(f"{kind}.{call}: {code}") from error
