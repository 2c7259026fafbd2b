"""Mnemic: long-term memory for LLM agents, in one SQLite file."""

from __future__ import annotations

from mnemic.errors import (
    BadAnswer,
    BadVector,
    BudgetExhausted,
    Closed,
    ConfigError,
    Conflict,
    DeadlineReached,
    DiskFull,
    Forbidden,
    InvalidInput,
    MemoryOff,
    MissingExtra,
    MnemicError,
    ModelError,
    ModelRateLimited,
    ModelRefused,
    ModelSuspended,
    ModelUnavailable,
    NotADatabase,
    NotFound,
    QuotaExceeded,
    RateLimited,
    SchemaTooNew,
    ServiceError,
    ServiceUnavailable,
    StoreBusy,
    StoreDamaged,
    StoreError,
    StoreReadOnly,
    StoreReplaced,
    StoreUnavailable,
    SyncRefused,
    TooLarge,
    Unauthorized,
    WrongKey,
)

TYPE_CHECKING = False  # importing typing for it would be most of this import's time
if TYPE_CHECKING:
    from mnemic.engine.aio import AsyncEngine, AsyncMind, connect_async, open_async
    from mnemic.engine.mind import Mind
    from mnemic.engine.open import Engine, connect, open
    from mnemic.engine.session import Session
    from mnemic.store.quota import Quota
    from mnemic.types import (
        Candidate,
        Context,
        Decision,
        EmbeddingModel,
        Episode,
        Event,
        Evidence,
        Hit,
        LanguageModel,
        Memory,
        Message,
        ModelOutput,
        NewDailyEvent,
        NewEpisode,
        NewMemory,
        NewTurn,
        RolledBack,
        Scratchpad,
        ToolCall,
        ToolResult,
        Turn,
        VectorBackend,
    )

__version__ = "0.1.0"

__all__ = [
    "AsyncEngine", "AsyncMind", "BadAnswer", "BadVector", "BudgetExhausted", "Candidate", "Closed",
    "ConfigError", "Conflict", "Context", "DeadlineReached", "Decision", "DiskFull",
    "EmbeddingModel", "Engine", "Episode", "Event", "Evidence", "Forbidden", "Hit", "InvalidInput",
    "LanguageModel", "Memory", "MemoryOff", "Message", "Mind", "MissingExtra", "MnemicError",
    "ModelError", "ModelOutput", "ModelRateLimited", "ModelRefused", "ModelSuspended",
    "ModelUnavailable", "NewDailyEvent", "NewEpisode", "NewMemory", "NewTurn", "NotADatabase",
    "NotFound", "Quota", "QuotaExceeded", "RateLimited", "RolledBack", "SchemaTooNew", "Scratchpad",
    "ServiceError", "ServiceUnavailable", "Session", "StoreBusy", "StoreDamaged", "StoreError",
    "StoreReadOnly", "StoreReplaced", "StoreUnavailable", "SyncRefused", "TooLarge", "ToolCall",
    "ToolResult", "Turn", "Unauthorized", "VectorBackend", "WrongKey", "connect", "connect_async",
    "open", "open_async",
]  # fmt: skip

# Entered on demand: the command must answer --help before the engine or asyncio is loaded. What is
# not listed here is a value of mnemic.types.
_MODULES = {
    "mnemic.engine.aio": ("AsyncEngine", "AsyncMind", "connect_async", "open_async"),
    "mnemic.engine.mind": ("Mind",),
    "mnemic.engine.open": ("Engine", "connect", "open"),
    "mnemic.store.quota": ("Quota",),
    "mnemic.engine.session": ("Session",),
}
_HOMES = {name: module for module, names in _MODULES.items() for name in names}


def __getattr__(name: str) -> object:
    """Fetch a public name from its module the first time it is used."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from mnemic.late import load

    value: object = getattr(load(_HOMES.get(name, "mnemic.types")), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
