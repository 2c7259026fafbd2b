"""mnemic merge and mnemic sync FOLDER, as people see them."""

from __future__ import annotations

import pytest

from tests.cli.conftest import AT_ONCE, Shell


@pytest.fixture
def laptop(shell: Shell) -> Shell:
    """A second memory beside the usual one."""
    shell("record", "-s", "home", "The kettle is red.")
    shell("record", "-s", "trip", "I am allergic to lupin.", "--db", "laptop.db")
    shell("worker", "--once", "--db", "laptop.db", *AT_ONCE)
    return shell


def test_a_merge_is_shown_before_it_is_done(laptop: Shell) -> None:
    preview = laptop("merge", "laptop.db", "--mine", "--preview").output
    assert "would be added: 1 session, 1 turn, 1 memory" in preview
    assert len(laptop.json("sessions")) == 1, "a preview changes nothing"
    assert laptop("merge", "laptop.db", "--mine").output.startswith("added: 1 session, 1 turn")
    assert laptop("merge", "laptop.db", "--mine").output == "Nothing new.\n"
    assert [one["text"] for one in laptop.json("memories")] == ["I am allergic to lupin"]


def test_devices_meet_by_a_passphrase_of_the_environment(
    laptop: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MNEMIC_SYNC_PASSPHRASE", "seven slow snails")
    laptop("sync", "stick")
    assert "added: 1 session, 1 turn" in laptop("sync", "stick", "--db", "laptop.db").output
    laptop("sync", "stick")
    assert len(laptop.json("sync", "--devices")["devices"]) == 2
    laptop("forget", "--query", "lupin", "--yes")
    laptop("sync", "stick")
    erased = laptop("sync", "stick", "--db", "laptop.db").output
    assert "Erased here what was forgotten on another device." in erased
    assert laptop.json("memories", "--db", "laptop.db") == []
    laptop("sync", "stick")
    assert "2 of 2 devices have erased it" in laptop("sync", "--devices").output


def test_a_device_that_has_no_memory_yet_joins(
    laptop: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert laptop("sync", "--devices", "--db", "phone.db").output.startswith("Public key of this")
    monkeypatch.setenv("MNEMIC_SYNC_PASSPHRASE", "seven slow snails")
    laptop("sync", "stick", "--db", "laptop.db")
    assert "added: 1 session, 1 turn" in laptop("sync", "stick", "--db", "new.db").output
