"""Settings of the environment: documents, models, storage, trust, the tools of a host."""

from __future__ import annotations

from datetime import timedelta
from typing import Literal, get_args

from mnemic.settings.group import (
    SettingsGroup,
    choice,
    count,
    flag,
    inside,
    names,
    number,
    place,
    ratio,
    secret,
    served_by,
    span,
    span_or_never,
    table,
    text,
    url,
)
from mnemic.settings.plugins import CHAT, EMBEDDING
from mnemic.settings.values import Secret, Table

Language = Literal["auto", "zh", "en"]
LANGUAGES = tuple(one for one in get_args(Language) if one != "auto")
DocumentName = Literal["memory", "user", "project", "insights", "persona"]
RemovedBullet = Literal["ask", "archive"]
ChatProvider = Literal["none", "openai", "anthropic", "ollama", "dashscope"]
ModelProvider = Literal["chat", "none", "openai", "anthropic", "ollama", "dashscope"]
Embedder = Literal["none", "auto", "local", "folder", "model2vec", "openai", "dashscope", "ollama"]
Vectors = Literal["auto", "sqlite-vec", "chromadb", "none"]
SourceName = Literal["owner", "agent", "tool", "external"]
AtWrite = Literal["redact", "keep"]
PersonalNumber = Literal["card", "identity_card", "iban", "passport"]
ToolName = Literal[
    "search_memory",
    "search_conversation_traces",
    "add_memory",
    "record_turns",
    "list_memories",
    "get_memory",
    "edit_memory",
    "archive_memory",
    "restore_memory",
    "delete_memory",
    "forget",
    "get_memory_stats",
    "list_pending",
    "confirm_memory",
    "ignore_memory",
    "later_memory",
    "read_scratchpad",
    "update_scratchpad",
]
DOCUMENT_BYTES = 1_000_000  # a larger file is no document that people read: it is left alone


class OwnKindSettings(SettingsGroup):
    """A kind of memory of your own; it fades as a fact does."""

    importance: float = ratio(0.5, "Importance of a memory of this kind when nobody gives one.")
    life: timedelta | None = span_or_never("never", "Time after which such a memory expires.")


class MemorySettings(SettingsGroup):
    """The main switch, the plain files that answer while it is off, and kinds of your own."""

    enabled: bool = flag(True, "Off: nothing is read from or written to the memory.")
    language: Language = choice("auto", Language, "Language of prompts and documents.")
    fallback_folder: str = place("memory", "Folder of the plain files.", empty=False)
    kinds: Table[OwnKindSettings] = table(
        OwnKindSettings, "Kinds of your own beside the built-in ones, by name, such as `recipe`."
    )


class DocumentSettings(SettingsGroup):
    """The markdown files people read and edit."""

    write: tuple[DocumentName, ...] = names(
        ("memory", "user", "project", "insights"), DocumentName, "Which documents are kept."
    )
    folder: str = place("documents", "Their folder, beside the database.", empty=False)
    take_edits: bool = flag(True, "Take in what a person changed in them.")
    removed_bullet: RemovedBullet = choice(
        "ask", RemovedBullet, "A bullet that a person deletes: ask whether to forget, or archive."
    )
    onboarding: bool = flag(False, "Ask on first use who the agent and the user are, once.")
    memory_file: str = inside("MEMORY.md", "The most valuable memories.")
    memory_chars: int = count(1500, "Its length, in characters.", low=1)
    memory_per_kind: int = count(5, "Memories of each kind in it.", low=1)
    user_file: str = inside("USER.md", "Who the user is.")
    user_bytes: int = count(2048, "Its size, in bytes.", low=1)
    project_file: str = inside("Project.md", "How the projects stand.")
    project_lines: int = count(100, "Lines above which it is summed up and archived.", low=1)
    insights_file: str = inside("Insights.md", "The experiences used most.")
    insights_items: int = count(10, "How many are in it.", low=1)
    persona_file: str = inside("persona.md", "Traits the user wants of the agent.")


class IdentitySettings(SettingsGroup):
    """Sources people write, and the short cards made of them."""

    compile: bool = flag(True, "Make cards; else the sources are used as they are.")
    agent_file: str = inside("AGENT.md", "How the agent works.")


class ModelPrice(SettingsGroup):
    """What a model costs, for a million tokens."""

    input: float = number(0.0, "Tokens read.")
    output: float = number(0.0, "Tokens written.")


class ChatSettings(SettingsGroup):
    """The host's main model; the memory model borrows from it what it does not have."""

    provider: str = served_by("none", ChatProvider, "Who serves it.", CHAT)
    name: str = text("", "The model.")
    api_key: Secret = secret("The key.")
    base_url: str = url("", "The address, where it is not the provider's usual one.")
    max_tokens: int = count(4096, "Longest answer, in tokens.", low=1)


class ModelSettings(SettingsGroup):
    """The model that does the work of memory; without one the rules do it."""

    provider: str = served_by("chat", ModelProvider, "Who serves it; `chat`: as there.", CHAT)
    name: str = text("", "The model; empty: as in `chat`.")
    api_key: Secret = secret("The key.")
    base_url: str = url("", "The address, where it is not the provider's usual one.")
    max_tokens: int = count(0, "Longest answer, in tokens; 0: as in `chat`.")
    temperature: float = number(0.3, "Low, so that extraction repeats itself.", low=0, high=2)
    timeout: timedelta = span("60s", "Longest wait for an answer.")
    daily_tokens: int = count(
        0, "Tokens a day in one space, after which work waits for the next day; 0: no limit."
    )
    daily_cost: float = number(
        0.0, "The same for the cost, in the currency of `prices`; 0: no limit."
    )
    prices: Table[ModelPrice] = table(
        ModelPrice, "Prices of a million tokens by model, for usage and `daily_cost`."
    )


class EmbeddingSettings(SettingsGroup):
    """Vectors of texts."""

    provider: str = served_by(
        "auto",
        Embedder,
        "Who makes them; `auto`: the model in `folder`, else the local one.",
        EMBEDDING,
    )
    model: str = text("", "The model; empty: the provider's one in `models`.")
    folder: str = place("", "Folder of a model for `folder` and `model2vec`.")
    dimensions: int = count(0, "Length of its vectors; 0: as in `models`.")
    api_key: Secret = secret("The key.")
    base_url: str = url("", "The address, where it is not the provider's usual one.")
    timeout: timedelta = span("10s", "Longest wait for an answer.")
    query_timeout: timedelta = span(
        "2s", "Longest wait for the vector of a query; after that, words answer alone."
    )
    batch: int = count(64, "Texts in one call.", low=1)
    cache_entries: int = count(1000, "Vectors kept in process, on top of those in the database.")


class IndexSettings(SettingsGroup):
    """How text and vectors are indexed."""

    vectors: Vectors = choice("auto", Vectors, "Where vectors live; `auto`: in the database.")


class StoreSettings(SettingsGroup):
    """The database."""

    busy_timeout: timedelta = span("60s", "Longest wait for another process that is writing.")


class TrustSettings(SettingsGroup):
    """Who said it, and what follows; what tools and outsiders say never becomes core unasked."""

    owners: tuple[str, ...] = names(
        (),
        None,
        "Senders that are the owner, in any case and width; every other named user is an outsider."
        " Empty: the only one who speaks as the user of a session is the owner.",
    )
    quarantine: tuple[SourceName, ...] = names(
        ("external",), SourceName, "Sources whose memories wait for the user's word."
    )
    suppress_echo: bool = flag(True, "Do not learn again what came out of memory.")


class SecretSettings(SettingsGroup):
    """Passwords and keys found in what is said."""

    at_write: AtWrite = choice(
        "redact", AtWrite, "Put a mark in their place before anything is written, or keep them."
    )
    key: Secret = secret("Key that encrypts credentials; empty: the one in `key_file`.")
    key_file: str = place(
        "mnemic.key", "File of the key, beside the database, made when needed.", empty=False
    )
    personal_numbers: tuple[PersonalNumber, ...] = names(
        ("card",), PersonalNumber, "Numbers of persons that are taken out like secrets."
    )


class ToolSettings(SettingsGroup):
    """The tools that a host gives to its model."""

    offered: tuple[ToolName, ...] = names(
        (), ToolName, "Only these tools are offered to a model and run for it; empty: all."
    )
    answer_pending: bool = flag(
        False,
        "Whether a model may pass on the user's recorded yes or no to what waits, and change or"
        " forget what the user said. Off, the user does that by command or in the host.",
    )
    results: int = count(5, "Results of a search when the model does not say how many.", low=1)
    answer_chars: int = count(12_000, "Characters of one answer; results beyond it are left out.")
