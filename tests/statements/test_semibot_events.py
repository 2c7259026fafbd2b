"""Events for hosts: conditions, events of one's own, functions that rules call."""

from __future__ import annotations

from typing import Any

import pytest

import mnemic
from mnemic.clock import ManualClock


def rules(**named: dict[str, Any]) -> dict[str, Any]:
    return {"rules": named}


@pytest.mark.statement("E146")
def test_a_rule_runs_an_agent_of_the_host(clock: ManualClock) -> None:
    """The document's rule with `run_agent`: the consolidator of the host, from three messages."""
    ran: list[mnemic.Event] = []
    consolidate = {
        "event": "session.ended",
        "when": ["payload.message_count >= 3"],
        "actions": ["call:memory_consolidator"],
    }
    with mnemic.open(
        ":memory:",
        preset="semibot",
        clock=clock,
        worker="none",
        actions={"memory_consolidator": ran.append},
        events=rules(consolidate_on_session_end=consolidate),
    ) as mind:
        for session, messages in (("short", 2), ("long", 3)):
            with mind.session(session) as talk:
                for n in range(messages):
                    talk.user(f"第 {n} 条消息")
            mind.drain()
        mind.drain()
        assert [(event.subject, event.payload["message_count"]) for event in ran] == [("long", 3)]
        assert mind.jobs() == []


@pytest.mark.statement("E146")
def test_an_event_of_the_host_and_its_conditions(clock: ManualClock) -> None:
    ran: list[Any] = []
    deployed = {
        "event": "host.deployed",
        "when": ["stage == production", "failures > 0"],
        "actions": ["call:review", "notify"],
    }
    with mnemic.open(
        ":memory:",
        preset="semibot",
        clock=clock,
        worker="none",
        actions={"review": lambda event: ran.append(dict(event.payload))},
        events=rules(review_failures=deployed),
    ) as mind:
        mind.emit("host.deployed", {"stage": "test", "failures": 4})
        mind.emit("host.deployed", {"stage": "production", "failures": 0})
        mind.emit("host.deployed", {"stage": "production", "failures": 2}, subject="支付服务")
        mind.drain()
        assert ran == [{"stage": "production", "failures": 2}]
        assert [event.subject for event in mind.events(type="notice")] == ["支付服务"]
        for wrong in ("deployed", "session.ended", "host."):
            with pytest.raises(mnemic.InvalidInput, match=r"host\."):
                mind.emit(wrong, {})
        with pytest.raises(mnemic.InvalidInput):
            mind.emit("host.x", {"a": object()})  # type: ignore[dict-item]


@pytest.mark.statement("E148")
@pytest.mark.parametrize(
    ("text", "kind", "category"),
    [
        ("部署前必须跑完整测试", "lesson", "skill"),
        ("The user never works on Fridays", "preference", "preference"),
    ],
)
def test_the_payload_has_content_category_and_importance(
    clock: ManualClock, text: str, kind: str, category: str
) -> None:
    """Better: the content is read when the event is delivered, so that what was forgotten in
    between is told to nobody.
    """
    told: list[dict[str, Any]] = []
    announce = {
        "event": "memory.write.important",
        "when": ["importance >= 0.8"],
        "actions": ["call:evolve"],
    }
    with mnemic.open(
        ":memory:",
        preset="semibot",
        clock=clock,
        worker="none",
        actions={"evolve": lambda event: told.append(dict(event.payload))},
        events=rules(announce_important_memory=announce),
    ) as mind:
        mind.remember("无关紧要", kind="fact", importance=0.5)
        mind.remember(text, kind=kind, importance=0.9)
        gone = mind.remember("一个秘密的项目代号叫海棠", kind="fact", importance=0.9)
        mind.forget(id=gone.id)
        mind.drain()
        assert len(told) == 1
        assert told[0]["text"] == text
        assert (told[0]["category"], told[0]["kind"]) == (category, kind)
        assert told[0]["importance"] == 0.9


@pytest.mark.statement("E146")
def test_a_failing_function_is_isolated_reported_and_tried_again(clock: ManualClock) -> None:
    ran: list[str] = []
    failing = [True]

    def flaky(event: mnemic.Event) -> None:
        if failing[0]:
            raise RuntimeError("the agent is down")
        ran.append("flaky")

    rule = {"event": "host.tick", "actions": ["call:flaky", "call:steady", "call:elsewhere"]}
    with mnemic.open(
        ":memory:",
        preset="semibot",
        clock=clock,
        worker="none",
        actions={"flaky": flaky, "steady": lambda event: ran.append("steady")},
        events=rules(tick=rule),
    ) as mind:
        mind.emit("host.tick")
        mind.drain()
        assert ran == ["steady"]
        waiting = {job.payload["action"]: job.error for job in mind.jobs()}
        assert "the agent is down" in waiting["flaky"]
        assert "No action elsewhere" in waiting["elsewhere"]  # a worker of another process has it
        failing[0] = False
        clock.advance(minutes=5)
        mind.drain()
        assert ran == ["steady", "flaky"]
        failing[0] = True
        mind.emit("host.tick")
        for _ in range(5):
            mind.drain()
            clock.advance(hours=2)
        (dead,) = mind.jobs(state="dead")
        assert dead.payload["action"] == "flaky"
        failing[0] = False
        assert mind.redrive([dead.id]) == 1
        mind.drain()
        assert ran.count("flaky") == 2
    for wrong in ({"": print}, {"x": "not a function"}):
        with pytest.raises(mnemic.InvalidInput):
            mnemic.open(":memory:", actions=wrong)  # type: ignore[arg-type]
