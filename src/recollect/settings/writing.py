"""Settings of the way in: the ledger, extraction, and what becomes of a candidate."""

from __future__ import annotations

from datetime import timedelta
from typing import Literal

from recollect.settings.section import (
    Section,
    between,
    choice,
    count,
    flag,
    number,
    ratio,
    span,
    span_or_never,
    text,
)
from recollect.settings.values import Span

Extractor = Literal["auto", "model", "rules"]
ScratchpadDriver = Literal["task", "session"]


class Ledger(Section):
    """The record of what happened; the database copy is kept for ever."""

    jsonl: bool = flag(False, "Also append every turn to one JSONL file per session.")
    jsonl_folder: str = text(
        "conversation_history", "Folder of the JSONL files, beside the database.", empty=False
    )
    jsonl_keep: timedelta | None = span_or_never(
        "30d", "Age at which a JSONL file is removed; its turns stay in the database."
    )
    max_characters: int = count(
        4_000_000,
        "Longest text one turn, with its tool calls and results, or memory may hold.",
        low=1,
    )
    max_tool_calls: int = count(1_000, "Most tool calls, or results, of one turn.", low=1)
    max_tags: int = count(100, "Most tags or sources of one record.", low=1)


class Attachments(Section):
    """Files that were sent or made in a conversation."""

    keep: timedelta | None = span_or_never(
        "never", "Age at which upkeep forgets an attachment; the file itself is never touched."
    )
    keep_linked: bool = flag(True, "Keep an attachment that a memory refers to, whatever its age.")


class Triggers(Section):
    """What sets off extraction; each one works alone."""

    on_request: bool = flag(True, 'At once when the user asks for it ("remember that", "记住").')
    per_turn: bool = flag(False, "After each message of the user.")
    per_turn_min_chars: int = count(30, "Shorter messages do not set off `per_turn`.")
    per_turn_max: int = count(5, "At most this many `per_turn` extractions a session; 0: no limit.")
    quiet_gap: timedelta | None = span_or_never("3m", "When nobody has spoken for this long.")
    buffer_tokens: int = count(6000, "When unextracted turns come near this many tokens; 0: off.")
    session_end: bool = flag(True, "When a session ends.")
    session_min_messages: int = count(3, "Shorter sessions are left to the daily sweep.", low=1)
    before_compression: bool = flag(True, "When the host is about to drop messages.")
    compression_rules: bool = flag(True, "Run the quick rules on those messages before returning.")
    daily_sweep: bool = flag(True, "With the daily upkeep, for whatever is left.")


class Extraction(Section):
    """How candidates are taken out of turns."""

    engine: Extractor = choice(
        "auto", Extractor, "Who extracts; `auto` is the model where there is one, else the rules."
    )
    batch_tokens: Span = between(
        3000, 6000, "Tokens of conversation in one call: more at once and facts get lost.", least=1
    )
    fact_chars: int = count(100, "Longest statement asked for, in characters.", low=1)
    summary_chars: int = count(200, "Longest summary of a batch, in characters.", low=1)
    tool_chars: int = count(500, "Characters of each tool result shown to the extractor.")
    default_importance: float = ratio(0.5, "Importance when the extractor gives none.")
    default_confidence: float = ratio(0.5, "Confidence when the extractor gives none.")
    rules_confidence: float = ratio(0.9, "Confidence of what the rules find.")
    asked_confidence: float = ratio(1.0, "Confidence of what the user asked to be remembered.")
    patterns: str = text("", "File or folder of your own patterns for the rules, see patterns.md.")
    repairs: int = count(1, "Times a malformed answer is given back for repair before a retry.")


class KindImportance(Section):
    """Importance of what the rules find, and guidance for the model, by kind."""

    identity: float = ratio(1.0, "Who the user is.")
    preference: float = ratio(0.8, "What the user likes.")
    rule: float = ratio(0.9, "What is always or never to be done.")
    config: float = ratio(0.8, "Versions, paths, set-ups.")
    credential: float = ratio(1.0, "Secrets kept on request.")
    fact: float = ratio(0.5, "Facts about the world of the user.")
    decision: float = ratio(0.8, "What was decided, and why.")
    skill: float = ratio(0.7, "What worked.")
    lesson: float = ratio(0.7, "What went wrong.")
    event: float = ratio(0.5, "What happened.")
    trait: float = ratio(0.6, "How the user wants the agent to be.")
    temp: float = ratio(0.2, "What matters only now.")


class Reconcile(Section):
    """What a candidate means for what is known already."""

    merge_cosine: float = ratio(0.9, "Vectors more alike than this are one memory.")
    merge_overlap: float = ratio(0.9, "The same by shared words, where there are no vectors.")
    neighbours: int = count(5, "Known memories a candidate is compared with.", low=1)
    repeat_gain: float = ratio(0.05, "What confidence gains when the same is said again.")
    conflict_recency: float = ratio(0.5, "Weight of the newer side in a conflict.")
    conflict_confirmations: float = ratio(0.5, "Weight of the side confirmed more often.")


class Routing(Section):
    """Where a candidate goes by its confidence; what falls below both is dropped, with an event."""

    write: float = ratio(0.85, "From here on it is written.")
    pending: float = ratio(0.60, "From here on it is put to the user first.")


class Pending(Section):
    """Candidates that wait for the user's word."""

    offer: Span = between(1, 3, "How many are offered at the end of a reply.")
    cooldown: timedelta = span("1d", 'How long "later" keeps one from being offered again.')
    expire: timedelta | None = span_or_never("never", "Age at which an unanswered one lapses.")


class Jobs(Section):
    """The durable queue of background work."""

    max_attempts: int = count(3, "Tries before a job is put aside as dead.", low=1)
    backoff_first: timedelta = span("30s", "Wait before the second try.")
    backoff_factor: float = number(2.0, "Each further wait is this many times longer.", low=1)
    backoff_max: timedelta = span("1h", "Longest wait between two tries.")
    lease: timedelta = span("5m", "How long a worker holds a job before another may take it.")
    batch: int = count(10, "Jobs taken from the queue at a time.", low=1)
    poll: timedelta = span("1s", "How often an idle worker looks for work.")


class Episodes(Section):
    """The stories of sessions."""

    summary_chars: int = count(200, "Length of an episode's summary, in characters.", low=1)
    result_chars: int = count(100, "Length of a tool result in an action node.", low=1)
    default_importance: float = ratio(0.5, "Importance when nobody judged it.")


class Scratchpad(Section):
    """What the agent is working on."""

    driver: ScratchpadDriver = choice(
        "task", ScratchpadDriver, "Kept by the current task each turn, or written at session end."
    )
    max_chars: int = count(2000, "Length of the scratchpad, in characters.", low=1)
    completions: int = count(5, "Finished tasks kept on it, each with its time.")
    task_chars: int = count(120, "Length of a task on it, in characters.", low=1)
    same_topic: float = ratio(
        0.2, "Share of its telling words a message has in common with the task it goes on with."
    )
