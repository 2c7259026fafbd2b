"""mnemic encrypt, and every other command with a key."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import Shell

CANARY = "quagmirecanary"
pytestmark = pytest.mark.sqlite_file("encryption is of the file")


def _plain_files(folder: Path) -> list[Path]:
    return [file for file in folder.rglob("*.db*") if CANARY.encode() in file.read_bytes()]


def test_the_commands_encrypt_open_rekey_and_decrypt(
    shell: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = str(shell.db)
    shell("record", "--session", "s", f"the {CANARY} sings")
    key_file = tmp_path / "a.key"
    assert "encrypted" in shell("encrypt", file, "--new-key-file", str(key_file)).stdout
    assert key_file.read_text().startswith("hex:")
    missing = shell("recall", CANARY, code=1)
    assert "MNEMIC_KEY" in missing.stderr
    setting = ("--set", f"store.key_file={key_file}")
    for command in (("recall", CANARY), ("doctor", "--deep"), ("stats",), ("worker", "--once")):
        shell(*command, *setting)
    monkeypatch.setenv("MNEMIC_KEY", key_file.read_text().strip())
    monkeypatch.setenv("MNEMIC_NEW_KEY", "another")
    shell("encrypt", file)
    monkeypatch.setenv("MNEMIC_KEY", "another")
    assert CANARY in shell("recall", CANARY).stdout
    shell("backup", str(tmp_path / "copy.db"))
    shell("restore-backup", str(tmp_path / "copy.db"), str(tmp_path / "restored.db"))
    shell("copy", file, str(tmp_path / "copied.db"))
    assert _plain_files(tmp_path) == []
    shell("encrypt", file, "--decrypt")
    monkeypatch.delenv("MNEMIC_KEY")
    assert CANARY in shell("recall", CANARY).stdout
