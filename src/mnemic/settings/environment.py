"""Settings of the environment: documents, models, storage, trust, the tools of a host."""

from datetime import timedelta
from typing import Literal, get_args

from mnemic.settings.group import SettingsGroup, ratio, setting
from mnemic.settings.plugins import CHAT, EMBEDDING
from mnemic.settings.values import Inside, Place, Secret, Table, Url

Language = Literal["auto", "zh", "en"]
LANGUAGES = tuple(name for name in get_args(Language) if name != "auto")
DocumentName = Literal["memory", "user", "project", "insights", "persona"]
RemovedBullet = Literal["ask", "archive"]
ChatProvider = Literal["none", "openai", "anthropic", "ollama", "dashscope"]
ModelProvider = Literal["chat", "none", "openai", "anthropic", "ollama", "dashscope"]
Embedder = Literal["none", "auto", "local", "folder", "openai", "dashscope", "ollama"]
Vectors = Literal["auto", "sqlite-vec", "chromadb", "none"]
SourceName = Literal["owner", "agent", "tool", "external"]
AtWrite = Literal["redact", "keep"]
PersonalNumber = Literal["card", "identity_card", "iban", "passport"]
ToolName = Literal[
    "search_memory", "search_conversation_traces", "add_memory", "record_turns",
    "list_memories", "get_memory", "edit_memory", "archive_memory", "restore_memory",
    "delete_memory", "forget", "get_memory_stats", "list_pending", "confirm_memory",
    "ignore_memory", "later_memory", "read_scratchpad", "update_scratchpad",
]  # fmt: skip
DOCUMENT_BYTES = 1_000_000  # a larger file is no document that people read: it is left alone


class OwnKindSettings(SettingsGroup):
    """A kind of memory of your own; it fades as a fact does."""

    importance: float = ratio(0.5)
    life: timedelta | None = setting("never")


class MemorySettings(SettingsGroup):
    """The main switch, the plain files that answer while it is off, and kinds of your own."""

    enabled: bool = True
    language: Language = "auto"
    fallback_folder: Place = setting("memory", empty=False)
    kinds: Table[OwnKindSettings] = setting({})


class DocumentSettings(SettingsGroup):
    """The markdown files people read and edit."""

    write: tuple[DocumentName, ...] = ("memory", "user", "project", "insights")
    folder: Place = setting("documents", empty=False)
    take_edits: bool = True
    removed_bullet: RemovedBullet = "ask"
    onboarding: bool = False
    memory_file: Inside = "MEMORY.md"
    memory_chars: int = setting(1500, low=1)
    memory_per_kind: int = setting(5, low=1)
    user_file: Inside = "USER.md"
    user_bytes: int = setting(2048, low=1)
    project_file: Inside = "Project.md"
    project_lines: int = setting(100, low=1)
    insights_file: Inside = "Insights.md"
    insights_items: int = setting(10, low=1)
    persona_file: Inside = "persona.md"


class IdentitySettings(SettingsGroup):
    """Sources people write, and the short cards made of them."""

    compile: bool = True
    agent_file: Inside = "AGENT.md"


class ModelPrice(SettingsGroup):
    """What a model costs, for a million tokens."""

    input: float = 0.0
    output: float = 0.0


class ChatSettings(SettingsGroup):
    """The host's main model; the memory model borrows from it what it does not have."""

    provider: str = setting("none", options=ChatProvider, plugins=CHAT)
    name: str = ""
    api_key: Secret = setting("")
    base_url: Url = ""
    max_tokens: int = setting(4096, low=1)


class ModelSettings(SettingsGroup):
    """The model that does the work of memory; without one the rules do it."""

    provider: str = setting("chat", options=ModelProvider, plugins=CHAT)
    name: str = ""
    api_key: Secret = setting("")
    base_url: Url = ""
    max_tokens: int = 0
    temperature: float = setting(0.3, high=2)
    timeout: timedelta = setting("60s")
    daily_tokens: int = 0
    daily_cost: float = 0.0
    prices: Table[ModelPrice] = setting({})


class EmbeddingSettings(SettingsGroup):
    """Vectors of texts."""

    provider: str = setting("auto", options=Embedder, plugins=EMBEDDING)
    model: str = ""
    folder: Place = ""
    dimensions: int = 0
    api_key: Secret = setting("")
    base_url: Url = ""
    timeout: timedelta = setting("10s")
    query_timeout: timedelta = setting("2s")
    batch: int = setting(64, low=1)
    cache_entries: int = 1000


class IndexSettings(SettingsGroup):
    """How text and vectors are indexed."""

    vectors: Vectors = "auto"


class StoreSettings(SettingsGroup):
    """The database."""

    busy_timeout: timedelta = setting("60s")
    pool_size: int = setting(20, low=2)
    connect_timeout: timedelta = setting("60s")
    statement_timeout: timedelta | None = setting("never")
    replica: Secret = setting("")
    replica_lag: timedelta = setting("10s")
    key_file: Place = ""


class TrustSettings(SettingsGroup):
    """Who said it, and what follows; what tools and outsiders say never becomes core unasked."""

    owners: tuple[str, ...] = ()
    quarantine: tuple[SourceName, ...] = ("external",)
    suppress_echo: bool = True


class SecretSettings(SettingsGroup):
    """Passwords and keys found in what is said."""

    at_write: AtWrite = "redact"
    key: Secret = setting("")
    key_file: Place = setting("mnemic.key", empty=False)
    personal_numbers: tuple[PersonalNumber, ...] = ("card",)


class ToolSettings(SettingsGroup):
    """The tools that a host gives to its model."""

    offered: tuple[ToolName, ...] = ()
    answer_pending: bool = False
    results: int = setting(5, low=1)
    answer_chars: int = 12_000
