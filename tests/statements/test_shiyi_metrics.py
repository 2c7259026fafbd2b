"""Shiyi: the four rates of its document beside ours, and a command that counts right."""

from __future__ import annotations

from pathlib import Path

import pytest

from mnemic import Candidate
from tests.cli.conftest import Shell
from tests.conftest import OpenMind, usual_target


@pytest.mark.statement("C54")
def test_the_four_rates_by_the_documents_own_definitions(
    open_mind: OpenMind, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mind = open_mind(preset="shiyi")
    for n, drink in enumerate(("绿茶", "咖啡", "牛奶", "可乐")):
        offer = Candidate(kind="preference", text=f"喜欢喝{drink}", value=drink, confidence=0.7)
        waiting = mind.propose(offer).memory
        assert waiting is not None
        if n < 3:
            (mind.ignore if n == 2 else mind.confirm)(waiting.id)
    mind.remember("猫的名字叫米娅", kind="fact")
    mind.remember("狗的名字叫旺财", kind="fact")
    asked = "还记得我的猫和狗叫什么名字吗？"
    mind.record(session="s", role="user", text=asked)
    shown = mind.context(asked, session="s")
    mind.record(session="s", role="assistant", text="猫叫米娅")
    metrics = mind.metrics()
    assert (metrics.put_to_user, metrics.confirmed, metrics.refused) == (4, 2, 1)
    assert metrics.confirmed_of_pending == pytest.approx(2 / 4), "confirmed / pending"
    assert metrics.refused_of_confirmed == pytest.approx(1 / 2), "rejected / confirmed"
    pieces = sum(len(part.ids) for part in shown.sections if part.name == "evidence")
    assert metrics.evidence_shown == pieces >= 2
    assert metrics.useful_evidence == pytest.approx(1 / pieces), "of the evidence, the useful part"
    assert metrics.context_share is not None
    assert metrics.confirmation_rate == pytest.approx(2 / 3), "ours: of what was answered"
    mind.close()
    monkeypatch.setenv("MNEMIC_DB", str(usual_target(tmp_path)))
    told = Shell(tmp_path / "memory.db")("stats").output
    assert "66.7% (2 of 3 answered); 50.0% (2 of 4 offered)" in told
    assert "50.0% (1 to 2 confirmed)" in told
