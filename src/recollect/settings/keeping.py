"""Settings of what lasts: lifetimes, decay, capacity, upkeep, events."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from math import log
from typing import ClassVar, Literal

from recollect.settings.codecs import Codec, Conditions, Cron, HalfLife, Zone
from recollect.settings.section import (
    Section,
    choice,
    count,
    custom,
    flag,
    group,
    life,
    names,
    ratio,
    span_or_never,
    table,
    text,
)
from recollect.settings.values import Condition, Table

ClassName = Literal["never", "slow", "medium", "fast"]
Priority = Literal["transient", "short_term", "long_term", "permanent"]
Overflow = Literal["archive", "delete"]
DailyStep = Literal[
    "queue",
    "turns",
    "events",
    "dedup",
    "decay",
    "expiry",
    "attachments",
    "capacity",
    "documents",
    "identity",
    "report",
]
WeeklyStep = Literal["merge", "core", "decay"]
RuleAction = Literal[
    "extract",
    "consolidate",
    "episode",
    "notify",
    "daily",
    "weekly",
    "queue",
    "turns",
    "events",
    "dedup",
    "decay",
    "expiry",
    "attachments",
    "capacity",
    "documents",
    "identity",
    "merge",
    "core",
]
RuleMode = Literal["auto", "ask"]
Risk = Literal["low", "medium", "high"]

Lived = timedelta | str | None


class KindLives(Section):
    """How long each kind lives when nobody says otherwise."""

    identity: Lived = life("permanent", "Who the user is.")
    preference: Lived = life("permanent", "What the user likes.")
    rule: Lived = life("permanent", "A rule of behaviour.")
    task_rule: Lived = life("24h", "A rule for the task at hand.")
    config: Lived = life("permanent", "Versions, paths, set-ups.")
    credential: Lived = life("permanent", "Secrets kept on request.")
    fact: Lived = life("extractor", "Facts about the world of the user.")
    decision: Lived = life("365d", "What was decided, and why.")
    skill: Lived = life("permanent", "What worked.")
    lesson: Lived = life("7d", "What went wrong.")
    event: Lived = life("30d", "What happened.")
    trait: Lived = life("permanent", "How the user wants the agent to be.")
    temp: Lived = life("1d", "What matters only now.")


class Lifetimes(Section):
    """When memories expire; an expired one comes back from no search."""

    transient: timedelta | None = span_or_never("1d", "Life of a transient memory.")
    short_term: timedelta | None = span_or_never("3d", "Life of a short-term memory.")
    long_term: timedelta | None = span_or_never("30d", "Life of a long-term memory.")
    kinds: KindLives = group(KindLives)


class DecayClass(Section):
    """How fast memories of a class fade; score = importance x (floor + (1 - floor) x fading)."""

    spellings: ClassVar[Mapping[str, tuple[str, Codec]]] = {
        "rate": ("half_life", HalfLife(compound=False)),
        "daily_loss": ("half_life", HalfLife(compound=True)),
    }

    half_life: timedelta | None = span_or_never(
        "never",
        "Time since last use in which half fades. Or say `rate`, for e^(-rate x days), "
        "or `daily_loss`, for (1 - daily_loss)^days.",
    )
    floor: float = ratio(0.0, "Share of the importance that never fades.")
    archive_below: float = ratio(0.0, "Scores below this are archived.")

    @property
    def rate(self) -> float:
        """The constant of ``e^(-rate x days)``; 0 for what never fades."""
        return log(2) / (self.half_life / timedelta(days=1)) if self.half_life else 0.0


class KindClasses(Section):
    """The decay class of each kind."""

    identity: ClassName = choice("never", ClassName, "Who the user is.")
    preference: ClassName = choice("never", ClassName, "What the user likes.")
    rule: ClassName = choice("never", ClassName, "What is always or never to be done.")
    config: ClassName = choice("never", ClassName, "Versions, paths, set-ups.")
    credential: ClassName = choice("never", ClassName, "Secrets kept on request.")
    fact: ClassName = choice("medium", ClassName, "Facts about the world of the user.")
    decision: ClassName = choice("slow", ClassName, "What was decided, and why.")
    skill: ClassName = choice("slow", ClassName, "What worked.")
    lesson: ClassName = choice("slow", ClassName, "What went wrong.")
    event: ClassName = choice("medium", ClassName, "What happened.")
    trait: ClassName = choice("never", ClassName, "How the user wants the agent to be.")
    temp: ClassName = choice("fast", ClassName, "What matters only now.")


class Decay(Section):
    """How memories fade with the days since they were last used."""

    priorities: tuple[Priority, ...] = names(
        ("transient", "short_term", "long_term", "permanent"),
        Priority,
        "Priorities whose faded memories are deleted, archived or demoted.",
    )
    slow: DecayClass = group(DecayClass, half_life="180d", floor=0.3)
    medium: DecayClass = group(DecayClass, half_life="30d", floor=0.1)
    fast: DecayClass = group(DecayClass, half_life="7d", archive_below=0.01)
    kinds: KindClasses = group(KindClasses)
    archive_accesses: int = count(
        0, "Uses that keep a faded memory from being archived; 0: none do."
    )
    delete_below: float = ratio(0.0, "Faded below this it is deleted; 0: never.")
    demote_below: float = ratio(0.0, "Faded below this it becomes transient; 0: never.")


class Capacity(Section):
    """How much is kept."""

    core: int = count(100, "Memories of tier 1, the core that is always in the prompt.", low=1)
    knowledge: int = count(2000, "Memories of tier 2 that are aimed for.", low=1)
    knowledge_max: int = count(5000, "Memories of tier 2 after compression, at most.", low=1)
    total: int = count(100_000, "Memories in all; above it the least valuable go; 0: no limit.")
    overflow: Overflow = choice("archive", Overflow, "What happens to those that go.")


class Schedule(Section):
    """When upkeep runs."""

    daily: str = custom("0 3 * * *", Cron(), "The daily work.")
    weekly: str = custom("0 4 * * 1", Cron(), "The weekly work.")
    zone: str = custom("local", Zone(), 'Zone of these times, and of what "yesterday" means.')
    catch_up: bool = flag(True, "Run at the next start what was missed.")


class Upkeep(Section):
    """What the daily and weekly work does; the order of steps is fixed."""

    daily: tuple[DailyStep, ...] = names(
        (
            "queue",
            "turns",
            "events",
            "dedup",
            "decay",
            "expiry",
            "attachments",
            "capacity",
            "documents",
            "identity",
            "report",
        ),
        DailyStep,
        "Steps of the daily work.",
    )
    weekly: tuple[WeeklyStep, ...] = names(
        ("merge", "core", "decay"), WeeklyStep, "Steps of the weekly work."
    )
    longest_gap: timedelta | None = span_or_never(
        "365d",
        "After a longer gap in what was recorded, what goes by age waits until the time has held"
        " for a day: the clock may have jumped.",
    )
    cluster_distance: float = ratio(0.15, "Memories nearer than this are one cluster.")
    core_importance: float = ratio(0.7, "Importance from which a memory may enter the core.")


class EventRule(Section):
    """What happens when an event passes its tests."""

    enabled: bool = flag(True, "Whether the rule is in force.")
    event: str = text("", "The event it waits for.")
    when: tuple[Condition, ...] = custom((), Conditions(), "Tests that must all hold.")
    actions: tuple[RuleAction, ...] = names((), RuleAction, "What runs then, in order.")
    mode: RuleMode = choice("auto", RuleMode, "Run it, or ask first.")
    risk: Risk = choice("low", Risk, "How much harm it could do.")


class Events(Section):
    """Events on the bus and the rules that answer them."""

    rules: Table[EventRule] = table(EventRule, "Rules, by name.")
