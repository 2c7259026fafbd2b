"""Settings of learning: the ledger, extraction, and what becomes of a candidate."""

from datetime import timedelta
from typing import Literal

from mnemic.settings.group import SettingsGroup, ratio, setting
from mnemic.settings.values import Place, Span

Extractor = Literal["auto", "model", "rules"]
ScratchpadDriver = Literal["task", "session"]


class LedgerSettings(SettingsGroup):
    """The record of what happened; the database copy is kept for ever."""

    jsonl: bool = setting(False, "Also append every turn to one JSONL file per session.")
    jsonl_folder: Place = setting(
        "conversation_history", "Folder of the JSONL files, beside the database.", empty=False
    )
    jsonl_keep: timedelta | None = setting(
        "30d", "Age at which a JSONL file is removed; its turns stay in the database."
    )
    max_characters: int = setting(
        4_000_000,
        "Longest text one turn, with its tool calls and results, or memory may hold.",
        low=1,
    )


class AttachmentSettings(SettingsGroup):
    """Files that were sent or made in a conversation."""

    keep: timedelta | None = setting(
        "never",
        "Age at which upkeep forgets an attachment that nobody described and no memory is linked"
        " with; the file itself is never touched.",
    )


class TriggerSettings(SettingsGroup):
    """What sets off extraction; each one works alone."""

    on_request: bool = setting(True, 'At once when the user asks for it ("remember that", "记住").')
    per_turn: bool = setting(False, "After each message of the user.")
    per_turn_min_chars: int = setting(30, "Shorter messages do not set off `per_turn`.")
    per_turn_max: int = setting(
        5, "At most this many `per_turn` extractions a session; 0: no limit."
    )
    quiet_gap: timedelta | None = setting("3m", "When nobody has spoken for this long.")
    on_drain: bool = setting(True, "When `drain()` is called, without waiting for `quiet_gap`.")
    buffer_tokens: int = setting(6000, "When unextracted turns come near this many tokens; 0: off.")
    session_end: bool = setting(True, "When a session ends.")
    session_min_messages: int = setting(1, "Shorter sessions are left to the daily sweep.", low=1)
    before_compression: bool = setting(True, "When the host is about to drop messages.")
    compression_rules: bool = setting(
        True, "Run the quick rules on those messages before returning."
    )
    daily_sweep: bool = setting(True, "With the daily upkeep, for whatever is left.")


class ExtractionSettings(SettingsGroup):
    """How candidates are taken out of turns."""

    engine: Extractor = setting(
        "auto", "Who extracts; `auto` is the model where there is one, else the rules."
    )
    batch_tokens: Span = setting(
        (3000, 6000), "Tokens of conversation in one call: more at once and facts get lost.", low=1
    )
    fact_chars: int = setting(
        300, "Longest statement a model is asked for: room for a decision and its reason.", low=40
    )
    stories: bool = setting(True, "Whether a model tells the episodes; else the rules do.")
    patterns: Place = setting(
        "", "File or folder of your own patterns for the rules, see patterns.md."
    )
    keep: float = ratio(
        0.5,
        "A sentence that no pattern reads is kept as it was said where the reader finds it worth"
        " keeping with this probability, a plan for a day with 0.4 of it; 1: never.",
    )


class ReconcileSettings(SettingsGroup):
    """What a candidate means for what is known already."""

    merge_cosine: float = ratio(0.9, "Vectors more alike than this are one memory.")
    merge_overlap: float = ratio(0.9, "The same by shared words, where there are no vectors.")
    judge: bool = setting(True, "Whether a model is asked where two statements may meet.")


class RoutingSettings(SettingsGroup):
    """Where a candidate goes by its confidence; what falls below both is dropped, with an event."""

    write: float = ratio(0.85, "From here on it is written.")
    pending: float = ratio(0.60, "From here on it is put to the user first.")


class PendingSettings(SettingsGroup):
    """Candidates that wait for the user's word."""

    offer: int = setting(3, "How many are offered at the end of a reply.")
    cooldown: timedelta = setting("1d", 'How long "later" keeps one from being offered again.')
    expire: timedelta | None = setting("never", "Age at which an unanswered one lapses.")


class JobSettings(SettingsGroup):
    """The durable queue of background work."""

    max_attempts: int = setting(3, "Tries before a job is put aside as dead.", low=1)
    backoff_first: timedelta = setting("30s", "Wait before the second try.")
    backoff_max: timedelta = setting("1h", "Longest wait between two tries.")
    lease: timedelta = setting("5m", "How long a worker holds a job before another may take it.")
    poll: timedelta = setting("1s", "How often an idle worker looks for work.")


class ScratchpadSettings(SettingsGroup):
    """What the agent is working on."""

    driver: ScratchpadDriver = setting(
        "task", "Kept by the current task each turn, or written at session end."
    )
    max_chars: int = setting(2000, "Length of the scratchpad, in characters.", low=1)
    progress: bool = setting(
        False, "Whether prompts show finished tasks and projects beside what is to be done."
    )
