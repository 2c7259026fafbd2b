"""Settings of learning: the ledger, extraction, and what becomes of a candidate."""

from datetime import timedelta
from typing import Literal

from mnemic.settings.group import SettingsGroup, ratio, setting
from mnemic.settings.values import Place, Span

Extractor = Literal["auto", "model", "rules"]
ScratchpadDriver = Literal["task", "session"]


class LedgerSettings(SettingsGroup):
    """The record of what happened; the database copy is kept for ever."""

    jsonl: bool = False
    jsonl_folder: Place = setting("conversation_history", empty=False)
    jsonl_keep: timedelta | None = setting("30d")
    max_characters: int = setting(4_000_000, low=1)


class AttachmentSettings(SettingsGroup):
    """Files that were sent or made in a conversation."""

    keep: timedelta | None = setting("never")


class TriggerSettings(SettingsGroup):
    """What sets off extraction; each one works alone."""

    on_request: bool = True
    per_turn: bool = False
    per_turn_min_chars: int = 30
    per_turn_max: int = 5
    quiet_gap: timedelta | None = setting("3m")
    on_drain: bool = True
    buffer_tokens: int = 6000
    session_end: bool = True
    session_min_messages: int = setting(1, low=1)
    before_compression: bool = True
    compression_rules: bool = True
    daily_sweep: bool = True


class ExtractionSettings(SettingsGroup):
    """How candidates are taken out of turns."""

    engine: Extractor = "auto"
    batch_tokens: Span = setting((3000, 6000), low=1)
    fact_chars: int = setting(300, low=40)
    stories: bool = True
    patterns: Place = ""
    keep: float = ratio(0.5)


class ReconcileSettings(SettingsGroup):
    """What a candidate means for what is known already."""

    merge_cosine: float = ratio(0.9)
    merge_overlap: float = ratio(0.9)
    judge: bool = True


class RoutingSettings(SettingsGroup):
    """Where a candidate goes by its confidence; what falls below both is dropped, with an event."""

    write: float = ratio(0.85)
    pending: float = ratio(0.60)


class PendingSettings(SettingsGroup):
    """Candidates that wait for the user's word."""

    offer: int = 3
    cooldown: timedelta = setting("1d")
    expire: timedelta | None = setting("never")


class JobSettings(SettingsGroup):
    """The durable queue of background work."""

    max_attempts: int = setting(3, low=1)
    backoff_first: timedelta = setting("30s")
    backoff_max: timedelta = setting("1h")
    lease: timedelta = setting("5m")
    poll: timedelta = setting("1s")


class ScratchpadSettings(SettingsGroup):
    """What the agent is working on."""

    driver: ScratchpadDriver = "task"
    max_chars: int = setting(2000, low=1)
    progress: bool = False
