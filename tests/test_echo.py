"""An hour of conversation that memory feeds: what it said is not taken for news."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from mnemic.clock import ManualClock
from mnemic.language.fence import fence
from mnemic.learn.echo import ANYWHERE, load_marks, note_injected
from mnemic.learn.extractors import drop_echoes
from mnemic.settings import Settings
from mnemic.settings.environment import TrustSettings
from mnemic.store.contract import Store, Unit
from mnemic.store.sqlite.store import SqliteStore
from mnemic.types import Role, Turn, constant
from tests.conftest import NOON
from tests.learning import echo_talk

pytestmark = pytest.mark.feature("N1")

SETTINGS = Settings().trust


@pytest.fixture
def store(tmp_path: Path, clock: ManualClock) -> Iterator[Store]:
    opened = SqliteStore(str(tmp_path / "memory.db"), busy_timeout=30, now=clock.now)
    yield opened
    opened.close()


def note(store: Store, *texts: str, session: str = "s", minutes: float = 0) -> None:
    with store.write("default") as unit:
        note_injected(unit, constant(session), texts, NOON + timedelta(minutes=minutes), SETTINGS)


def left(
    store: Store, text: str, role: Role = "assistant", *, session: str = "s", minutes: float = 0
) -> str:
    turn = Turn(
        constant("t"), constant(session), 0, role, constant(text), NOON + timedelta(minutes=minutes)
    )
    with store.read("default") as unit:
        return _left(unit, turn, SETTINGS)


def _left(unit: Unit, turn: Turn, settings: TrustSettings) -> str:
    """A turn as learning hears it."""
    (said,) = drop_echoes([turn], load_marks(unit, turn.session, turn.at, settings))
    return said.text


def test_what_was_put_into_a_prompt_is_not_news(store: Store) -> None:
    note(store, "用户在北京工作", "User prefers tea over coffee")
    assert left(store, "我记得你在北京工作。要订机票吗？") == "要订机票吗？"
    assert left(store, "You prefer tea over coffee.") == ""
    assert left(store, "我在北京工作", "user") == "我在北京工作"
    assert left(store, fence("anything at all", "memory"), "user") == ""


def test_it_is_known_in_its_session_and_for_its_time(store: Store) -> None:
    note(store, "用户在北京工作")
    note(store, "User prefers tea over coffee", session=ANYWHERE)
    assert left(store, "用户在北京工作", session="other") == "用户在北京工作"
    assert left(store, "User prefers tea over coffee", session="other") == ""
    day = 24 * 60
    assert left(store, "用户在北京工作", minutes=day) == ""
    assert left(store, "用户在北京工作", minutes=day + 1) == "用户在北京工作"
    note(store, "new line here", minutes=2 * day)
    with store.read("default") as unit:
        known = load_marks(unit, constant("s"), NOON, SETTINGS)
    assert known is not None
    assert len(known) == 1, "what is too old is gone for good"


def test_the_bound_holds_for_a_session(store: Store) -> None:
    lines = "\n".join(f"line number {number}" for number in range(2_000))
    with store.write("default") as unit:
        note_injected(unit, constant("s"), ["the oldest line of them"], NOON, SETTINGS)
        note_injected(unit, constant("s"), [lines], NOON + timedelta(minutes=1), SETTINGS)
    assert left(store, "line number 1999") == ""
    assert left(store, "the oldest line of them") == "the oldest line of them"


def test_of_many_noted_at_once_the_latest_are_known(store: Store) -> None:
    note(store, *(f"the shelf holds item {number}" for number in range(3_000)))
    known = [
        left(store, f"the shelf holds item {number}") == "" for number in range(1_000, 3_000, 97)
    ]
    assert all(known)
    assert left(store, "the shelf holds item 7") == "the shelf holds item 7"


@pytest.mark.setting("trust.suppress_echo")
def test_it_can_be_switched_off(store: Store) -> None:
    off = SETTINGS.replace(suppress_echo=False)
    text = "用户在北京工作" + fence("x", "memory")
    with store.write("default") as unit:
        note_injected(unit, constant("s"), ["用户在北京工作"], NOON, off)
        assert not load_marks(unit, constant("s"), NOON, SETTINGS)
        assert (
            _left(
                unit, Turn(constant("t"), constant("s"), 0, "assistant", constant(text), NOON), off
            )
            == text
        )


def test_an_hour_of_talk(store: Store) -> None:
    """Every statement of the user is in each later prompt, as it was said."""
    talk = echo_talk()
    shortened = 0
    for line in talk.lines:
        rest = left(store, line.text, line.role, minutes=line.second / 60)
        if not line.echo:
            assert rest == line.text, "what is no echo is left alone"
        elif rest != line.text:
            shortened += 1
            assert rest in ("", rest.strip())
        if line.states:
            note(store, line.text, minutes=line.second / 60)
    assert shortened >= 11, "those that repeat it word for word"
