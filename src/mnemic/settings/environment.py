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

    importance: float = ratio(0.5, "Importance of a memory of this kind when nobody gives one.")
    life: timedelta | None = setting("never", "Time after which such a memory expires.")


class MemorySettings(SettingsGroup):
    """The main switch, the plain files that answer while it is off, and kinds of your own."""

    enabled: bool = setting(True, "Off: nothing is read from or written to the memory.")
    language: Language = setting("auto", "Language of prompts and documents.")
    fallback_folder: Place = setting("memory", "Folder of the plain files.", empty=False)
    kinds: Table[OwnKindSettings] = setting(
        {}, "Kinds of your own beside the built-in ones, by name, such as `recipe`."
    )


class DocumentSettings(SettingsGroup):
    """The markdown files people read and edit."""

    write: tuple[DocumentName, ...] = setting(
        ("memory", "user", "project", "insights"), "Which documents are kept."
    )
    folder: Place = setting("documents", "Their folder, beside the database.", empty=False)
    take_edits: bool = setting(True, "Take in what a person changed in them.")
    removed_bullet: RemovedBullet = setting(
        "ask", "A bullet that a person deletes: ask whether to forget, or archive."
    )
    onboarding: bool = setting(False, "Ask on first use who the agent and the user are, once.")
    memory_file: Inside = setting("MEMORY.md", "The most valuable memories.")
    memory_chars: int = setting(1500, "Its length, in characters.", low=1)
    memory_per_kind: int = setting(5, "Memories of each kind in it.", low=1)
    user_file: Inside = setting("USER.md", "Who the user is.")
    user_bytes: int = setting(2048, "Its size, in bytes.", low=1)
    project_file: Inside = setting("Project.md", "How the projects stand.")
    project_lines: int = setting(100, "Lines above which it is summed up and archived.", low=1)
    insights_file: Inside = setting("Insights.md", "The experiences used most.")
    insights_items: int = setting(10, "How many are in it.", low=1)
    persona_file: Inside = setting("persona.md", "Traits the user wants of the agent.")


class IdentitySettings(SettingsGroup):
    """Sources people write, and the short cards made of them."""

    compile: bool = setting(True, "Make cards; else the sources are used as they are.")
    agent_file: Inside = setting("AGENT.md", "How the agent works.")


class ModelPrice(SettingsGroup):
    """What a model costs, for a million tokens."""

    input: float = setting(0.0, "Tokens read.")
    output: float = setting(0.0, "Tokens written.")


class ChatSettings(SettingsGroup):
    """The host's main model; the memory model borrows from it what it does not have."""

    provider: str = setting("none", "Who serves it.", options=ChatProvider, plugins=CHAT)
    name: str = setting("", "The model.")
    api_key: Secret = setting("", "The key.")
    base_url: Url = setting("", "The address, where it is not the provider's usual one.")
    max_tokens: int = setting(4096, "Longest answer, in tokens.", low=1)


class ModelSettings(SettingsGroup):
    """The model that does the work of memory; without one the rules do it."""

    provider: str = setting(
        "chat", "Who serves it; `chat`: as there.", options=ModelProvider, plugins=CHAT
    )
    name: str = setting("", "The model; empty: as in `chat`.")
    api_key: Secret = setting("", "The key.")
    base_url: Url = setting("", "The address, where it is not the provider's usual one.")
    max_tokens: int = setting(0, "Longest answer, in tokens; 0: as in `chat`.")
    temperature: float = setting(0.3, "Low, so that extraction repeats itself.", high=2)
    timeout: timedelta = setting("60s", "Longest wait for an answer.")
    daily_tokens: int = setting(
        0, "Tokens a day in one space, after which work waits for the next day; 0: no limit."
    )
    daily_cost: float = setting(
        0.0, "The same for the cost, in the currency of `prices`; 0: no limit."
    )
    prices: Table[ModelPrice] = setting(
        {}, "Prices of a million tokens by model, for usage and `daily_cost`."
    )


class EmbeddingSettings(SettingsGroup):
    """Vectors of texts."""

    provider: str = setting(
        "auto",
        "Who makes them; `auto`: the model in `folder`, else the local one.",
        options=Embedder,
        plugins=EMBEDDING,
    )
    model: str = setting("", "The model; empty: the provider's one in `models`.")
    folder: Place = setting("", "Folder of a model for `folder`.")
    dimensions: int = setting(0, "Length of its vectors; 0: as in `models`.")
    api_key: Secret = setting("", "The key.")
    base_url: Url = setting("", "The address, where it is not the provider's usual one.")
    timeout: timedelta = setting("10s", "Longest wait for an answer.")
    query_timeout: timedelta = setting(
        "2s", "Longest wait for the vector of a query; after that, words answer alone."
    )
    batch: int = setting(64, "Texts in one call.", low=1)
    cache_entries: int = setting(1000, "Vectors kept in process, on top of those in the database.")


class IndexSettings(SettingsGroup):
    """How text and vectors are indexed."""

    vectors: Vectors = setting("auto", "Where vectors live; `auto`: in the database.")


class StoreSettings(SettingsGroup):
    """The database."""

    busy_timeout: timedelta = setting("60s", "Longest wait for another process that is writing.")
    pool_size: int = setting(20, "Most connections of a process to a server.", low=2)
    connect_timeout: timedelta = setting("60s", "Longest wait for a connection to a server.")
    statement_timeout: timedelta | None = setting(
        "never", "Time after which a server gives a statement up."
    )
    replica: Secret = setting(
        "", "Address of a server that follows the first one and answers recall while it keeps up."
    )
    replica_lag: timedelta = setting("10s", "How far behind it may be.")
    key_file: Place = setting(
        "", "File of the key of an encrypted database, beside it; empty: none, or MNEMIC_KEY."
    )


class TrustSettings(SettingsGroup):
    """Who said it, and what follows; what tools and outsiders say never becomes core unasked."""

    owners: tuple[str, ...] = setting(
        (),
        "Senders that are the owner, in any case and width; every other named user is an outsider."
        " Empty: the only one who speaks as the user of a session is the owner.",
    )
    quarantine: tuple[SourceName, ...] = setting(
        ("external",), "Sources whose memories wait for the user's word."
    )
    suppress_echo: bool = setting(True, "Do not learn again what came out of memory.")


class SecretSettings(SettingsGroup):
    """Passwords and keys found in what is said."""

    at_write: AtWrite = setting(
        "redact", "Put a mark in their place before anything is written, or keep them."
    )
    key: Secret = setting("", "Key that encrypts credentials; empty: the one in `key_file`.")
    key_file: Place = setting(
        "mnemic.key", "File of the key, beside the database, made when needed.", empty=False
    )
    personal_numbers: tuple[PersonalNumber, ...] = setting(
        ("card",), "Numbers of persons that are taken out like secrets."
    )


class ToolSettings(SettingsGroup):
    """The tools that a host gives to its model."""

    offered: tuple[ToolName, ...] = setting(
        (), "Only these tools are offered to a model and run for it; empty: all."
    )
    answer_pending: bool = setting(
        False,
        "Whether a model may pass on the user's recorded yes or no to what waits, and change or"
        " forget what the user said. Off, the user does that by command or in the host.",
    )
    results: int = setting(5, "Results of a search when the model does not say how many.", low=1)
    answer_chars: int = setting(12_000, "Characters of one answer; results beyond it are left out.")
