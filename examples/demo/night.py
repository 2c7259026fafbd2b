"""The second half of the demo: a crash, a night, questions, and the prompt for a reply."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from examples.demo import story
from examples.demo.stage import Stage, expect, narrate
from mnemic.cli.health import sizes
from mnemic.cli.memories import show_memories
from mnemic.cli.output import add_margin, bold, facts, indent_line, say
from mnemic.cli.phrases import count_things, phrase
from mnemic.cli.recall import show_account, show_hits


def sudden_death(stage: Stage) -> Mapping[str, Any]:
    """Another process is killed with SIGKILL while it writes"""
    stage.clock.advance(hours=1)
    command = [sys.executable, "-m", "examples.demo.writer", str(stage.path)]
    moment = stage.clock.now().isoformat()
    with subprocess.Popen(
        [*command, moment], stdout=subprocess.PIPE, text=True, cwd=Path(__file__).parents[2]
    ) as writer:
        assert writer.stdout is not None
        acknowledged = [int(writer.stdout.readline() or -1) for _ in range(story.ACKNOWLEDGED)]
        writer.send_signal(signal.SIGKILL)
        acknowledged += [int(line) for line in writer.stdout if line.endswith("\n")]
    stored = {turn.index for turn in stage.mind.turns(session=story.NOTES, limit=100_000)}
    expect(
        len(acknowledged) >= story.ACKNOWLEDGED and set(acknowledged) <= stored,
        "an acknowledged turn is lost",
    )
    narrate(phrase(
        "Before it died it had {turns} acknowledged. Found afterwards:",
        turns=count_things(len(acknowledged), "turn"),
    ))  # fmt: skip
    found = len(stored & set(acknowledged))
    say(indent_line(phrase("{n} of {all}, none lost", n=found, all=len(acknowledged)), 3))
    return {"acknowledged": len(acknowledged), "survived": len(stored & set(acknowledged))}


def night(stage: Stage) -> Mapping[str, Any]:
    """The night comes: what mattered for a day is gone in the morning, and so are old copies"""
    passing = [m for m in stage.mind.memories() if story.PASSING in m.text]
    expect(len(passing) == 1 and passing[0].kind == "temp", "nothing was kept for the day")
    narrate(phrase("In the evening it was still known that"))
    with add_margin(3):
        show_memories(passing)
    stage.clock.advance(hours=24)
    drained = stage.mind.drain()
    morning = {memory.id for memory in stage.mind.memories()}
    expect(passing[0].id not in morning, "the passing memory is still there")
    narrate(phrase("and in the morning it is not. What lasts is still there:"))
    say(indent_line(count_things(len(morning), "memory", "memories"), 3))
    copies = {f"{session}.jsonl" for session in (story.SETUP, story.KYOTO, story.UPGRADE)}
    removed = sorted(copies - set(stage.transcripts()))
    turns = stage.mind.turns(session=story.SETUP)
    expect(removed == [f"{story.SETUP}.jsonl"], "the old transcript did not go")
    expect(len(turns) == len(story.SETUP_TURNS), "the database copy is not whole")
    written = stage.documents()
    expect(bool(written), "no documents were written")
    narrate(phrase(
        "{jobs} ran. Documents for people are in {folder}:",
        jobs=count_things(drained.done, "job"), folder=stage.beside.name,
    ))  # fmt: skip
    say(indent_line(", ".join(written), 3))
    narrate(phrase("JSONL copies older than 30 days are gone:"))
    gone = phrase(
        "{files}; its {turns} stay in the database",
        files=", ".join(removed), turns=count_things(len(turns), "turn"),
    )  # fmt: skip
    say(indent_line(gone, 3))
    return {
        "expired": [memory.text for memory in passing],
        "removed": removed,
        "documents": written,
    }


def questions(stage: Stage) -> Mapping[str, Any]:
    """Recall, in both languages, with the reasons"""
    answers: dict[str, str] = {}
    for question in story.QUESTIONS:
        if answers:
            say()
        past = stage.clock.now() - question.ago if question.ago else None
        hits = stage.mind.recall(question.text, limit=3, of=question.of, as_of=past)
        right = [number for number, hit in enumerate(hits, 1) if question.expects in hit.text]
        expect(bool(right), f"{question.text!r} did not find {question.expects!r}")
        day = phrase("(as of {day:%Y-%m-%d})", day=past.astimezone()) if past else ""
        say(f"   {bold('? ' + question.text)}   {day}".rstrip())
        with add_margin(3):
            show_hits(hits[: right[0]], explain=True)
        answers[question.text] = hits[right[0] - 1].text
    return {"answers": answers}


def prompt(stage: Stage) -> Mapping[str, Any]:
    """What an agent is handed before it answers, and what it costs"""
    say(f"   {bold('? ' + story.PROMPTED)}")
    built = stage.mind.context(story.PROMPTED, budget=story.BUDGET)
    expect("Shiraume" in built.text and story.TOKEN not in built.text, "the prompt")
    expect(built.tokens <= built.budget, "the budget")
    for line in built.text.splitlines():
        say(indent_line(line, 3).rstrip())
    with add_margin(3):
        show_account(built)
    narrate(phrase(
        "The order from the web page is in there as data: dated, marked as a tool's, and fenced."
    ))  # fmt: skip
    return {"tokens": built.tokens, "budget": built.budget}


def figures(stage: Stage) -> Mapping[str, Any]:
    """What it adds up to"""
    stats = stage.mind.stats()
    findings = stage.mind.doctor()
    expect(all(finding.ok for finding in findings), "the database is not well")
    with add_margin(3):
        facts(sizes(stats))
    checks = count_things(len(findings), "check")
    narrate(phrase("{checks} of the database, all well.", checks=checks))
    return {"turns": stats.turns, "sessions": stats.sessions, "memories": stats.memories}
