"""A year of an active user: facts that are repeated, change and contradict each other, every day
with its upkeep. At the end memory is small, and knows what is true now and nothing that was.
"""

from __future__ import annotations

import random
import re
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

import mnemic
from mnemic.clock import ManualClock
from mnemic.types import NewTurn
from tests.torture.homes import Homes, StoreName
from tests.torture.outcome import Outcome

BEGIN = datetime(2026, 1, 5, 8, tzinfo=UTC)  # a Monday
_PRODUCTS = "Python Redis Kafka Django Rust Go Ruby Elixir Scala Kotlin".split()
_SERVICES = "atlas birch cedar delta ember falcon garnet harbor iris juniper".split()
_CITIES = "Brelm Tavora Quillan Ostrand Merrow Halvet Sundry Calder Norvik Pelham".split()
_FIRMS = "Nortex Zephra Quandry Lumient Ferrox Arcadel Bluefen Coralis Dunmore Everly".split()
_HOBBIES = (
    "karaoke kayaking chess origami archery juggling fencing pottery birding curling sailing"
    " skating baking knitting surfing climbing bowling diving rowing dancing"
).split()
_CHATTER = (
    "what do you think of this error message?",
    "can you make the second paragraph shorter",
    "how long does the build usually take?",
    "这个报错是什么意思？",
    "帮我看看这段日志",
    "thanks, that works",
    "show me the next one please",
)
_START = "ba ce di fo gu ha je ki lo mu ne po ri so tu ve".split()


@dataclass(frozen=True, slots=True)
class Fact:
    """A question with one answer, and how people say it, change it and ask for it."""

    plain: str
    change: str
    ask: str
    values: tuple[str, ...]


def facts() -> list[Fact]:
    """Everything the user has that can change."""
    found = [
        Fact("I live in {}", "I moved to {}", "Where do I live?", tuple(_CITIES)),
        Fact("I work at {}", "I started a new job at {}", "Where do I work?", tuple(_FIRMS)),
    ]
    for n, product in enumerate(_PRODUCTS):
        values = tuple(f"{n + 2}.{minor}" for minor in range(11, 91))
        found.append(
            Fact(
                f"We are on {product} {{}}",
                f"We upgraded {product} to {{}}",
                f"Which version of {product} do we use?",
                values,
            )
        )
    for n, service in enumerate(_SERVICES):
        values = tuple(str(4000 + 100 * n + port) for port in range(90))
        found.append(
            Fact(
                f"{service} 服务的端口是 {{}}",
                f"{service} 服务的端口改成 {{}} 了",
                f"{service} 服务的端口是多少？",
                values,
            )
        )
    return found


@dataclass(frozen=True, slots=True)
class Day:
    """How upkeep went on one simulated day."""

    day: int
    memories: int
    seconds: float


@dataclass(frozen=True, slots=True)
class Report(Outcome):
    """What is left after so many days."""

    days: int
    turns: int
    core: int
    knowledge: int
    asked: int
    slowest_upkeep: float
    last_month_upkeep: float
    losses: tuple[str, ...]
    errors: tuple[str, ...]
    course: tuple[Day, ...]


class Life:
    """The user: says things, and remembers what is true."""

    def __init__(self, seed: int) -> None:
        self.chance = random.Random(seed)
        self.facts = facts()
        self.truth = [0] * len(self.facts)
        self.settled = [False] * len(self.facts)
        self.was: list[set[int]] = [set() for _ in self.facts]
        self.likes: dict[str, bool] = {}
        self.decisions: list[str] = []

    def say(self) -> str:
        """The next thing the user says."""
        chance = self.chance
        sort = chance.random()
        if sort < 0.35:
            return self._fact()
        if sort < 0.50:
            return self._taste()
        if sort < 0.70:
            return self._decision()
        return chance.choice(_CHATTER)

    def over(self) -> frozenset[str]:
        """Everything that was true once and is not now."""
        was = {fact.values[n] for fact, ns in zip(self.facts, self.was, strict=True) for n in ns}
        return frozenset(was) - {f.values[n] for f, n in zip(self.facts, self.truth, strict=True)}

    def _fact(self) -> str:
        """Mostly the same again; sometimes it changes; sometimes a slip that is put right."""
        which = self.chance.randrange(len(self.facts))
        fact = self.facts[which]
        changes = self.chance.random() < 0.08
        if not self.settled[which]:
            self.settled[which] = True
        elif changes:
            self.was[which].add(self.truth[which])
            self.truth[which] = (self.truth[which] + 1) % len(fact.values)
            return fact.change.format(fact.values[self.truth[which]])
        return fact.plain.format(fact.values[self.truth[which]])

    def _taste(self) -> str:
        hobby = self.chance.choice(_HOBBIES)
        if self.likes.get(hobby) and self.chance.random() < 0.2:
            self.likes[hobby] = False
            return f"I no longer like {hobby}"
        self.likes[hobby] = True
        return f"I like {hobby}"

    def _decision(self) -> str:
        what = "".join(self.chance.choice(_START) for _ in range(4))
        self.decisions.append(what)
        return f"We decided to use {what} for the {self.chance.choice(_SERVICES)} release"


def run(
    folder: Path,
    *,
    days: int = 365,
    turns: int = 140,
    store: StoreName = "sqlite",
    seed: int = 1,
) -> Report:
    """Live so many days with so many turns each, and look at what is known then."""
    clock, life = ManualClock(BEGIN), Life(seed)
    course: list[Day] = []
    errors: list[str] = []
    by_hand = {"daily": "never", "weekly": "never"}  # upkeep is called and timed below
    home = Homes(folder, store).new("year")
    with home.open(clock=clock, schedule=by_hand) as mind:
        for day in range(days):
            _live(mind, clock, life, day, turns)
            clock.set(BEGIN + timedelta(days=day + 1) - timedelta(hours=5))  # 03:00
            begun = time.perf_counter()
            reports = [mind.upkeep("daily")]
            if (day + 1) % 7 == 0:
                reports.append(mind.upkeep("weekly"))
            seconds = time.perf_counter() - begun
            errors += [
                f"day {day}: {step.name} {step.state} {step.error}"
                for report in reports
                for step in report.steps
                if step.state != "done"
            ]
            course.append(Day(day, mind.stats().memories, seconds))
            mind.drain()
        losses = _judge(mind, life, home.folder)
        with mind._store.read(mind.space) as unit:
            held = unit.tiers.counts(clock.now())
        total = mind.stats().turns
    spent = [one.seconds for one in course]
    last = spent[-30:]
    return Report(
        days, total, held.core, held.knowledge, len(life.facts) + len(life.likes),
        max(spent), sum(last) / len(last), tuple(losses), tuple(errors), tuple(course),
    )  # fmt: skip


def _live(mind: mnemic.Mind, clock: ManualClock, life: Life, day: int, turns: int) -> None:
    """A day in three sessions, with an answer to each message."""
    start = BEGIN + timedelta(days=day)
    for part in range(3):
        session = f"day-{day}-{part}"
        said: list[NewTurn] = []
        for n in range(turns // 6):
            at = start + timedelta(hours=3 * part, minutes=n)
            said.append(NewTurn(session, "user", life.say(), at=at))
            said.append(NewTurn(session, "assistant", "Noted.", at=at + timedelta(seconds=20)))
        mind.record_many(said)
        clock.set(start + timedelta(hours=3 * part + 2))
        mind.end_session(session)
        mind.drain()


def _judge(mind: mnemic.Mind, life: Life, folder: Path) -> list[str]:
    """What is wrong at the end."""
    losses: list[str] = []
    with mind._store.read(mind.space) as unit:
        held = unit.tiers.counts(mind._clock.now())
        core = unit.tiers.core(least=0.7, now=mind._clock.now(), limit=100)
    if held.core > 100 or len(core) > 100:
        losses.append(f"{held.core} memories in the core")
    if held.knowledge > 5_000:
        losses.append(f"{held.knowledge} memories of knowledge")
    losses += _documents(folder)
    questions = [
        (fact.ask, fact.values[life.truth[n]], fact.plain.format(""))
        for n, fact in enumerate(life.facts)
        if life.settled[n]
    ]
    questions += [
        (f"Do I like {hobby}?", hobby, "") for hobby, is_so in life.likes.items() if is_so
    ]
    for ask, value, _ in questions:
        hits = mind.recall(ask, of=("memory",))
        if not any(value in hit.text for hit in hits):
            losses.append(f"{ask} {value} is not found")
        losses += _over(mind, ask, life.over())
    for what in random.Random(1).sample(life.decisions, min(100, len(life.decisions))):
        if not any(what in hit.text for hit in mind.recall(f"what did we decide about {what}?")):
            losses.append(f"the decision for {what} is not found")
    for hobby, is_so in life.likes.items():
        known = [m for m in mind.memories(kind="preference", limit=1_000) if m.value == hobby]
        if known and not is_so:
            losses.append(f"{hobby} is still liked")
    return losses


def _over(mind: mnemic.Mind, ask: str, over: frozenset[str]) -> list[str]:
    """What is in the prompt for a question and no longer holds: memories, and quoted words."""
    shown = mind.context(ask)
    with mind._store.read(mind.space) as unit:
        found = [
            f"{ask}: {memory.text} ({memory.status}) is in the context"
            for section in shown.sections
            for memory in unit.memories.by_id(section.ids)
            if memory.status != "active"
        ]
    said = set(re.findall(r"[A-Za-z]+|[0-9][0-9.]*", shown.text))
    return found + [f"{ask}: {value} is in the context and no longer true" for value in said & over]


def _documents(folder: Path) -> list[str]:
    home = folder / "documents"
    sizes: dict[str, tuple[Callable[[str], int], int]] = {
        "MEMORY.md": (lambda text: len(_visible(text)), 1_500),
        "USER.md": (lambda text: len(_visible(text).encode()), 2_048),
        "Project.md": (lambda text: len(text.splitlines()), 100),
        "Insights.md": (lambda text: text.count("\n- "), 10),
    }
    return [
        f"{name} has {measure(text)}, more than {most}"
        for name, (measure, most) in sizes.items()
        if (home / name).exists()
        and measure(text := (home / name).read_text(encoding="utf-8")) > most
    ]


def _visible(text: str) -> str:
    """Without the marks that nobody sees."""
    return re.sub(r"\s*<!--.*?-->", "", text, flags=re.DOTALL)
