"""What the demo shows, one step after the other. The first line of a step is its title."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Callable, Mapping
from typing import Any

from recollect.cli.attach import show_attachments
from recollect.cli.demo import story
from recollect.cli.demo.stage import Stage, expect, tell
from recollect.cli.memories import show_history
from recollect.cli.output import bold, counted, indented, say
from recollect.cli.recall import show_hits
from recollect.cli.stats import show_stats
from recollect.cli.turns import show_turns
from recollect.types import NewTurn

Step = Callable[[Stage], Mapping[str, Any]]


def first_words(stage: Stage) -> Mapping[str, Any]:
    """A conversation is recorded, and a fact is kept with its source"""
    _converse(stage, story.SETUP_TURNS, 0)
    source = stage.mind.turns(session=story.SETUP)[0]
    memory = stage.mind.remember(
        story.OLD_FACT, kind="config", subject="开发环境", predicate="Python", sources=[source.id]
    )
    tell(f"Kept as {memory.kind}, learnt from {story.SETUP} #{source.index}:")
    say(indented(memory.content, 3))
    return {"turns": len(story.SETUP_TURNS), "memory": memory.id}


def silence(stage: Stage) -> Mapping[str, Any]:
    """The conversation falls silent: one line for the day, and a JSONL copy"""
    stage.clock.advance(minutes=10)
    drained = stage.mind.drain()
    events = stage.mind.daily_events()
    expect(len(events) == 1, "no daily event was written")
    tell(f"Ten minutes later the background work ran: {counted(drained.done, 'job')}.")
    say(indented(f"{events[0].day}  {events[0].summary}", 3))
    tell(f"{stage.history.name}/ holds {', '.join(stage.transcripts())}")
    return {"daily_events": len(events), "transcripts": stage.transcripts()}


def tool_traffic(stage: Stage) -> Mapping[str, Any]:
    """Four weeks later, in English: tools are called, and one of them writes a file"""
    _converse(stage, story.KYOTO_TURNS, 28)
    found = stage.mind.attachments(session=story.KYOTO)
    expect([file.path for file in found] == [story.BUDGET_PDF], "the PDF was not noticed")
    tell("Nobody announced the file; it was noticed in the tool call:")
    show_attachments(found, margin=3)
    return {"attachments": [file.path for file in found]}


def changed_mind(stage: Stage) -> Mapping[str, Any]:
    """A fact changes: the old value is not lost but superseded"""
    _converse(stage, story.UPGRADE_TURNS, 40)
    old = stage.mind.memories(kind="config")[0]
    source = stage.mind.turns(session=story.UPGRADE)[0]
    new = stage.mind.remember(
        story.NEW_FACT,
        kind="config",
        subject=old.subject,
        predicate=old.predicate,
        sources=[source.id],
        supersedes=old.id,
    )
    history = stage.mind.history(new.id)
    expect([v.content for v in history.versions] == [story.OLD_FACT, story.NEW_FACT], "history")
    show_history(history, margin=3)
    return {"versions": [version.content for version in history.versions]}


def sudden_death(stage: Stage) -> Mapping[str, Any]:
    """Another process is killed with SIGKILL while it writes"""
    stage.clock.advance(hours=1)
    command = [sys.executable, "-m", "recollect.cli.demo.writer", str(stage.path)]
    moment = stage.clock.now().isoformat()
    with subprocess.Popen([*command, moment], stdout=subprocess.PIPE, text=True) as writer:
        assert writer.stdout is not None
        told = [int(writer.stdout.readline() or -1) for _ in range(story.ACKNOWLEDGED)]
        writer.send_signal(signal.SIGKILL)
        told += [int(line) for line in writer.stdout if line.endswith("\n")]
    kept = {turn.index for turn in stage.mind.turns(session=story.NOTES, limit=100_000)}
    expect(len(told) >= story.ACKNOWLEDGED and set(told) <= kept, "an acknowledged turn is lost")
    tell(f"Before it died it had {counted(len(told), 'turn')} acknowledged. Found afterwards:")
    say(f"   {len(kept & set(told))} of {len(told)}, none lost")
    return {"acknowledged": len(told), "survived": len(kept & set(told))}


def questions(stage: Stage) -> Mapping[str, Any]:
    """Recall, in both languages, with the reasons"""
    answers = {}
    for asked in story.QUESTIONS:
        past = stage.clock.now() - asked.ago if asked.ago else None
        hits = stage.mind.recall(asked.text, k=3, of=asked.of, as_of=past)
        right = [number for number, hit in enumerate(hits, 1) if asked.expects in hit.text]
        expect(bool(right), f"{asked.text!r} did not find {asked.expects!r}")
        when = f"   (as of {past.astimezone():%Y-%m-%d})" if past else ""
        say(f"   {bold('? ' + asked.text)}{when}")
        show_hits(hits[: right[0]], explain=True, margin=3)
        say()
        answers[asked.text] = hits[right[0] - 1].text
    return {"answers": answers}


def night(stage: Stage) -> Mapping[str, Any]:
    """The night comes: JSONL files older than 30 days go, the database copy stays"""
    before = stage.transcripts()
    stage.clock.advance(hours=20)
    drained = stage.mind.drain()
    left = stage.transcripts()
    gone = sorted(set(before) - set(left))
    turns = stage.mind.turns(session=story.SETUP)
    expect(gone == [f"{story.SETUP}.jsonl"], "the old transcript did not go")
    expect(f"{story.UPGRADE}.jsonl" in left, "a new transcript was not written")
    expect(len(turns) == len(story.SETUP_TURNS), "the database copy is not whole")
    tell(f"{counted(drained.done, 'job')} ran. Removed {', '.join(gone)}; there are")
    tell(", ".join(left))
    tell(f"{story.SETUP} still has its {counted(len(turns), 'turn')} in the database.")
    return {"removed": gone, "left": left}


def figures(stage: Stage) -> Mapping[str, Any]:
    """What it adds up to"""
    stats = stage.mind.stats()
    findings = stage.mind.doctor()
    expect(all(finding.ok for finding in findings), "the database is not well")
    show_stats(stats, margin=3)
    tell(f"{counted(len(findings), 'check')} of the database, all well.")
    return {"turns": stats.turns, "sessions": stats.sessions, "memories": stats.memories}


STEPS: tuple[Step, ...] = (
    first_words,
    silence,
    tool_traffic,
    changed_mind,
    sudden_death,
    questions,
    night,
    figures,
)


def _converse(stage: Stage, turns: tuple[NewTurn, ...], day: int) -> None:
    """Say these turns on that day, half a minute apart, and show them."""
    stage.day(day)
    for turn in turns:
        stage.mind.record_turn(turn)
        stage.clock.advance(seconds=30)
    show_turns(stage.mind.turns(session=turns[0].session), margin=3)
