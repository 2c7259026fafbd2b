"""The chat as a person meets it, in both languages, with a model and without one."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import mnemic
from mnemic.types import Candidate
from tests.chat.conftest import RULES, OpenChat, heard, said, saying, with_model
from tests.chat.screens import enter, wait_for, wait_for_end
from tests.providers.scripted import Asked, Scripted, reply, silence, status

PLAYS = {
    "en": {
        "fact": "I upgraded to Python 3.12 and always use uv",
        "noted": "Noted, Python 3.12 with uv.",
        "question": "Which Python version do I use?",
        "answer": "You are on 3.12.",
        "no idea": "I have no idea.",
        "hello": "What you say is remembered",
        "recall hello": "this is a recall console",
        "new": "New conversation:",
        "why": "Recalled for “Which Python version do I use?”",
        "by": "routes:",
        "account": "tokens",
        "evidence": "evidence",
        "ended": "Remembered.",
    },
    "zh": {
        "fact": "我升级到 Python 3.12 了，以后都用 uv",
        "noted": "好的，Python 3.12 加 uv，记住了。",
        "question": "我用的是哪个 Python 版本？",
        "answer": "你用的是 3.12。",
        "no idea": "我不知道。",
        "hello": "你说的话会被记住",
        "recall hello": "这里是回忆控制台",
        "new": "新的对话：",
        "why": "为“我用的是哪个 Python 版本？”想起的：",
        "by": "途径：",
        "account": "token",
        "evidence": "证据",
        "ended": "记住了。",
    },
}
# Each language once and each kind of terminal once.
LANGUAGES = pytest.mark.parametrize(
    ("open_chat", "language"), [("pty", "en"), ("tmux", "zh")], indirect=["open_chat"]
)


def opened(folder: Path) -> mnemic.Mind:
    return mnemic.open(folder / "memory.db", worker="none")


@LANGUAGES
def test_a_second_conversation_knows_what_the_first_was_told(
    open_chat: OpenChat, server: Scripted, tmp_path: Path, language: str
) -> None:
    play = PLAYS[language]

    def answer(asked: Asked) -> object:
        question = asked.json["messages"][-1]["content"].endswith(play["question"])
        if not question:
            return said(play["noted"])
        return said(play["answer"] if "3.12" in heard(asked) else play["no idea"])

    server.always(reply(answer))
    screen = open_chat(*with_model(server), "--project", "shop", MNEMIC_LANGUAGE=language)
    wait_for(screen, play["hello"])
    enter(screen, play["fact"])
    wait_for(screen, play["noted"])
    enter(screen, "/session new")
    wait_for(screen, play["new"])
    enter(screen, play["question"])
    shown = wait_for(screen, play["answer"])
    assert "…" not in shown.split(play["question"])[-1], "the sign of waiting is gone"
    enter(screen, "/why")
    shown = wait_for(screen, play["why"])
    shown = wait_for(screen, play["by"])
    assert play["fact"] in shown.split(play["why"])[-1]
    enter(screen, "/context")
    wait_for(screen, play["account"])
    wait_for(screen, play["evidence"])
    enter(screen, "/quit")
    wait_for(screen, play["ended"])
    wait_for_end(screen)
    with opened(tmp_path) as mind:
        first, second = sorted(mind.sessions(), key=lambda one: one.started_at)
        assert [turn.text for turn in mind.turns(session=first.id)] == [
            play["fact"],
            play["noted"],
        ]
        assert [turn.role for turn in mind.turns(session=second.id)] == ["user", "assistant"]
        assert {first.project, second.project} == {"shop"}
        assert {total.purpose: total.calls for total in mind.usage()} == {"chat": 2}


@LANGUAGES
def test_without_a_model_it_is_a_recall_console(
    open_chat: OpenChat, tmp_path: Path, language: str
) -> None:
    play = PLAYS[language]
    with opened(tmp_path) as mind, mind.session("old") as session:
        session.user(play["fact"], sender="lin")
    screen = open_chat(*RULES, MNEMIC_LANGUAGE=language)
    wait_for(screen, play["recall hello"])
    enter(screen, play["question"])
    shown = wait_for(screen, play["by"])
    found = shown.split(play["question"])[-1]
    assert play["fact"] in found
    assert "lin" in found
    assert "old #0" in found
    screen.press("C-d")
    wait_for_end(screen)
    with opened(tmp_path) as mind:
        assert [turn.text for turn in mind.turns()] == [play["fact"]], "nothing was recorded"


@LANGUAGES
def test_a_pasted_text_is_one_message(
    open_chat: OpenChat, server: Scripted, tmp_path: Path, language: str
) -> None:
    lines = {"en": ["First line", "  second line", "third"], "zh": ["第一行", "  第二行", "第三行"]}
    pasted = "\n".join(lines[language])
    server.always(reply(said("ok, 3")))
    screen = open_chat(*with_model(server), MNEMIC_LANGUAGE=language)
    wait_for(screen, ">")
    screen.paste(pasted)
    wait_for(screen, lines[language][-1])
    screen.press("Enter")
    wait_for(screen, "ok, 3")
    enter(screen, "/quit")
    wait_for_end(screen)
    with opened(tmp_path) as mind:
        assert [turn.text for turn in mind.turns(role="user")] == [pasted]
    assert len(server.asked) == 1


def test_a_dead_model_loses_no_word(open_chat: OpenChat, server: Scripted, tmp_path: Path) -> None:
    server.then(status(401, "bad key"), reply(said("Here I am."))).always(silence)
    screen = open_chat(*with_model(server))
    enter(screen, "Are you there?")
    shown = wait_for(screen, "What was said so far is kept.")
    assert "answered 401" in shown
    enter(screen, "And now?")
    wait_for(screen, "Here I am.")
    enter(screen, "Say nothing")
    wait_for(screen, "…")
    screen.press("C-c")
    wait_for(screen, "Stopped.")
    screen.press("C-c")
    wait_for(screen, "Ctrl-C again")
    screen.press("C-c")
    wait_for_end(screen)
    with opened(tmp_path) as mind:
        told = [turn.text for turn in mind.turns()]
    assert told == ["Are you there?", "And now?", "Here I am.", "Say nothing"]


@LANGUAGES
def test_pending_statements_are_put_to_the_person(
    open_chat: OpenChat, server: Scripted, tmp_path: Path, language: str
) -> None:
    rules = {
        "en": ["Always deploy on Fridays", "Never use tabs in code", "Always answer in rhymes"],
        "zh": ["总是在周五发布", "代码里从不用制表符", "总是用韵文回答"],
    }[language]
    question = {"en": "Is this right?", "zh": "这样对吗？"}[language]
    with opened(tmp_path) as mind:
        for rule in rules:
            mind.propose(Candidate("rule", rule, confidence=0.9, trust="agent"))
        assert len(mind.pending()) == 3
    server.always(reply(said("Hello!")))
    screen = open_chat(*with_model(server), MNEMIC_LANGUAGE=language)
    enter(screen, "hi")
    wait_for(screen, "Hello!")
    for asked, key in enumerate(("1", "2", "3"), 1):
        wait_for(screen, question, times=asked)
        enter(screen, key)
    enter(screen, "hi again")
    wait_for(screen, "Hello!", times=2)
    enter(screen, "/help")
    wait_for(screen, "/scratchpad")
    assert screen.shown().count(question) == 3, "nobody is asked twice"
    enter(screen, "/quit")
    wait_for_end(screen)
    with opened(tmp_path) as mind:
        assert len(mind.memories(kind="rule")) == 1
        (waiting,) = mind.pending()
        assert waiting.snoozed_until is not None


def test_a_message_in_place_of_an_answer_is_the_next_message(
    open_chat: OpenChat, server: Scripted, tmp_path: Path
) -> None:
    with opened(tmp_path) as mind:
        mind.propose(Candidate("rule", "Always deploy on Fridays", confidence=0.9, trust="agent"))
    server.then(reply(said("Hello!")), reply(said("It is raining.")))
    screen = open_chat(*with_model(server))
    enter(screen, "hi")
    wait_for(screen, "Is this right?")
    enter(screen, "What is the weather?")
    wait_for(screen, "It is raining.")
    with opened(tmp_path) as mind:
        assert len(mind.pending()) == 1


@LANGUAGES
def test_forgetting_asks_first(open_chat: OpenChat, tmp_path: Path, language: str) -> None:
    fact = {"en": "My dog is called Rufus", "zh": "我的狗叫旺财"}[language]
    name = {"en": "Rufus", "zh": "旺财"}[language]
    sure = {"en": "Forget them?", "zh": "要忘记吗？"}[language]
    done = {"en": "Forgotten:", "zh": "已忘记："}[language]
    with opened(tmp_path) as mind, mind.session("old") as session:
        session.user(fact)
    screen = open_chat(*RULES, MNEMIC_LANGUAGE=language)
    enter(screen, f"/forget {name}")
    assert fact.replace(name, f"«{name}»") in wait_for(screen, sure)
    screen.press("Enter")
    enter(screen, f"/forget {name}")
    wait_for(screen, sure, times=2)
    enter(screen, "1")
    wait_for(screen, done)
    enter(screen, "/nonsense")
    wait_for(screen, "/nonsense", times=2)
    enter(screen, "/scratchpad")
    enter(screen, "/quit")
    wait_for_end(screen)
    with opened(tmp_path) as mind:
        assert mind.turns() == []


@LANGUAGES
def test_an_answer_is_shown_as_it_comes_and_kept_when_it_is_stopped(
    open_chat: OpenChat, server: Scripted, tmp_path: Path, language: str
) -> None:
    begun, rest, stopped, recalled = {
        "en": ("Once upon a time", " there was a lamp.", "Stopped.", "recalled for “And then?”"),
        "zh": ("从前有一个人", "，他有一盏灯。", "已停止。", "为“And then?”想起"),
    }[language]
    server.then(saying(begun, then=silence), saying(begun, rest))
    screen = open_chat(*with_model(server), "--language", language, "--why")
    enter(screen, "Tell me a story")
    wait_for(screen, begun)  # the server has not ended its answer, and never does
    screen.press("C-c")
    wait_for(screen, stopped)
    enter(screen, "And then?")
    wait_for(screen, begun + rest)
    wait_for(screen, recalled)
    enter(screen, "/quit")
    wait_for_end(screen)
    with opened(tmp_path) as mind:
        told = [turn.text for turn in mind.turns()]
    assert told == ["Tell me a story", begun, "And then?", begun + rest]


def test_no_line_of_a_chinese_chat_is_english(
    open_chat: OpenChat, server: Scripted, tmp_path: Path
) -> None:
    with opened(tmp_path) as mind, mind.session("旧") as session:
        session.user("我家的狗叫旺财")
    server.then(reply(said("它叫旺财。")), status(503, "维护中"))
    screen = open_chat(*with_model(server), "--language", "zh")
    enter(screen, "我家的狗叫什么？")
    wait_for(screen, "它叫旺财。")
    for command in ("/why", "/context", "/learned", "/pending", "/session", "/scratchpad"):
        enter(screen, command)
    enter(screen, "/forget 旺财")
    wait_for(screen, "要忘记吗？")
    enter(screen, "1")
    wait_for(screen, "已忘记：")
    enter(screen, "你好")
    shown = wait_for(screen, "没有回答")
    lines = shown.splitlines()
    allowed = {"token", "play", "openai", "answered", "quit", "help", "utf", "it", "is", "not"}
    foreign = [
        line
        for line in lines
        if not line.startswith(("你> /", "/"))  # what was typed, also while it was busy
        and not line.strip().startswith("id：")
        and set(re.findall("[a-z]{3,}", line)) - allowed
        and not re.search("[\u4e00-\u9fff]", line)
    ]
    assert foreign == []


def test_no_colours_when_none_are_wanted(open_chat: OpenChat, server: Scripted) -> None:
    server.always(reply(said("red \x1b[31malert\x1b[0m")))
    screen = open_chat(*with_model(server), NO_COLOR="1")
    enter(screen, "hi")
    shown = wait_for(screen, "alert")
    assert "\ufffd[31malert" in shown, "a model cannot colour the terminal"
    raw = getattr(screen, "raw", b"")
    assert b"\x1b[2m" not in raw
    assert b"\x1b[31m" not in raw
