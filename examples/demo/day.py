"""The first half of the demo: what is said becomes memories, or does not."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from examples.demo import story
from examples.demo.stage import Stage, expect, narrate
from mnemic.cli.conversations import show_attachments, show_episodes, show_turns
from mnemic.cli.memories import show_memories
from mnemic.cli.output import ListEntry, add_margin, entries, indent_line, say
from mnemic.cli.pending import show_pending
from mnemic.cli.phrases import count_things, phrase, term
from mnemic.cli.show import show_history


def first_words(stage: Stage) -> Mapping[str, Any]:
    """A conversation is recorded; when it falls silent, it is learned from"""
    stage.converse(story.SETUP_TURNS, day=0)
    with add_margin(3):
        show_turns(stage.mind.turns(session=story.SETUP))
    done = stage.rest()
    memories = stage.mind.memories()
    contents = " ".join(memory.text for memory in memories)
    expect(
        all(w in contents for w in (story.NAME, story.ALLERGY, story.OLD_PYTHON)),
        f"learned {contents}",
    )
    narrate(phrase(
        "Ten minutes later {jobs} ran. Learned by rules, each with its source:",
        jobs=count_things(done, "job"),
    ))  # fmt: skip
    with add_margin(3):
        show_memories(memories)
    events = stage.mind.daily_events()
    expect(len(events) == 1, "no daily event was written")
    narrate(phrase("One line for the day, and a copy of the conversation as JSONL:"))
    say(indent_line(f"{events[0].day}  {events[0].summary}", 3))
    files = ", ".join(stage.transcripts())
    say(indent_line(phrase("{folder}/ holds {files}", folder=stage.beside.name, files=files), 3))
    return {
        "turns": len(story.SETUP_TURNS),
        "learned": [memory.text for memory in memories],
        "transcripts": stage.transcripts(),
    }


def tool_traffic(stage: Stage) -> Mapping[str, Any]:
    """Four weeks later, in English: tools are called, and the session ends as a story"""
    stage.converse(story.KYOTO_TURNS, day=28)
    with add_margin(3):
        show_turns(stage.mind.turns(session=story.KYOTO))
    files = stage.mind.attachments(session=story.KYOTO)
    expect([file.path for file in files] == [story.BUDGET_PDF], "the PDF was not noticed")
    narrate(phrase("Nobody announced the file; it was noticed in the tool call:"))
    with add_margin(3):
        show_attachments(files)
    stage.mind.end_session(story.KYOTO)
    stage.rest()
    episodes = stage.mind.episodes(session=story.KYOTO)
    expect(len(episodes) == 1 and len(episodes[0].actions) == 2, "the story was not told")
    narrate(phrase("The session ended, and this is its episode:"))
    with add_margin(3):
        show_episodes(episodes, full=True)
    return {
        "attachments": [file.path for file in files],
        "actions": [action.tool for action in episodes[0].actions],
    }


def poison_and_secret(stage: Stage) -> Mapping[str, Any]:
    """Two things in there were not for keeping: an order from a web page, and a token"""
    memories = [*stage.mind.memories(), *stage.mind.pending()]
    obeyed = [memory.text for memory in memories if "booking" in memory.text]
    expect(not obeyed, f"an injected instruction became a memory: {obeyed}")
    answer, request = (stage.mind.turns(session=story.KYOTO)[place] for place in (2, 4))
    with add_margin(3):
        entries([ListEntry(phrase("the order"), story.INJECTED)])
    narrate(phrase(
        "It stays where it was said, as words of a {who}. No memory, no rule came of it.",
        who=term(answer.trust),
    ))  # fmt: skip
    with add_margin(3):
        entries([ListEntry(phrase("the token"), request.text)])
    places = stage.files_with(story.TOKEN)
    expect(story.TOKEN not in request.text and not places, f"the token is in {places}")
    narrate(phrase(
        "It was taken out before it was written: {files} searched,",
        files=count_things(stage.files(), "file"),
    ))  # fmt: skip
    narrate(phrase(
        "found in none. (A secret you ask to keep is encrypted: mnemic add --kind credential)"
    ))  # fmt: skip
    return {"obeyed": len(obeyed), "files_with_the_token": len(places)}


def changed_mind(stage: Stage) -> Mapping[str, Any]:
    """A fact changes: the old value is not lost but superseded"""
    stage.converse(story.UPGRADE_TURNS, day=40)
    with add_margin(3):
        show_turns(stage.mind.turns(session=story.UPGRADE))
    stage.rest()
    (now,) = stage.mind.memories(kind="config")
    (then,) = stage.mind.memories(kind="config", as_of=stage.begins_plus(days=30))
    history = stage.mind.history(now.id)
    expect((then.value, now.value) == (story.OLD_PYTHON, story.NEW_PYTHON), "the chain")
    expect([v.id for v in history.versions] == [then.id, now.id], "the chain")
    narrate(phrase("One current memory, with its chain and all that happened to it:"))
    with add_margin(3):
        show_history(history)
    narrate(phrase("Asked as of day 30, memory answers: {text}", text=then.text))
    return {"memory": now.id, "versions": [version.value for version in history.versions]}


def pending_questions(stage: Stage) -> Mapping[str, Any]:
    """Where a host wants to be sure, statements are put to the user first"""
    with stage.careful() as mind:
        stage.converse(story.TASTE_TURNS, mind=mind)
        with add_margin(3):
            show_turns(mind.turns(session=story.TASTE))
        stage.rest(mind)
        offered = mind.pending(offer=True)
        expect(len(offered) == len(story.TASTE_TURNS), "nothing was offered")
        narrate(phrase(
            "With routing.write = 0.95 these wait for a word; at most 3 are offered a reply:"
        ))  # fmt: skip
        with add_margin(3):
            show_pending(offered)
        liked = next(memory for memory in offered if story.LIKED in memory.text)
        disliked = next(memory for memory in offered if story.DISLIKED in memory.text)
        confirmed = mind.confirm(liked.id).memory
        mind.ignore(disliked.id)
        expect(confirmed is not None and confirmed.status == "active", "it was not kept")
        expect(not mind.pending(), "something still waits")
    narrate(phrase(
        "The user says yes to {liked} and no to {disliked}. Kept:",
        liked=repr(story.LIKED), disliked=repr(story.DISLIKED),
    ))  # fmt: skip
    with add_margin(3):
        show_memories([confirmed] if confirmed else [])
    return {"offered": len(offered), "kept": story.LIKED, "ignored": story.DISLIKED}
