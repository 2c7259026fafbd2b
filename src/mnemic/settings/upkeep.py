"""Settings of upkeep: lifetimes, decay, capacity, the schedule, events."""

from collections.abc import Mapping
from datetime import timedelta
from typing import ClassVar, Literal, get_args

from mnemic.settings import sorts
from mnemic.settings.group import SettingsGroup, ratio, setting
from mnemic.settings.values import Condition, Cron, Life, Place, Table, ZoneName

ClassName = Literal["never", "slow", "medium", "fast"]
Priority = Literal["transient", "short_term", "long_term", "permanent"]
PRIORITIES: tuple[Priority, ...] = get_args(Priority)
Overflow = Literal["archive", "delete"]
DailyStep = Literal[
    "queue", "turns", "events", "dedup", "decay", "expiry", "attachments", "capacity",
    "documents", "identity", "report",
]  # fmt: skip
WeeklyStep = Literal["merge", "rewrite", "core", "profile", "decay"]
CoreChoice = Literal["important", "profile", "document", "rules"]
RuleAction = Literal[
    "extract", "consolidate", "episode", "notify", "daily", "weekly", "queue", "turns",
    "events", "dedup", "decay", "expiry", "attachments", "capacity", "documents", "identity",
    "merge", "rewrite", "core", "profile",
]  # fmt: skip
RuleMode = Literal["auto", "ask"]
Risk = Literal["low", "medium", "high"]


class LifetimeSettings(SettingsGroup):
    """When memories expire; an expired one comes back from no search."""

    transient: timedelta | None = setting("1d", "Life of a transient memory.")
    short_term: timedelta | None = setting("3d", "Life of a short-term memory.")
    long_term: timedelta | None = setting("30d", "Life of a long-term memory.")
    kinds: Table[Life] = setting(
        {
            "identity": "permanent",
            "preference": "permanent",
            "rule": "permanent",
            "task_rule": "24h",
            "config": "permanent",
            "credential": "permanent",
            "fact": "extractor",
            "decision": "365d",
            "skill": "permanent",
            "lesson": "7d",
            "event": "30d",
            "trait": "permanent",
            "temp": "1d",
        },
        "Life of each kind when nobody says otherwise; `task_rule`: a rule for the task at hand.",
        closed=True,
    )


class DecayClass(SettingsGroup):
    """How fast memories of a class fade; score = importance x (floor + (1 - floor) x fading)."""

    spellings: ClassVar[Mapping[str, tuple[str, sorts.Sort]]] = {
        "rate": ("half_life", sorts.half_life(compound=False)),
        "daily_loss": ("half_life", sorts.half_life(compound=True)),
    }

    half_life: timedelta | None = setting(
        "never",
        "Time since last use in which half fades. Or say `rate`, for e^(-rate x days), "
        "or `daily_loss`, for (1 - daily_loss)^days.",
    )
    floor: float = ratio(0.0, "Share of the importance that never fades.")
    archive_below: float = ratio(0.0, "Scores below this are archived.")


class DecaySettings(SettingsGroup):
    """How memories fade with the days since they were last used."""

    priorities: tuple[Priority, ...] = setting(
        ("transient", "short_term", "long_term", "permanent"),
        "Priorities whose faded memories are deleted, archived or demoted.",
    )
    slow: DecayClass = DecayClass(half_life=timedelta(days=180), floor=0.3)
    medium: DecayClass = DecayClass(half_life=timedelta(days=30), floor=0.1)
    fast: DecayClass = DecayClass(half_life=timedelta(days=7), archive_below=0.01)
    kinds: Table[ClassName] = setting(
        {
            "identity": "never",
            "preference": "never",
            "rule": "never",
            "config": "never",
            "credential": "never",
            "fact": "medium",
            "decision": "slow",
            "skill": "slow",
            "lesson": "slow",
            "event": "medium",
            "trait": "never",
            "temp": "fast",
        },
        "The class that each kind fades by.",
        closed=True,
    )
    archive_accesses: int = setting(
        0, "Uses that keep a faded memory from being archived; 0: none do."
    )
    delete_below: float = ratio(0.0, "Faded below this it is deleted; 0: never.")
    demote_below: float = ratio(0.0, "Faded below this it becomes transient; 0: never.")


class CapacitySettings(SettingsGroup):
    """How much is kept."""

    core: int = setting(100, "Memories of tier 1, the core that is always in the prompt.", low=1)
    knowledge: int = setting(2000, "Memories of tier 2 that are aimed for.", low=1)
    knowledge_max: int = setting(5000, "Memories of tier 2 after compression, at most.", low=1)
    total: int = setting(100_000, "Memories in all; above it the least valuable go; 0: no limit.")
    overflow: Overflow = setting("archive", "What happens to those that go.")


class ScheduleSettings(SettingsGroup):
    """When upkeep runs."""

    daily: Cron = setting("0 3 * * *", "The daily work.")
    weekly: Cron = setting("0 4 * * 1", "The weekly work.")
    zone: ZoneName = setting("local", "Zone of these times and of days, for turns that state none.")
    catch_up: bool = setting(True, "Run at the next start what was missed.")


class UpkeepSettings(SettingsGroup):
    """What the daily and weekly work does; the order of steps is fixed."""

    daily: tuple[DailyStep, ...] = setting(get_args(DailyStep), "Steps of the daily work.")
    weekly: tuple[WeeklyStep, ...] = setting(
        ("merge", "core", "decay"),
        "Steps of the weekly work; `rewrite` and `profile` are `merge` and `core` by a model.",
    )
    longest_gap: timedelta | None = setting(
        "365d",
        "After a longer gap in what was recorded, what goes by age waits until the time has held"
        " for a day: the clock may have jumped.",
    )
    cluster_distance: float = ratio(0.15, "Memories nearer than this are one cluster.")
    core_importance: float = ratio(0.7, "Importance from which a memory may enter the core.")
    core_choice: CoreChoice = setting(
        "important",
        "The core of every prompt: the most important memories; identity and config; the lines of"
        " the memory document; or nothing but the rules, which are part of each of them.",
    )
    report_folder: Place = setting(
        "daily_summaries", "Folder of the daily reports, beside the database.", empty=False
    )


class BackupSettings(SettingsGroup):
    """A copy of the database, made with the daily work."""

    folder: Place = setting(
        "", "Folder of the copies, beside the database or absolute; empty: none are made."
    )
    keep: int = setting(7, "Copies that are kept; the oldest go.", low=1)


class SyncSettings(SettingsGroup):
    """Exchange with other devices through a folder; `mnemic sync FOLDER` pairs them first."""

    folder: Place = setting("", "The folder; empty: nothing is exchanged in the background.")
    every: Cron = setting("*/15 * * * *", "When, as five cron fields.")


class EventRule(SettingsGroup):
    """What happens when an event passes its tests."""

    enabled: bool = setting(True, "Whether the rule is in force.")
    event: str = setting(
        "", "The event it waits for, several with `|` between them; `host.NAME` is the host's own."
    )
    when: tuple[Condition, ...] = setting((), "Tests that must all hold.")
    actions: tuple[str, ...] = setting(
        (),
        "What runs then, in order; `call:NAME` is a function of the host, given as `actions=`.",
        options=RuleAction,
        free="call:",
    )
    mode: RuleMode = setting("auto", "Run it, or ask first.")
    risk: Risk = setting("low", "How much harm it could do.")


class EventSettings(SettingsGroup):
    """Events on the bus and the rules that answer them."""

    rules: Table[EventRule] = setting({}, "Rules, by name.")
