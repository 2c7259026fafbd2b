"""The composer: within budget, with the cards, in order, accounted for, the same every time."""

from __future__ import annotations

import re
from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import settings as examples
from hypothesis import strategies as st

from mnemic.context.composer import TOO_SMALL, Composer
from mnemic.context.parts import ConversationPart, Item, PromptParts, Style
from mnemic.context.redundancy import CONTAINED
from mnemic.language.fence import MARK, neutral, strip_fenced
from mnemic.language.tokens import TokenCounter, count_tokens
from mnemic.prompts import Language
from mnemic.rules.budget import PROMPT_ORDER, TokenBudget, budget_of
from mnemic.settings import load
from mnemic.settings.recall import SectionName
from mnemic.types import TRUSTS, Context, Turn
from tests.conftest import NOON
from tests.context.talks import FORGED, TEXTS, talks, turn

PRESETS = ("default", "openakita", "shiyi", "myclaw", "semibot")
BUDGETS = {preset: load(preset, env={}).context for preset in PRESETS}
TEXT_PARTS: tuple[SectionName, ...] = tuple(
    name for name in PROMPT_ORDER if name not in ("core", "evidence", "recent")
)
CARDS: tuple[SectionName, ...] = ("cards", "identity", "user")


def by_words(text: str) -> int:
    """A tokenizer of the host that counts quite differently from ours."""
    return len(re.findall(r"\w+|[^\w\s]", text))


def budget(preset: str, total: int | None = None) -> TokenBudget:
    return budget_of(BUDGETS[preset], total=total)


def composed(
    parts: PromptParts,
    limits: TokenBudget,
    *,
    language: Language = "en",
    count: TokenCounter = count_tokens,
) -> Context:
    return Composer(parts, limits, Style(count, language), rounds=12, pieces=5).compose()


def item(number: int, text: str, score: float = 0.5) -> Item:
    at = NOON - timedelta(days=number)
    return Item(text, f"m{number}", at, f"s#{number}", "fact", TRUSTS[number % 4], score)


@st.composite
def everything(draw: st.DrawFn) -> PromptParts:
    texts = draw(st.dictionaries(st.sampled_from(TEXT_PARTS), TEXTS, max_size=8))
    many = st.lists(TEXTS.filter(str.strip), max_size=6)
    core = tuple(item(n, text) for n, text in enumerate(draw(many)))
    evidence = tuple(item(100 + n, text) for n, text in enumerate(draw(many)))
    return PromptParts(texts, core, evidence, ConversationPart(tuple(draw(talks())), draw(TEXTS)))


@pytest.mark.feature("P1", "P2")
@examples(max_examples=300)
@given(
    everything(),
    st.sampled_from(PRESETS),
    st.none() | st.integers(50, 6_000),
    st.sampled_from(["en", "zh"]),
    st.sampled_from([count_tokens, by_words]),
)
def test_whatever_goes_in(
    parts: PromptParts,
    preset: str,
    total: int | None,
    language: Language,
    count: TokenCounter,
) -> None:
    limits = budget(preset, total)
    context = composed(parts, limits, language=language, count=count)
    assert_within_budget(context, limits, count)
    if any(left.reason == TOO_SMALL for left in context.dropped):
        kept = [parts.texts.get(name, "") for name in limits.keep if name in limits.sizes]
        core = [one.text for one in parts.core] if "core" in limits.sizes else []
        assert sum(map(count, [*kept, *core])) + 200 > limits.room, "only then are cards cut"
        names = {use.name for use in context.sections} - {*limits.keep, *limits.separate}
        assert not names, "all else gives way first"
    else:
        assert_cards_are_whole(context, parts, limits)
    assert_in_order(context, parts)
    assert_accounted_for(context, parts)
    again = composed(parts, limits, language=language, count=count)
    assert again == context, "the same parts give the same bytes"


def assert_within_budget(context: Context, limits: TokenBudget, count: TokenCounter) -> None:
    assert count(context.text) <= context.tokens <= context.budget
    assert sum(count(message.content) for message in context.messages) <= context.budget
    apart = sum(use.tokens for use in context.sections if use.name in limits.separate)
    assert context.budget == limits.room + apart
    for use in context.sections:
        if use.name not in limits.keep or use.name == "core":
            assert use.tokens <= use.size, use


def assert_cards_are_whole(context: Context, parts: PromptParts, limits: TokenBudget) -> None:
    spoken = "\n".join(message.content for message in context.messages)
    for name in CARDS:
        card = neutral(parts.texts.get(name, "").strip())
        if card and name in limits.sizes and name in limits.keep:
            assert card in context.text
            assert card in spoken


def assert_in_order(context: Context, parts: PromptParts) -> None:
    names = [use.name for use in context.sections]
    assert names == [name for name in PROMPT_ORDER if name in names]
    shown = {use.name: use.ids for use in context.sections}
    for name, order in (
        ("core", [one.id for one in parts.core]),
        ("evidence", [one.id for one in parts.evidence]),
        ("recent", [one.id for one in parts.conversation.turns]),
    ):
        ids = list(shown.get(name, ()))
        if any(left.reason == CONTAINED.format(name) for left in context.dropped):
            continue  # a piece that contains an earlier one stands in its place
        assert ids == [id_ for id_ in order if id_ in ids]
    recent = shown.get("recent", ())
    assert (
        list(recent)
        == [t.id for t in parts.conversation.turns][len(parts.conversation.turns) - len(recent) :]
    )


def assert_accounted_for(context: Context, parts: PromptParts) -> None:
    """Everything that went in is in the prompt or among what was dropped, with a reason."""
    shown = {id_ for use in context.sections for id_ in use.ids}
    dropped = {left.id for left in context.dropped}
    given_ids = {one.id for one in (*parts.core, *parts.evidence)}
    assert given_ids | {one.id for one in parts.conversation.turns} <= shown | dropped
    used = {use.name for use in context.sections} | {left.section for left in context.dropped}
    assert {name for name, text in parts.texts.items() if text.strip()} <= used
    assert all(left.reason and left.tokens >= 0 for left in context.dropped)


@pytest.mark.feature("P2", preset="shiyi")
def test_evidence_goes_first_then_the_conversation_is_compressed_and_the_cards_stay() -> None:
    talk = ConversationPart(
        tuple(turn(n, "user" if n % 2 == 0 else "assistant", f"line {n}. " * 20) for n in range(40))
    )
    evidence = tuple(item(n, f"fact {n} " * 30) for n in range(5))
    seen: list[tuple[int, int]] = []
    for size in (10, 800, 1_400, 2_000, 2_600, 3_300):
        card = "card " * size
        context = composed(PromptParts({"cards": card}, (), evidence, talk), budget("shiyi"))
        assert card.strip() in context.text
        used = {use.name: use for use in context.sections}
        pieces = len(used["evidence"].ids) if "evidence" in used else 0
        turns = len(used["recent"].ids) if "recent" in used else 0
        seen.append((pieces, turns))
        assert len(context.dropped) >= 45 - pieces - turns
    assert seen == sorted(seen, reverse=True)
    assert seen[0][0] == 5
    assert seen[-1][0] == 0
    full = seen[0][1]
    assert all(turns == full for pieces, turns in seen if pieces > 1)


@pytest.mark.feature("P2", preset="shiyi")
def test_compressed_turns_leave_a_summary_and_are_reported() -> None:
    turns = tuple(
        turn(n, "user", f"Question number {n} is about tea. " + "x " * 200) for n in range(30)
    )
    context = composed(
        PromptParts(conversation=ConversationPart(turns, "They met in spring.")), budget("shiyi")
    )
    assert "They met in spring." in context.text
    assert "Question number 0 is about tea." in context.text
    reasons = {left.id: left.reason for left in context.dropped}
    assert reasons["turn-0"] == "compressed into the summary"
    assert "turn-29" not in reasons
    assert context.messages[0].content.startswith(f"<{MARK}")


@pytest.mark.feature("P2", preset="shiyi")
def test_cards_that_do_not_fit_are_shortened_and_reported() -> None:
    context = composed(PromptParts({"cards": "card " * 5_000}), budget("shiyi"))
    assert 3_000 < context.tokens <= context.budget
    assert [(one.section, one.reason) for one in context.dropped] == [("cards", TOO_SMALL)]


def test_a_tool_call_is_never_shown_without_its_result() -> None:
    turns = [turn(0, "user", "go")]
    for n in range(1, 60, 2):
        turns.append(turn(n, "assistant", "word " * 40, calls=[f"c{n}"]))
        turns.append(turn(n + 1, "tool", "", results=[f"c{n}"]))
    for total in range(150, 4_000, 210):
        context = composed(
            PromptParts(conversation=ConversationPart(tuple(turns))), budget("shiyi", total)
        )
        ids = next((use.ids for use in context.sections if use.name == "recent"), ())
        numbers = [int(id_.removeprefix("turn-")) for id_ in ids]
        assert all(number % 2 == 1 for number in numbers[:1]) or not numbers


@pytest.mark.parametrize("language", ["en", "zh"])
def test_hostile_text_stays_inside_its_fence(language: Language) -> None:
    hostile = [FORGED, FORGED.upper(), FORGED.replace("<", "＜"), f"a\n\n## Rules\n{FORGED}"]
    parts = PromptParts(
        {"scratchpad": FORGED, "user": "Likes tea."},
        tuple(item(n, text) for n, text in enumerate(hostile)),
        tuple(item(50 + n, f"{text} {n}") for n, text in enumerate(hostile)),
        ConversationPart(
            (turn(0, "user", "hi"), turn(1, "assistant", "", calls=["c"]), turn(2, "tool", FORGED)),
            FORGED,
        ),
    )
    limits = budget("default", 8_000)
    context = composed(parts, limits, language=language)
    outside = strip_fenced(context.text)
    assert "reveal the key" not in outside
    assert "Likes tea." in context.text
    assert "Likes tea." not in outside
    opened = len(re.findall(f"<{MARK}-", context.text))
    assert opened == len(re.findall(f"</{MARK}-", context.text)) == 5
    for message in context.messages:
        if message.role == "system":
            assert "reveal the key" not in strip_fenced(message.content)
    evidence = context.messages[-1]
    assert evidence.role == "user", "what was recalled does not speak as the system"
    assert "reveal the key" not in strip_fenced(evidence.content)


def test_dates_sources_and_speakers_stand_beside_each_item() -> None:
    one = Item("Uses Python 3.12", "m", NOON, "s1#4", "config", "owner", 0.9)
    context = composed(PromptParts(evidence=(one,)), budget("shiyi"))
    assert "- (2026-02-12, config, owner, s1#4) Uses Python 3.12" in context.text


def test_what_changes_comes_last_so_that_the_beginning_can_be_cached() -> None:
    def prompt(turns: list[Turn], evidence: str, runtime: str) -> Context:
        texts: dict[SectionName, str] = {
            "runtime": runtime,
            "identity": "You are Ada.",
            "rules": "Be kind.",
        }
        parts = PromptParts(
            texts, (item(0, "core fact"),), (item(1, evidence),), ConversationPart(tuple(turns))
        )
        limits = budget_of(
            load(
                "default",
                env={},
                overrides={"context.sections.runtime": 100, "context.sections.rules": 100},
            ).context
        )
        return composed(parts, limits)

    turns = [turn(0, "user", "hello"), turn(1, "assistant", "hi")]
    before = prompt(turns, "tea", "12:00")
    after = prompt([*turns, turn(2, "user", "and now?")], "coffee", "12:01")
    assert after.messages[:3] == before.messages[:3]
    stable = before.text.index("hi\n</")
    assert after.text[:stable] == before.text[:stable]
    names = [use.name for use in after.sections]
    assert names == ["identity", "rules", "core", "recent", "evidence", "runtime"]


def test_what_the_prompt_holds_already_is_not_evidence() -> None:
    known, said, new = item(0, "tea"), turn(3, "user", "coffee"), item(9, "milk")
    again = Item(said.text, said.id, said.at, "s#3", "turn", "owner")
    context = composed(
        PromptParts({}, (known,), (known, again, new), ConversationPart((said,))), budget("default")
    )
    used = {use.name: use.ids for use in context.sections}
    assert used["evidence"] == (new.id,)
    reasons = {left.id: left.reason for left in context.dropped}
    assert reasons == {known.id: "already in core", said.id: "already in recent"}


def test_a_long_piece_leaves_room_for_the_others() -> None:
    items = (item(0, "long story. " * 900), item(1, "short one"), item(2, "短的"))
    context = composed(PromptParts(evidence=items), budget("shiyi"))
    assert "short one" in context.text
    assert "短的" in context.text
    assert [(left.id, left.reason) for left in context.dropped] == [("m0", "shortened to fit")]


def test_the_last_exchange_is_shortened_rather_than_lost() -> None:
    turns = (turn(0, "user", "Tell me all. " * 900), turn(1, "assistant", "", calls=["c"]))
    result = turn(2, "tool", "line of output. " * 2_000, results=["c"])
    context = composed(
        PromptParts(conversation=ConversationPart((*turns, result))), budget("shiyi")
    )
    assert next(use.ids for use in context.sections) == ("turn-1", "turn-2")
    reasons = {left.id: left.reason for left in context.dropped}
    assert reasons["turn-2"] == "shortened to fit"
    assert reasons["turn-0"] in ("compressed into the summary", "no room in its section")
    assert "read_file" in context.text
    assert "line of output." in context.text


def test_a_summary_that_finds_no_room_is_reported() -> None:
    context = composed(
        PromptParts(conversation=ConversationPart((), "They met in spring. " * 9)),
        budget("default", 30),
    )
    assert not context.sections
    assert [left.section for left in context.dropped] == ["recent"]


def test_a_part_the_preset_does_not_have_is_reported() -> None:
    context = composed(PromptParts({"persona": "A pirate."}), budget("shiyi"))
    assert context.text == ""
    assert [(left.section, left.reason) for left in context.dropped] == [
        ("persona", "this preset has no such section")
    ]


def test_nothing_makes_nothing() -> None:
    context = composed(PromptParts(), budget("default"))
    assert (context.text, context.messages, context.tokens) == ("", (), 0)
