"""Adapters for agent frameworks: each knows the host's library and the methods of a mind, nothing
deeper. The library is imported when its adapter is first used.
"""

from __future__ import annotations

from mnemic.errors import MissingExtra

TYPE_CHECKING = False
if TYPE_CHECKING:
    from mnemic.integrations.agent_framework import MemoryContextProvider
    from mnemic.integrations.autogen import AutogenMemory
    from mnemic.integrations.clients import wrap
    from mnemic.integrations.crewai import CrewMemory
    from mnemic.integrations.google_adk import AdkMemoryService
    from mnemic.integrations.langchain_middleware import MemoryMiddleware
    from mnemic.integrations.langgraph_saver import GraphSaver
    from mnemic.integrations.langgraph_store import GraphStore
    from mnemic.integrations.llama_index import MnemicMemoryBlock
    from mnemic.integrations.openai_agents import AgentsSession
    from mnemic.integrations.pydantic_ai import MemoryCapability
    from mnemic.integrations.strands import StrandsMemoryStore

__all__ = [
    "AdkMemoryService",
    "AgentsSession",
    "AutogenMemory",
    "CrewMemory",
    "GraphSaver",
    "GraphStore",
    "MemoryCapability",
    "MemoryContextProvider",
    "MemoryMiddleware",
    "MnemicMemoryBlock",
    "StrandsMemoryStore",
    "wrap",
]

# name: (module, required library, extra that installs it)
_HOMES = {
    "AdkMemoryService": ("google_adk", "google.adk", "google-adk"),
    "AgentsSession": ("openai_agents", "agents", "openai-agents"),
    "AutogenMemory": ("autogen", "autogen_core", "autogen"),
    "CrewMemory": ("crewai", "crewai", "crewai"),
    "GraphSaver": ("langgraph_saver", "langgraph", "langgraph"),
    "GraphStore": ("langgraph_store", "langgraph", "langgraph"),
    "MemoryCapability": ("pydantic_ai", "pydantic_ai", "pydantic-ai"),
    "MemoryContextProvider": ("agent_framework", "agent_framework", "agent-framework"),
    "MemoryMiddleware": ("langchain_middleware", "langchain", "langchain"),
    "MnemicMemoryBlock": ("llama_index", "llama_index", "llama-index"),
    "StrandsMemoryStore": ("strands", "strands", "strands"),
    "wrap": ("clients", "", ""),
}


def __getattr__(name: str) -> object:
    """Fetch an adapter the first time it is used."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    home, library, extra = _HOMES[name]
    if library and not _is_installed(library):
        raise MissingExtra.of(library, extra)
    adapter: object = getattr(import_module(f"{__name__}.{home}"), name)
    globals()[name] = adapter
    return adapter


def _is_installed(library: str) -> bool:
    from importlib.util import find_spec

    try:
        return find_spec(library) is not None
    except ModuleNotFoundError:  # of a namespace such as google, nothing at all
        return False
