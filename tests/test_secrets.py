"""Secrets through the mind: none reaches a file, and a credential is kept only under its key."""

from __future__ import annotations

import os
import stat
import sys
from pathlib import Path
from typing import Any

import pytest

import mnemic
from mnemic import Mind, NewTurn, ToolCall, ToolResult
from mnemic.providers.vault import Vault
from tests.conftest import OpenMind
from tests.evidence import by_words
from tests.rules.secret_samples import Sample, secret_samples

pytestmark = pytest.mark.feature("N8")

SECRET = "Sunny" + "4711!"
LONG = "correct horse " + "battery 4711 staple"


def written(folder: Path) -> dict[str, bytes]:
    """Every file, in one case: the text index folds what it holds."""
    return {str(f): f.read_bytes().lower() for f in folder.rglob("*") if f.is_file()}


def leaks(folder: Path, secrets: list[str]) -> list[tuple[str, str]]:
    files = written(folder)
    assert files
    return [
        (name, secret)
        for name, held in files.items()
        for secret in secrets
        if secret.lower().encode() in held
    ]


@pytest.fixture(scope="module")
def samples() -> list[Sample]:
    return [*secret_samples("first", 1), *secret_samples("held_out", 2)]


def tell(mind: Mind, samples: list[Sample]) -> None:
    """Each secret as words, as a tool's input and result, as a memory and as a file."""
    for number, sample in enumerate(samples):
        text = sample.text
        mind.record(session="words", role="user", text=text, index=number)
        mind.record(
            session="tools",
            role="assistant",
            text="",
            tool_calls=[ToolCall("write_file", {"path": "a.env", "lines": [{"text": text}]})],
            tool_results=[ToolResult(text)],
        )
        mind.remember(text, kind="fact", subject=text[:200], tags=[text[:200]])
        mind.attach(f"/tmp/{number}.txt", description=text, extracted_text=text)


@pytest.mark.sqlite_file("the bytes of all files")
@pytest.mark.parametrize(
    ("given", "every"),
    [
        ({"preset": "default", "embedding__provider": "none"}, 1),
        ({"preset": "default"}, 8),
        ({"preset": "openakita"}, 1),
    ],
    ids=["words", "vectors", "openakita"],
)
def test_no_file_the_engine_writes_holds_a_secret(
    open_mind: OpenMind,
    tmp_path: Path,
    samples: list[Sample],
    given: dict[str, Any],
    every: int,
) -> None:
    """All of them without vectors; with vectors, which are made of what was stored, every eighth:
    to make them takes longer than all else.
    """
    mind = open_mind(**given)
    samples = samples[::every]
    tell(mind, samples)
    secrets = [sample.secret for sample in samples]
    assert leaks(tmp_path, secrets) == []
    mind.drain()
    mind.end_session("words")
    mind.drain()
    transcripts = [name for name in written(tmp_path) if name.endswith(".jsonl")]
    assert bool(transcripts) == (given["preset"] == "openakita")
    assert leaks(tmp_path, secrets) == []
    assert "[secret:" in mind.turns(session="words", limit=1)[0].text
    mind.close()
    assert leaks(tmp_path, secrets) == []


def test_a_turn_recorded_again_is_the_same_turn(mind: Mind) -> None:
    def again() -> mnemic.Turn:
        return mind.record(
            session="s",
            role="assistant",
            text=f"密码是 {SECRET}",
            tool_calls=[ToolCall("login", {"password": SECRET, "user": "bob"})],
            tool_results=[ToolResult(f"password: {SECRET}")],
            index=0,
        )

    first = again()
    assert again() == first
    assert first.text == "密码是 [secret:password]"
    assert first.tool_calls[0].input == {"password": "[secret:password]", "user": "bob"}
    assert first.tool_results[0].content == "password: [secret:password]"
    # What was read back can be recorded again too: a mark is no secret.
    assert mind.record_many([NewTurn("t", "user", first.text, index=0)] * 2).known == 1
    assert mind.turns(session="t")[0].text == first.text


@pytest.mark.setting("secrets.at_write")
def test_secrets_can_be_kept_when_the_owner_says_so(open_mind: OpenMind) -> None:
    mind = open_mind(secrets={"at_write": "keep"})
    said = f"the password is {SECRET}"
    assert mind.record(session="s", role="user", text=said).text == said
    assert mind.get(mind.remember(said, kind="fact").id).text == said


def test_a_link_with_a_secret_is_kept_without_it(mind: Mind) -> None:
    link = "https://bob:" + f"{SECRET}@files.internal/a.pdf"
    assert mind.attach(link).url == "https://bob:[secret:url_password]@files.internal/a.pdf"
    kept = mind.attach("/tmp/a.pdf")
    told = mind.describe_attachment(kept.id, extracted_text=f"口令：{SECRET}")
    assert told.extracted_text == "口令：[secret:password]"


class TestCredentials:
    @pytest.fixture(params=["default", "openakita"])
    def mind(self, open_mind: OpenMind, request: pytest.FixtureRequest) -> Mind:
        return open_mind(preset=request.param)

    def test_a_credential_shows_its_label_and_gives_its_secret_only_when_asked(
        self, mind: Mind, tmp_path: Path
    ) -> None:
        kept = mind.remember(
            f" {LONG} ", kind="credential", subject="客厅路由器", predicate="wifi", tags=["home"]
        ).memory
        assert kept is not None
        mind.drain()
        assert kept.text == "客厅路由器 wifi: ••••••••"
        assert mind.memories(kind="credential") == [kept]
        assert mind.history(kept.id).versions == (kept,)
        assert [hit.text for hit in by_words(mind, "路由器", of=["memory"])] == [kept.text]
        assert [hit.text for hit in mind.recall("wifi", of=["memory"])] == [kept.text]
        assert by_words(mind, "battery", of=["memory"]) == []
        assert mind.reveal(kept.id) == LONG
        mind.repair()
        assert by_words(mind, "sealed", of=["memory"]) == []
        assert LONG not in repr([mind.events(), mind.jobs(), mind.memories()])
        mind.close()
        assert leaks(tmp_path, [LONG, "battery"]) == []

    def test_a_new_version_leaves_the_old_secret_in_its_history(self, mind: Mind) -> None:
        old = mind.remember(SECRET, kind="credential", subject="vpn")
        new = mind.remember(SECRET + "2", kind="credential", subject="vpn", supersedes=old.id)
        assert (mind.reveal(old.id), mind.reveal(new.id)) == (SECRET, SECRET + "2")
        again = mind.remember("x1", kind="credential", subject="vpn", operation_id="once")
        assert mind.remember("x1", kind="credential", subject="vpn", operation_id="once") == again

    @pytest.mark.parametrize(
        ("subject", "tags"), [("", ()), ("  ", ()), (f"vpn {SECRET}", ()), ("vpn", (SECRET,))]
    )
    def test_a_label_is_needed_and_must_not_give_the_secret_away(
        self, mind: Mind, subject: str, tags: tuple[str, ...]
    ) -> None:
        with pytest.raises(mnemic.InvalidInput) as caught:
            mind.remember(SECRET, kind="credential", subject=subject, tags=tags)
        assert caught.value.remedy
        assert SECRET not in str(caught.value)
        assert mind.stats().memories == 0

    def test_only_a_credential_can_be_revealed(self, mind: Mind) -> None:
        fact = mind.remember("likes tea", kind="fact")
        with pytest.raises(mnemic.InvalidInput):
            mind.reveal(fact.id)
        with pytest.raises(mnemic.NotFound):
            mind.reveal("nobody")


class TestKeys:
    def test_the_key_file_is_made_when_needed_and_for_the_owner_only(
        self, open_mind: OpenMind, tmp_path: Path
    ) -> None:
        mind = open_mind()
        mind.remember("likes tea", kind="fact")
        file = tmp_path / "mnemic.key"
        assert not file.exists()
        kept = mind.remember(SECRET, kind="credential", subject="vpn")
        assert stat.S_IMODE(file.stat().st_mode) == 0o600
        mind.close()
        assert open_mind().reveal(kept.id) == SECRET

    @pytest.mark.parametrize("change", ["another", "empty", "gone", "readable"])
    def test_without_its_key_a_credential_stays_shut(
        self, open_mind: OpenMind, tmp_path: Path, change: str
    ) -> None:
        if change == "readable" and os.name != "posix":
            pytest.skip("file modes are a matter of POSIX")
        mind = open_mind()
        kept = mind.remember(SECRET, kind="credential", subject="vpn")
        file = tmp_path / "mnemic.key"
        if change == "gone":
            file.unlink()
        elif change == "readable":
            file.chmod(0o644)
        else:
            file.write_text("" if change == "empty" else "another key")
        with pytest.raises(mnemic.ConfigError) as caught:
            mind.reveal(kept.id)
        assert caught.value.remedy
        assert SECRET not in str(caught.value)

    def test_the_key_may_come_from_the_environment(
        self, open_mind: OpenMind, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("MNEMIC_SECRETS__KEY", "开门 sesame")
        kept = open_mind().remember(SECRET, kind="credential", subject="vpn")
        assert not (tmp_path / "mnemic.key").exists()
        assert open_mind().reveal(kept.id) == SECRET
        monkeypatch.setenv("MNEMIC_SECRETS__KEY", "another")
        with pytest.raises(mnemic.ConfigError, match=r"secrets\.key"):
            open_mind().reveal(kept.id)

    def test_a_memory_without_a_file_needs_no_key_file(self, open_mind: OpenMind) -> None:
        mind = open_mind(":memory:")
        kept = mind.remember(SECRET, kind="credential", subject="vpn")
        assert mind.reveal(kept.id) == SECRET

    def test_what_is_not_installed_is_named(
        self, open_mind: OpenMind, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        mind = open_mind(secrets={"key": "a key of this test only"})
        for name in ("", ".exceptions", ".hazmat.primitives.ciphers.aead"):
            monkeypatch.setitem(sys.modules, f"cryptography{name}", None)
        with pytest.raises(mnemic.MissingExtra, match=r"mnemic\[secrets\]"):
            mind.remember(SECRET, kind="credential", subject="vpn")
        assert mind.stats().memories == 0


class TestVault:
    def test_no_two_envelopes_are_alike(self) -> None:
        vault = Vault("key")
        envelopes = {vault.seal(SECRET) for _ in range(5)}
        assert len(envelopes) == 5
        assert {vault.open(one) for one in envelopes} == {SECRET}

    @pytest.mark.parametrize("damage", ["cut", "flipped", "not base 64", "short"])
    def test_a_damaged_envelope_is_an_error_with_a_remedy(self, damage: str) -> None:
        vault = Vault("key")
        sealed = vault.seal(SECRET)
        broken = {
            "cut": sealed[:-8],
            "flipped": sealed[:-6] + ("AAAA" if sealed[-6:-2] != "AAAA" else "BBBB") + sealed[-2:],
            "not base 64": sealed[:-1] + "*",
            "short": sealed[:20],
        }[damage]
        with pytest.raises(mnemic.ConfigError) as caught:
            vault.open(broken)
        assert caught.value.remedy

    def test_two_that_make_the_key_at_once_agree(self, tmp_path: Path) -> None:
        file = tmp_path / "k"
        one, two = Vault(key_file=file), Vault(key_file=file)
        assert two.open(one.seal(SECRET)) == one.open(two.seal(SECRET)) == SECRET
        assert [path.name for path in tmp_path.iterdir()] == ["k"]

    def test_a_folder_that_cannot_be_written_is_named(self, tmp_path: Path) -> None:
        (tmp_path / "none").write_text("a file stands where its folder should be")
        with pytest.raises(mnemic.StoreReadOnly) as caught:
            Vault(key_file=tmp_path / "none" / "k").seal(SECRET)
        assert "secrets.key" in caught.value.remedy


def test_a_value_that_is_only_the_secret_goes_with_it(open_mind: OpenMind, tmp_path: Path) -> None:
    """By itself it does not look like one."""
    mind = open_mind()
    decision = mind.remember("the password is swordfish42!", kind="config", value="swordfish42!")
    kept = mind.get(decision.id)
    assert "swordfish42" not in kept.text
    assert kept.value == ""
    mind.close()
    for file in tmp_path.rglob("*"):
        assert not file.is_file() or b"swordfish42" not in file.read_bytes()
