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

    transient: timedelta | None = setting("1d")
    short_term: timedelta | None = setting("3d")
    long_term: timedelta | None = setting("30d")
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
        closed=True,
    )


class DecayClass(SettingsGroup):
    """How fast memories of a class fade; score = importance x (floor + (1 - floor) x fading)."""

    spellings: ClassVar[Mapping[str, tuple[str, sorts.Sort]]] = {
        "rate": ("half_life", sorts.half_life(compound=False)),
        "daily_loss": ("half_life", sorts.half_life(compound=True)),
    }

    half_life: timedelta | None = setting("never")
    floor: float = ratio(0.0)
    archive_below: float = ratio(0.0)


class DecaySettings(SettingsGroup):
    """How memories fade with the days since they were last used."""

    priorities: tuple[Priority, ...] = ("transient", "short_term", "long_term", "permanent")
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
        closed=True,
    )
    archive_accesses: int = 0
    delete_below: float = ratio(0.0)
    demote_below: float = ratio(0.0)


class CapacitySettings(SettingsGroup):
    """How much is kept."""

    core: int = setting(100, low=1)
    knowledge: int = setting(2000, low=1)
    knowledge_max: int = setting(5000, low=1)
    total: int = 100_000
    overflow: Overflow = "archive"


class ScheduleSettings(SettingsGroup):
    """When upkeep runs."""

    daily: Cron = "0 3 * * *"
    weekly: Cron = "0 4 * * 1"
    zone: ZoneName = "local"
    catch_up: bool = True


class UpkeepSettings(SettingsGroup):
    """What the daily and weekly work does; the order of steps is fixed."""

    daily: tuple[DailyStep, ...] = get_args(DailyStep)
    weekly: tuple[WeeklyStep, ...] = ("merge", "core", "decay")
    longest_gap: timedelta | None = setting("365d")
    cluster_distance: float = ratio(0.15)
    core_importance: float = ratio(0.7)
    core_choice: CoreChoice = "important"
    report_folder: Place = setting("daily_summaries", empty=False)


class BackupSettings(SettingsGroup):
    """A copy of the database, made with the daily work."""

    folder: Place = ""
    keep: int = setting(7, low=1)


class SyncSettings(SettingsGroup):
    """Exchange with other devices through a folder; `mnemic sync FOLDER` pairs them first."""

    folder: Place = ""
    every: Cron = "*/15 * * * *"


class EventRule(SettingsGroup):
    """What happens when an event passes its tests."""

    enabled: bool = True
    event: str = ""
    when: tuple[Condition, ...] = ()
    actions: tuple[str, ...] = setting((), options=RuleAction, free="call:")
    mode: RuleMode = "auto"
    risk: Risk = "low"


class EventSettings(SettingsGroup):
    """Events on the bus and the rules that answer them."""

    rules: Table[EventRule] = setting({})
