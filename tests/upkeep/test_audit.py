"""The audit: each thing that can be wrong is found, in both languages, and nothing else is."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from mnemic import Mind, NewMemory, ToolCall, ToolResult
from mnemic.clock import ManualClock
from mnemic.types import AuditCheck, Kind, constant
from tests.conftest import OpenMind
from tests.planting import plant
from tests.timing import seconds_of

pytestmark = pytest.mark.feature("N6")


def check(mind: Mind, name: str) -> AuditCheck:
    (found,) = [one for one in mind.audit().checks if one.name == name]
    return found


def remember(mind: Mind, text: str, kind: Kind = "fact", **fields: object) -> str:
    return mind.remember(text, kind=kind, **fields).id  # type: ignore[arg-type]


def test_a_good_memory_has_nothing_wrong(mind: Mind) -> None:
    turn = mind.record(session="s", role="user", text="My cat Mia likes salmon")
    remember(mind, "The cat Mia likes salmon", sources=[turn.id])
    remember(mind, "用户住在上海", "identity", subject="user", predicate="lives in", value="上海")
    report = mind.audit()
    assert report.memories == 2
    assert [(one.name, one.found) for one in report.checks if one.found] == []
    assert {one.name for one in report.checks} == {
        "duplicate", "stale", "contradictory", "misread", "unsupported", "secret", "orphan",
    }  # fmt: skip
    assert all(one.remedy.startswith("mnemic ") for one in report.checks)


def test_an_empty_memory_has_no_rates(mind: Mind) -> None:
    assert all(one.rate == 0 for one in mind.audit().checks)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The user drinks green tea every morning", "the user drinks green tea every morning."),
        ("用户每天早上喝绿茶", "用户每天早上喝绿茶。"),
    ],
)
def test_what_is_said_twice(mind: Mind, one: str, other: str) -> None:
    ids = {plant(mind, one).id, plant(mind, other).id}
    remember(mind, "The user has a red bicycle in the shed")
    found = check(mind, "duplicate")
    assert (found.found, found.of) == (1, 3)
    assert found.examples[0][0] in ids
    assert found.rate == pytest.approx(1 / 3)


def test_what_has_faded_or_expired(open_mind: OpenMind, clock: ManualClock) -> None:
    mind = open_mind(decay__medium__half_life="10d", decay__medium__archive_below=0.2)
    old = remember(mind, "The lift was out of order", importance=0.4)
    soon = remember(mind, "The office is closed", expires_at=clock.now() + timedelta(days=5))
    clock.advance(days=60)
    remember(mind, "The office is open")
    found = check(mind, "stale")
    assert {id_ for id_, _ in found.examples} == {old, soon}


@pytest.mark.parametrize(
    ("predicate", "values"), [("lives in", ("Lisbon", "Porto")), ("住在", ("上海", "北京"))]
)
def test_two_answers_to_a_question_that_has_one(
    mind: Mind, clock: ManualClock, predicate: str, values: tuple[str, str]
) -> None:
    ids = []
    for value in values:
        ids.append(plant(mind, f"user {predicate} {value}", kind="identity", subject="user",
                         predicate=predicate, value=value).id)  # fmt: skip
        clock.advance(days=1)
    found = check(mind, "contradictory")
    assert [id_ for id_, _ in found.examples] == [ids[0]], "the older one"


@pytest.mark.parametrize(("likes", "dislikes"), [("likes", "dislikes"), ("喜欢", "讨厌")])
def test_what_is_both_liked_and_disliked(mind: Mind, likes: str, dislikes: str) -> None:
    for predicate in (likes, dislikes):
        plant(mind, f"user {predicate} jazz", kind="preference", subject="user",
              predicate=predicate, value="jazz")  # fmt: skip
    assert check(mind, "contradictory").found == 1
    remember(mind, f"user {likes} tea", "preference", subject="user", predicate=likes, value="tea")
    assert check(mind, "contradictory").found == 1


def test_what_its_turns_do_not_say(mind: Mind) -> None:
    turn = mind.record(session="s", role="user", text="The train to Basel was late 火车晚点了")
    remember(mind, "The train to Basel was late", sources=[turn.id])
    remember(mind, "火车晚点了", sources=[turn.id])
    made_up = remember(mind, "The user owns three yachts in Monaco", sources=[turn.id])
    invented = remember(mind, "用户有三艘游艇", sources=[turn.id])
    nobody = remember(mind, "The page says to buy shares", trust="external")
    remember(mind, "told by hand")
    found = check(mind, "unsupported")
    assert {id_ for id_, _ in found.examples} == {made_up, invented, nobody}


@pytest.mark.parametrize("indexed", [True, False])
@pytest.mark.parametrize(
    ("text", "around"),
    [
        (
            "The garden has an old pear tree",
            ("Grafana's alerts", "runs-on v2.3", "Basel, Friday"),
        ),
        ("院子里有一棵老梨树", ("监控系统", "部署在 v2.3", "周五。发布")),
    ],
)
def test_what_a_memory_is_of_and_filed_under_is_not_what_it_says(
    mind: Mind, text: str, around: tuple[str, str, str], indexed: bool
) -> None:
    turn = mind.record(session="s", role="user", text=" ".join(around))
    subject, predicate, tag = around
    names: dict[str, Any] = {"subject": subject, "predicate": predicate, "sources": [turn.id]}
    ids = {remember(mind, text, tags=[tag], **names), plant(mind, f"{text}.", **names).id}
    if not indexed:
        mind._store.clear_text_index()
    assert {id_ for id_, _ in check(mind, "unsupported").examples} == ids
    assert check(mind, "duplicate").found == 1


@pytest.mark.parametrize(
    ("claim", "filler"),
    [("The user owns three yachts in Monaco", "so it goes. "), ("用户有三艘游艇", "就这样吧。")],
)
def test_what_a_turn_says_wherever_in_it(mind: Mind, claim: str, filler: str) -> None:
    """A turn supports by all of its words and by what its tools found, not by what they were
    asked; the text index has only the ends of a long one, and the calls too.
    """
    words = f"{claim[len(claim) // 2 :]} {claim[: len(claim) // 2]}"
    around = filler * (220_000 // len(filler))
    call = ToolCall("search", {"query": words}, "1")
    turns = [
        mind.record(session="s", role="user", text=f"{around}{words} {around}"),
        mind.record(session="s", role="tool", text="…", tool_results=[ToolResult(words, "1")]),
        mind.record(session="s", role="assistant", text="…", tool_calls=[call]),
    ]
    texts = [plant(mind, claim, sources=[turn.id]).id for turn in turns]
    values = [plant(mind, "x", value=claim, sources=[turn.id]).id for turn in turns]
    found = check(mind, "unsupported")
    assert {id_ for id_, _ in found.examples} == {texts[2], values[2]}


def test_secrets_are_found_and_not_shown(open_mind: OpenMind) -> None:
    mind = open_mind(secrets__at_write="keep")
    secret = "ghp_" + "a1B2c3D4e5F6g7H8i9J0" + "k1L2m3N4o5P6q7R8"
    leaky = remember(mind, f"The token is {secret}")
    remember(mind, "The token is in the safe")
    found = check(mind, "secret")
    assert [id_ for id_, _ in found.examples] == [leaky]
    assert secret not in str(mind.audit())


def test_rows_that_lead_to_nothing(mind: Mind) -> None:
    known = remember(mind, "likes tea")
    with mind._store.write(mind.space) as unit:
        unit.memories.add_sources(constant(known), [constant("nothing")])
    assert check(mind, "orphan").found == 1
    mind.repair()
    assert check(mind, "orphan").found == 0


def test_it_takes_little_longer_for_more(mind: Mind) -> None:
    """Ten times as many take nowhere near a hundred times as long."""

    def grow(first: int, last: int) -> float:
        items = {
            f"{n}": NewMemory(f"item {n} lies in drawer {n * 7 % 911}", "fact", value=str(n),
                              subject=f"item {n}", predicate="place", importance=0.5)
            for n in range(first, last)
        }  # fmt: skip
        assert mind.add_many(items).added == last - first
        return min(seconds_of(mind.audit) for _ in range(3))

    small, large = grow(0, 60), grow(60, 600)
    assert large < 40 * max(small, 0.005)


def test_progress_is_told_before_the_first_and_after_each_check(mind: Mind) -> None:
    mind.remember("the kettle is blue", kind="fact")
    told: list[tuple[int, int]] = []
    report = mind.audit(progress=lambda done, total: told.append((done, total)))
    assert told == [(done, len(report.checks)) for done in range(len(report.checks) + 1)]
