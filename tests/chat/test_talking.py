"""The conversation behind the terminal."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import mnemic
from mnemic.cli.chat.conversation import ChatConversation, conversation
from mnemic.cli.chat.terminal import clean
from mnemic.cli.output import flat
from mnemic.cli.root import cli
from mnemic.providers.chat.choose import main_model_for
from mnemic.types import Context, Message
from tests.chat.conftest import heard, said, saying
from tests.cli.conftest import Shell, db, shell
from tests.conftest import OpenMind
from tests.providers.scripted import Scripted, hang_up, reply

__all__ = ["cli", "db", "shell"]


def unseen(text: str) -> None:
    """Nobody looks."""


@pytest.fixture
def mind(open_mind: OpenMind, server: Scripted) -> mnemic.Mind:
    chat = {"provider": "openai", "name": "play-1", "base_url": server.url}
    return open_mind(chat=chat, model={"provider": "none"})


@pytest.fixture
def talk(mind: mnemic.Mind) -> Iterator[ChatConversation]:
    model = main_model_for(mind.settings)
    assert model is not None
    talk = ChatConversation(mind, model, "Be kind.", "shop")
    yield talk
    talk.close()


def test_what_leaves_the_window_leaves_its_story(
    mind: mnemic.Mind, talk: ChatConversation, server: Scripted
) -> None:
    server.always(reply(said("A long answer about tea. " * 30)))
    kept = []
    for number in range(20):
        asked = talk.ask(f"问题 {number}：茶叶应该怎么保存才好？" * 8)
        talk.answer(asked, unseen)
        kept.append(talk.compress(asked))
    stories = mind.episodes(session=talk.session)
    assert sum(kept) == len(stories) >= 2
    spans = sorted((one.started_at, one.ended_at) for one in stories)
    assert all(one.source == "context_compress" for one in stories)
    assert spans[0][1] <= spans[1][0], "no turn is told twice"
    assert len(heard(server.asked[-1])) < sum(len(turn.text) for turn in mind.turns(limit=100))


def test_the_model_sees_its_manners_the_talk_and_the_message(
    talk: ChatConversation, server: Scripted
) -> None:
    server.always(reply(said("fine")))
    talk.answer(talk.ask("I like oolong"), unseen)
    talk.answer(talk.ask("and you?"), unseen)
    system, *told = server.asked[-1].json["messages"]
    assert system["content"].startswith("Be kind.")
    assert [one["role"] for one in told] == ["user", "assistant", "user"]
    assert told[-1]["content"].endswith("and you?")


def test_what_was_learned_comes_from_this_conversation(
    mind: mnemic.Mind, talk: ChatConversation
) -> None:
    mind.remember("Has a cat", kind="fact")
    turn = talk.ask("I have a dog").turn
    assert talk.list_learned() == ([], 1)
    memory = mind.remember("Has a dog", kind="fact", sources=[turn.id])
    assert [one.id for one in talk.list_learned()[0]] == [memory.id]
    before = talk.session
    assert talk.begin_again() != before
    assert talk.list_learned() == ([], 0)
    assert not talk.end(), "nothing was said"


def test_people_speak_first_and_in_turns() -> None:
    messages = (
        Message("system", "a"),
        Message("assistant", "b"),
        Message("user", "c"),
        Message("user", "d"),
        Message("system", "e"),
    )
    system, told = conversation(Context("", messages, 0, 0, (), ()), "f")
    assert system == "a\n\ne"
    assert [(one.role, one.text) for one in told] == [
        ("user", "…"),
        ("assistant", "b"),
        ("user", "c\n\nd\n\nf"),
    ]


def test_what_is_shown_moves_no_cursor() -> None:
    assert clean("a\tb\n茶\x1b[2Jc\u202e") == "a   b\n茶\ufffd[2Jc"
    assert flat(" a\n b \x07") == "a b \ufffd"


def test_lines_may_be_piped_in(shell: Shell) -> None:
    shell("record", "-s", "old", "We fly to Lisbon on Friday")
    piped = "Where do we fly?\n/why\n/session\n/context\n/learned\n/pending\n/forget\n/quit\n"
    shown = shell("chat", input=piped).stdout
    assert shown.count("We fly to Lisbon on Friday") >= 2
    assert "There is no conversation" in shown
    assert "Nothing is awaiting confirmation." in shown
    assert "Usage: /forget WORDS" in shown
    assert shell("chat", "--json", code=2).stderr


def test_a_broken_answer_is_kept_as_far_as_it_came(
    mind: mnemic.Mind, talk: ChatConversation, server: Scripted
) -> None:
    server.then(saying("Half of ", "an answer", then=hang_up))
    shown: list[str] = []
    with pytest.raises(mnemic.ModelError):
        talk.answer(talk.ask("Tell me all"), shown.append)
    assert shown == ["Half of ", "an answer"]
    _, answer = mind.turns()
    assert answer.text == "Half of an answer"
    assert dict(answer.metadata) == {"interrupted": True}
    (spent,) = mind.usage()
    assert (spent.purpose, spent.calls) == ("chat", 1), "it is paid for all the same"


def test_help_and_usage_errors_follow_the_locale(
    shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LC_ALL", "zh_CN.UTF-8")
    assert "和一个有记忆的模型交谈" in shell("chat", "--help").stdout
    assert "A chat is for people" in shell("chat", "--json", code=2).stderr, "for programs"
    assert "这里是回忆控制台" in shell("chat", input="/quit\n").stdout
    assert "recall console" in shell("chat", "--language", "en", input="/quit\n").stdout
    monkeypatch.setenv("LC_ALL", "C.UTF-8")
    assert "Talk to a model" in shell("chat", "--help").stdout
