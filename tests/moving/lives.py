"""Lives of a memory: what people and agents do with it through the public interface, at random."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from hypothesis import strategies as st

import mnemic
from mnemic import Candidate, Mind, ToolCall, ToolResult
from mnemic.clock import ManualClock
from mnemic.errors import MnemicError

SENTENCES = (
    "My name is Ana and I live in Lisbon",
    "我住在北京，最喜欢喝绿茶",
    "Please always answer in German",
    "以后不要在周五部署",
    "The release is on 3 March, Ben signs it off",
    "会议改到下周二下午三点，地点在上海",
    "I no longer use Vim, I switched to Helix",
    "emoji 🎉, tabs\tand “quotes” \\ with \"escapes\"\nand a second line",
    "the budget is 12,500 euros",
    "我升级到 Python 3.12 了",
)  # fmt: skip
QUERIES = ("where does Ana live", "绿茶", "when is the release", "北京 会议", "Python", "budget")
KINDS = ("preference", "fact", "rule", "decision", "skill")
STEPS = (
    "say", "say", "say", "answer", "tool", "attach", "describe", "remember", "edit", "supersede",
    "propose", "confirm", "ignore", "snooze", "archive", "restore", "forget", "delete", "end",
    "compress", "pad", "task", "usage", "emit", "recall", "context", "sync", "upkeep", "onboard",
    "work", "wait",
)  # fmt: skip
Step = tuple[str, int]
steps = st.lists(st.tuples(st.sampled_from(STEPS), st.integers(0, 29)), min_size=4, max_size=24)


def live(mind: Mind, clock: ManualClock, life: list[Step]) -> None:
    """Do these steps; one that makes no sense now, such as forgetting nothing, is left out."""
    for name, number in life:
        clock.advance(seconds=7 + number)
        try:
            _ACTS[name](mind, number, SENTENCES[number % len(SENTENCES)])
        except MnemicError:
            continue
        if name == "wait":
            clock.advance(hours=number)


def _say(mind: Mind, number: int, text: str) -> None:
    mind.record(
        session=f"s{number % 3}" if number % 2 else f"会话{number % 2}", role="user", text=text,
        sender=("", "Ana", "李雷")[number % 3], channel="cli" if number % 2 else "",
        metadata={"n": number, "where": text[:5]} if number % 4 == 0 else {},
    )  # fmt: skip


def _tool(mind: Mind, number: int, text: str) -> None:
    call = ToolCall("write_file" if number % 2 else "搜索", {"path": f"/tmp/{number}", "q": text})
    mind.record(
        session=f"s{number % 3}", role="assistant", text="working", tool_calls=[call],
        tool_results=[ToolResult(f"done: {text}", is_error=number % 5 == 0)],
    )  # fmt: skip


def _propose(mind: Mind, number: int, text: str) -> None:
    mind.propose(Candidate(KINDS[number % 5], text, subject="user", predicate=f"p{number % 3}",
                           trust="external" if number % 2 else "agent"))  # fmt: skip


def _of_memories(act: Callable[[Mind, str, str], object]) -> Callable[[Mind, int, str], None]:
    def do(mind: Mind, number: int, text: str) -> None:
        ids = [memory.id for memory in mind.memories(limit=50)]
        if ids:
            act(mind, ids[number % len(ids)], text)

    return do


def _of_pending(act: Callable[[Mind, str], object]) -> Callable[[Mind, int, str], None]:
    def do(mind: Mind, number: int, text: str) -> None:
        for memory in mind.pending()[:1]:
            act(mind, memory.id)

    return do


def _describe(mind: Mind, number: int, text: str) -> None:
    for attachment in mind.attachments(limit=1):
        mind.describe_attachment(attachment.id, description=text)


def _forget(mind: Mind, number: int, text: str) -> None:
    turns = mind.turns(limit=30)
    if turns:
        mind.forget(source=f"turn:{turns[number % len(turns)].id}")


def _restore(mind: Mind, number: int, text: str) -> None:
    for memory in mind.memories(status="archived", limit=1):
        mind.restore(memory.id)


_ACTS: Mapping[str, Callable[[Mind, int, str], object]] = {
    "say": _say,
    "answer": lambda m, n, t: m.record(session=f"s{n % 3}", role="assistant", text=t),
    "tool": _tool,
    "attach": lambda m, n, t: m.attach(f"/tmp/f{n}.png", session=f"s{n % 3}", description=t),
    "describe": _describe,
    "remember": lambda m, n, t: m.remember(t, kind=KINDS[n % 5], subject="user", tags=["t", t[:3]]),
    "edit": _of_memories(lambda m, id_, t: m.edit(id_, text=f"{t}, edited")),
    "supersede": _of_memories(lambda m, id_, t: m.remember(t, kind="fact", supersedes=id_)),
    "propose": _propose,
    "confirm": _of_pending(lambda m, id_: m.confirm(id_)),
    "ignore": _of_pending(lambda m, id_: m.ignore(id_)),
    "snooze": _of_pending(lambda m, id_: m.snooze(id_)),
    "archive": _of_memories(lambda m, id_, t: m.archive(id_)),
    "restore": _restore,
    "forget": _forget,
    "delete": _of_memories(lambda m, id_, t: m.delete(id_)),
    "end": lambda m, n, t: m.end_session(f"s{n % 3}"),
    "compress": lambda m, n, t: m.before_compression(f"s{n % 3}"),
    "pad": lambda m, n, t: m.write_scratchpad(t),
    "task": lambda m, n, t: m.set_task(t),
    "usage": lambda m, n, t: m.record_usage(
        purpose="chat", model="m", input_tokens=n, output_tokens=1, cost=n / 7 if n % 2 else None
    ),
    "emit": lambda m, n, t: m.emit("host.ping", {"n": n, "text": t}),
    "recall": lambda m, n, t: m.recall(t),
    "context": lambda m, n, t: m.context(t, session=f"s{n % 3}"),
    "sync": lambda m, n, t: m.sync(),
    "upkeep": lambda m, n, t: m.upkeep("weekly" if n % 2 else "daily"),
    "onboard": lambda m, n, t: (m.onboarding(begin=True), m.onboard(t)),
    "work": lambda m, n, t: m.drain(),
    "wait": lambda m, n, t: None,
}


def opened(path: Path, clock: ManualClock, **settings: Any) -> Mind:
    return mnemic.open(path, clock=clock, worker="none", **settings)
