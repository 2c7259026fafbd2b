"""Statements that wait are answered, one by one or by id; a source is undone after a look."""

from __future__ import annotations

import pytest

from tests.cli.conftest import AT_ONCE, Shell
from tests.cli.terminal import on_a_terminal

CAREFUL = (*AT_ONCE, "--set", "routing.write=0.95")


@pytest.fixture
def asked(shell: Shell) -> Shell:
    """Three statements that the host wants to be sure of."""
    for said in ("I prefer tea over coffee.", "I like listening to jazz.", "我住在杭州。"):
        shell("record", "-s", "talk", said, *CAREFUL)
    shell("worker", "--once", *CAREFUL)
    assert len(shell.json("pending")) == 3
    return shell


def waiting(shell: Shell, word: str) -> str:
    return next(str(m["id"]) for m in shell.json("pending") if word in m["text"])


@pytest.mark.feature("O4", "M7")
class TestPending:
    def test_is_listed_with_its_doubts(self, asked: Shell) -> None:
        shown = asked("pending").stdout
        assert "I prefer tea over coffee" in shown
        assert "confidence 0.90" in shown
        assert "3 statements await confirmation" in asked("memories").stderr

    def test_is_answered_by_id(self, asked: Shell) -> None:
        tea, jazz, home = (waiting(asked, word) for word in ("tea", "jazz", "杭州"))
        assert asked("pending", "confirm", tea).stdout == f"{tea}  Kept.\n"
        assert asked.json("pending", "ignore", jazz)[0]["status"] == "rejected"
        assert "asked again after" in asked("pending", "snooze", home).stdout
        assert [m["id"] for m in asked.json("memories")] == [tea]
        assert [m["id"] for m in asked.json("pending")] == [home]
        assert "put off until" in asked("pending").stdout
        shown = asked("history", tea).stdout
        assert "is awaiting confirmation: confidence 0.90 is below 0.95" in shown
        assert "was confirmed by the user" in shown
        assert "the user did not want it" in asked("history", jazz).stdout
        assert "was put off until" in asked("history", home).stdout

    def test_several_at_once_and_again_without_harm(self, asked: Shell) -> None:
        ids = [m["id"] for m in asked.json("pending")]
        for _ in range(2):
            done = asked.json("pending", "confirm", *ids)
            assert [settled["memory"]["id"] for settled in done] == ids
        assert asked("pending").stderr == "Nothing is awaiting confirmation.\n"

    def test_an_answer_that_cannot_be_given(self, asked: Shell) -> None:
        assert "No memory nope" in asked("pending", "confirm", "nope", code=1).stderr
        tea = waiting(asked, "tea")
        asked("pending", "ignore", tea)
        assert "not pending but rejected" in asked("pending", "snooze", tea, code=1).stderr
        asked("pending", "confirm", code=2)

    def test_on_a_terminal_each_is_put_to_the_person(self, asked: Shell) -> None:
        first, second, third = (m["id"] for m in asked.json("pending"))
        shown = on_a_terminal(100, "pending", typed="y\nn\nl\n", NO_COLOR="1")
        assert "3 statements to answer: y yes, keep it" in shown
        assert shown.count("Keep it?") == 3
        assert [m["id"] for m in asked.json("memories")] == [first]
        assert asked.json("show", second)["memory"]["status"] == "rejected"
        assert asked.json("show", third)["memory"]["snoozed_until"]

    def test_on_a_terminal_one_may_stop_or_only_look(self, asked: Shell) -> None:
        assert on_a_terminal(100, "pending", typed="s\nq\n", NO_COLOR="1").count("Keep it?") == 2
        assert "Keep it?" not in on_a_terminal(100, "pending", "--list", NO_COLOR="1")
        assert len(asked.json("pending")) == 3


@pytest.mark.feature("O4", "N2")
class TestRollback:
    SOURCE = ("rollback", "--source", "session:talk")

    @pytest.fixture
    def learned(self, shell: Shell) -> Shell:
        """A session that replaced what another one had taught."""
        for session, said in (
            ("home", "我用的是 Python 3.10。"),
            ("talk", "我升级到 Python 3.12 了。"),
        ):
            shell("record", "-s", session, said, *AT_ONCE)
            shell("worker", "--once", *AT_ONCE)
        return shell

    def test_a_look_changes_nothing(self, learned: Shell) -> None:
        shown = learned(*self.SOURCE, "--dry-run")
        assert "1 memory to be removed" in shown.stdout
        assert "1 memory to be restored" in shown.stdout
        assert "3.10" in shown.stdout
        assert "Nothing was changed." in shown.stderr
        assert learned.json(*self.SOURCE, "--dry-run")["dry_run"] is True
        assert [m["value"] for m in learned.json("memories")] == ["3.12"]

    def test_it_is_done_when_somebody_says_yes(self, learned: Shell) -> None:
        for refused in ([], ["--json"]):
            assert "--yes" in learned(*self.SOURCE, *refused, code=2).stderr
        assert [m["value"] for m in learned.json("memories")] == ["3.12"]
        on_a_terminal(80, *self.SOURCE, typed="n\n", code=130)
        assert [m["value"] for m in learned.json("memories")] == ["3.12"]
        assert "Done" in on_a_terminal(80, *self.SOURCE, typed="y\n")
        (memory,) = learned.json("memories")
        assert memory["value"] == "3.10"
        assert "was restored: rollback of session:talk" in learned("history", memory["id"]).stdout

    def test_programs_say_yes_beforehand(self, learned: Shell) -> None:
        report = learned.json(*self.SOURCE, "--yes")
        assert (len(report["removed"]), len(report["restored"])) == (1, 1)
        assert "Nothing was learned from" in learned(*self.SOURCE, "--yes").stderr

    def test_a_source_has_to_say_what_it_is(self, learned: Shell) -> None:
        assert "session:ID" in learned("rollback", "--source", "talk", code=2).stderr
        learned("rollback", code=2)
