"""Prints what each adapter hands to the model, with a hostile tool result in the memory:
``python -m tests.integrations.show_prompts``. Hosts that are not installed are named.
"""

from __future__ import annotations

import sys
import tempfile
import warnings
from pathlib import Path

import pytest

import mnemic
from tests.hosts.test_frameworks import HOSTS
from tests.hosts.test_hostile_memory import DIRECT, space_of
from tests.integrations.hostile_memory import (
    ANSWERS,
    PLAIN,
    STORIES,
    Show,
    Story,
    seed,
    through_host,
)
from tests.integrations.server import model
from tests.providers.scripted import Scripted


def main() -> int:
    warnings.simplefilter("ignore")
    for show in (*PLAIN, *map(through_host, HOSTS), *DIRECT):
        for language, story in STORIES.items():
            print(f"{'=' * 20} {show.__name__} ({language})")
            try:
                print_prompts(show, story)
            except (pytest.skip.Exception, ImportError, mnemic.MissingExtra) as missing:
                print(f"not installed here: {missing}\n")
                break
    return 0


def print_prompts(show: Show, story: Story) -> None:
    with (
        tempfile.TemporaryDirectory() as folder,
        Scripted() as server,
        mnemic.connect(Path(folder) / "all.db", worker="none") as engine,
    ):
        model(server, *["An answer."] * ANSWERS)
        seed(engine.mind(space_of(show)), story)
        asked = (story.asks_tool, story.asks_user, story.unrelated)
        for session, text in zip(("two", "three", "four"), asked, strict=True):
            prompt = show(engine, session, text, server)
            print(f"--- asked: {text}\n{prompt or '(nothing)'}\n")


if __name__ == "__main__":
    sys.exit(main())
