"""What a message ends of what is known, where no word list says so."""

from __future__ import annotations

from pathlib import Path

import pytest

import mnemic
from mnemic.clock import ManualClock
from tests.conftest import NOON

ENDED = [
    ("I play tuba in the fire brigade's band", "sold the tuba, the band has to do without me now"),
    ("I bank with Nordhaven", "Moved my account from Nordhaven over to Kestrel this week."),
    ("I swim at the lido before work", "The lido has shut for good so I've given up swimming."),
    # No word of what is known is said again.
    (
        "I'm renting a basement flat on Corliss Street",
        "Landlord got his keys back on Sunday. The new place on Fenwick Avenue has daylight!",
    ),
    (
        "我租住在城南的一间地下室",
        "房东上周把钥匙收回去了，我现在搬到云景路的新公寓，有阳光了。",
    ),
    ("我开一辆五菱宏光拉货", "五菱二手卖了，刚提了辆比亚迪"),
    ("我晚上在B站当美食up主", "账号停更，up主我不当了，剪视频剪到吐"),
]
STAYS = [
    ("I play tuba in the fire brigade's band", "The band got new uniforms, mine is too tight."),
    # What changes for somebody else, and what is said of one thing more.
    ("I'm vegetarian", "My brother started eating meat again, he loves his burgers."),
    ("I play five-a-side on Wednesdays", "I've started running on Mondays as well."),
    ("我吃素五年了", "我哥又开始吃肉了，天天烤串。"),
    ("I bank with Nordhaven", "What do people say about Nordhaven's app?"),
    ("我开一辆五菱宏光拉货", "今天五菱又跑了三百公里，累死"),
]


GOES_ON = [
    ("Anke and Pietro both work at Solbrand", "Pietro left Solbrand for a startup named Kestrela."),
    ("I keep my skiff in Hessle", "Sold the skiff, bought a dinghy from old Kestrela."),
]
ALWAYS_ONE = [
    ("My name is Maya.", "I'm with you there", "Maya"),
    ("My name is Maya.", "Say my name, say my name... that song is stuck in my head.", "Maya"),
    ("我叫戴小满。", "我叫不慌，真的，一点都不慌", "戴小满"),
]


def _texts_after(path: Path, first: str, later: str) -> list[str]:
    clock = ManualClock(NOON)
    triggers = {"quiet_gap": "never", "session_min_messages": 1}
    with mnemic.open(path / "m.db", worker="none", clock=clock, triggers=triggers) as mind:
        for session, text in (("a", first), ("b", later)):
            mind.record(session=session, role="user", text=text)
            mind.end_session(session)
            mind.drain()
            clock.advance(days=9)
        return [memory.text for memory in mind.memories()]


@pytest.mark.parametrize(("first", "later"), ENDED)
def test_what_a_message_ends_is_no_longer_current(tmp_path: Path, first: str, later: str) -> None:
    assert first not in _texts_after(tmp_path, first, later)


def test_the_end_of_a_statement_ends_no_other_that_shares_words_with_it(tmp_path: Path) -> None:
    first = "Invoices above EUR 4,000 stay with me"
    beside = "Our vans stay behind the bakery on Elm Street"
    later = "The threshold for invoices has been raised by the board to EUR 9,000 since Friday."
    texts = _texts_after(tmp_path, f"{first}. {beside}.", later)
    assert beside in texts
    assert first not in texts
    assert any("EUR 9,000" in text for text in texts)


@pytest.mark.parametrize(("first", "later"), STAYS)
def test_what_is_only_spoken_of_stays(tmp_path: Path, first: str, later: str) -> None:
    assert first in _texts_after(tmp_path, first, later)


HALVES = [
    (
        "I fast on Mondays and do jiu-jitsu twice a week",
        "I no longer do jiu-jitsu, tore a ligament.",
        "I fast on Mondays",
    ),
    (
        "I'm studying for the bar exam while working at a bookshop",
        "The bookshop let me go last week.",
        "I'm studying for the bar exam",
    ),
    (
        "I take lisinopril for blood pressure and metformin for diabetes",
        "Doctor took me off the lisinopril.",
        "I take metformin for diabetes",
    ),
    ("我在宋庄租了个画室，平时教小孩画画", "宋庄的画室我退租了。", "我平时教小孩画画"),
    ("我姐住在大理，当兽医", "我姐不当兽医了，开了家咖啡馆。", "我姐住在大理"),
]


@pytest.mark.parametrize(("told", "later", "rest"), HALVES)
def test_the_other_half_of_a_sentence_lives_on(
    tmp_path: Path, told: str, later: str, rest: str
) -> None:
    texts = _texts_after(tmp_path, told, later)
    assert rest in texts
    assert told not in texts


def test_what_took_the_place_of_one_thing_replaces_no_other(tmp_path: Path) -> None:
    told = "我的电脑是联想的。我用的手机是小米12。"
    texts = _texts_after(tmp_path, told, "手机掉湖里了，换了一台华为Mate 60")
    assert "我的电脑是联想的" in texts
    assert "我用的手机是小米12" not in texts


INSTEAD = [
    # The end is said in one sentence of several, and what took its place beside it.
    (
        "I'm on the lighting crew at the Corn Exchange",
        "Long day. Finally left the lighting crew, I switched to the box office. Feet up now!",
        "lighting",
        "box office",
    ),
    ("我在老年大学教剪纸", "剪纸课停了，我现在改教书法，学生还挺多", "剪纸", "书法"),
    # A plan that was kept as it was said.
    (
        "Grandad's cataract op is on the 14th of May at Stroud",
        "They rang, the cataract op has been moved to the 2nd of June.",
        "14th",
        "2nd of June",
    ),
]


@pytest.mark.parametrize(("told", "later", "over", "new"), INSTEAD)
def test_what_took_the_place_of_something_is_kept_without_it(
    tmp_path: Path, told: str, later: str, over: str, new: str
) -> None:
    texts = _texts_after(tmp_path, told, later)
    assert any(new in text for text in texts)
    assert not any(over in text and new not in text for text in texts)


@pytest.mark.parametrize(
    ("told", "later", "over"),
    [
        (
            "I rent a studio on Quay Lane",
            "Gave up the studio on Quay Lane in the end.",
            "studio",
        ),
        (
            "I take atorvastatin at night and sertraline in the morning",
            "Dr Amin has taken me off the sertraline. The dreams were driving me mad.",
            "sertraline",
        ),
    ],
)
def test_of_an_end_alone_nothing_is_kept(tmp_path: Path, told: str, later: str, over: str) -> None:
    assert not any(over in text for text in _texts_after(tmp_path, told, later))


@pytest.mark.parametrize(("told", "later"), GOES_ON)
def test_a_clause_that_ends_something_is_kept_where_it_goes_on_with_a_name(
    tmp_path: Path, told: str, later: str
) -> None:
    left = _texts_after(tmp_path, told, later)
    assert told not in left
    assert any("Kestrela" in text for text in left), left


@pytest.mark.parametrize(("told", "later", "name"), ALWAYS_ONE)
def test_what_everybody_has_for_life_ends_only_by_another(
    tmp_path: Path, told: str, later: str, name: str
) -> None:
    assert any(name in text for text in _texts_after(tmp_path, told, later))


def test_a_mother_is_found_by_the_word_people_use_for_her(tmp_path: Path) -> None:
    first = "mum swims lengths at the baths every Tuesday"
    later = "Mum has given up swimming at the baths for good, her shoulder is wrecked."
    assert first not in _texts_after(tmp_path, first, later)
