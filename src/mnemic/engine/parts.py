"""The parts that are imported when they are first used, as ``parts.pending.PendingQueue``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mnemic.late import load

if TYPE_CHECKING:
    from mnemic.context import build, sources
    from mnemic.documents import cards, library, onboarding
    from mnemic.documents import erasure as document_erasure
    from mnemic.documents.fallback import erasure as fallback_erasure
    from mnemic.documents.fallback import importer as fallback_importer
    from mnemic.engine import off
    from mnemic.forget import erasure
    from mnemic.health import audit, doctor, metrics
    from mnemic.index import batches, live_tables, segment
    from mnemic.learn import (
        advice, bulk_writer, compression, disown, episode_writer, extraction, extractors,
        items, memory_reader, memory_writer, pending, reconciler, rollback, scratchpads,
        session_end, session_state, voices, window_summary,
    )  # fmt: skip
    from mnemic.providers.chat import base as chat
    from mnemic.providers.chat import budget as chat_budget
    from mnemic.recall import engine as recall
    from mnemic.recall import vectors
    from mnemic.record import attachments, daily_events, recorder, short_term
    from mnemic.sync import devices, steps
    from mnemic.upkeep import bus, upkeep, work

_FOLDERS = {
    "context": "build sources",
    "documents": "cards library onboarding",
    "engine": "off",
    "forget": "erasure",
    "health": "audit doctor metrics",
    "index": "batches live_tables segment",
    "learn": "advice bulk_writer compression disown episode_writer extraction extractors items"
    " memory_reader memory_writer pending reconciler rollback scratchpads session_end session_state"
    " voices window_summary",
    "recall": "vectors",
    "record": "attachments daily_events recorder short_term",
    "sync": "devices steps",
    "upkeep": "bus upkeep work",
}
_HOMES = {
    "document_erasure": "documents.erasure",
    "fallback_erasure": "documents.fallback.erasure",
    "fallback_importer": "documents.fallback.importer",
    "recall": "recall.engine",
    "chat": "providers.chat.base",
    "chat_budget": "providers.chat.budget",
    **{name: f"{folder}.{name}" for folder, all in _FOLDERS.items() for name in all.split()},
}


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module = globals()[name] = load(f"mnemic.{_HOMES[name]}")
    return module
