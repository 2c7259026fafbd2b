"""Memory and time are bounded for any input that is accepted.

Measured in a process of its own; the bounds leave room for a busy machine.
"""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

import mnemic
from mnemic import NewTurn, ToolCall, ToolResult
from tests.conftest import OpenMind

LARGEST = 4_000_000
MEASURE = """
import json, random, resource, sys, time
import mnemic
random.seed(1)
kind, path, largest = sys.argv[1], sys.argv[2], int(sys.argv[3])
mind = mnemic.open(path, worker="none", triggers__quiet_gap="never")
for n in range(30):
    mind.record(session="w", role="user", text=f"今天 weather {n} in Oslo, yesterday 天气很好")
mind.recall("今天 weather")
mind.drain()
size = lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
TURNS = {
    "Han": lambda: "".join(chr(random.randint(0x4E00, 0x9FA5)) for _ in range(largest)),
}
QUERIES = ("今天", "昨天和", "today ", "last week and ", "2024-01-02 ", "March 3 to ", "上周三到")
made = TURNS[kind]() if kind in TURNS else ""
before, found = size(), {}
def timed(name, call):
    begun = time.process_time()
    call()
    found[name] = round(time.process_time() - begun, 2)
if made:
    timed("record", lambda: mind.record(session="s", role="user", text=made))
    mind.end_session("s")
    timed("drain", mind.drain)
else:
    for word in QUERIES:
        query = (word * 100_000)[:100_000]
        timed(f"recall {word}", lambda: mind.recall(query))
        timed(f"context {word}", lambda: mind.context(query, session="w"))
        timed(f"gate {word}", lambda: mind.gate(query))
found["MB"] = size() - before
print(json.dumps(found))
"""


@pytest.mark.parametrize("kind", ["Han", "queries"])
def test_the_largest_input_stays_within_bounds(
    kind: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    def too_slow() -> dict[str, float]:
        path = tmp_path_factory.mktemp("bounds") / "memory.db"
        done = subprocess.run(
            [sys.executable, "-c", MEASURE, kind, str(path), str(LARGEST)],
            check=True,
            capture_output=True,
            text=True,
        )
        found = json.loads(done.stdout)
        assert found.pop("MB") < 300
        return {name: took for name, took in found.items() if took > 4}

    assert any(not too_slow() for _ in range(4)), "seconds of work"


def test_what_is_larger_is_refused_with_a_remedy(open_mind: OpenMind) -> None:
    mind = open_mind(":memory:")
    assert mind.settings.ledger.max_characters == LARGEST
    long = "字" * (LARGEST + 1)
    half = "x" * (LARGEST // 2 + 1)
    too_long = [
        NewTurn("s", "user", long),
        NewTurn("s", "tool", half, tool_results=(ToolResult(half),)),
        NewTurn("s", "assistant", "", tool_calls=(ToolCall("t", {"a": half, "b": half}),)),
        NewTurn("s", "tool", "", tool_results=(ToolResult(half), ToolResult(half))),
    ]
    for turn in too_long:
        with pytest.raises(mnemic.InvalidInput, match="more than 4,000,000") as caught:
            mind.record_turn(turn)
        assert "attach()" in caught.value.remedy
    assert mind.turns() == []


def test_a_long_question_is_read_at_both_ends(open_mind: OpenMind) -> None:
    mind = open_mind(":memory:", embedding__provider="none")
    for text in ("the zebra is called Dumpling", "雪豹住在成都", "nothing of the kind"):
        mind.record(session="s", role="user", text=text)
    filling = "lorem ipsum " * 3_000
    assert mind.recall(f"what is the zebra called? {filling}")[0].text.startswith("the zebra")
    assert mind.recall(f"{filling} 雪豹住在哪里")[0].text == "雪豹住在成都"


def test_many_long_turns_are_written_in_portions(open_mind: OpenMind) -> None:
    mind = open_mind(":memory:", embedding__provider="none")
    turns = [NewTurn("s", "user", f"{n} " + "word " * 40_000) for n in range(30)]
    assert mind.record_many(turns).added == 30
    assert mind.record_many(turns[:3]).added == 3, "without an index they are new turns"
