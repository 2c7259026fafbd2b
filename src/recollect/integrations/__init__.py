"""Adapters for agent frameworks: each knows the host's library and the methods of a mind, nothing
deeper. The library is imported when its adapter is first used.
"""

from __future__ import annotations

from recollect.errors import MissingExtra

TYPE_CHECKING = False
if TYPE_CHECKING:
    from recollect.integrations.clients import wrap
    from recollect.integrations.langgraph_saver import GraphSaver
    from recollect.integrations.langgraph_store import GraphStore
    from recollect.integrations.openai_agents import AgentsSession
    from recollect.integrations.pydantic_ai import MemoryCapability

__all__ = ["AgentsSession", "GraphSaver", "GraphStore", "MemoryCapability", "wrap"]

# name: (module, required library, extra that installs it)
_HOMES = {
    "AgentsSession": ("openai_agents", "agents", "openai-agents"),
    "GraphSaver": ("langgraph_saver", "langgraph", "langgraph"),
    "GraphStore": ("langgraph_store", "langgraph", "langgraph"),
    "MemoryCapability": ("pydantic_ai", "pydantic_ai", "pydantic-ai"),
    "wrap": ("clients", "", ""),
}


def __getattr__(name: str) -> object:
    """Fetch an adapter the first time it is used."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module
    from importlib.util import find_spec

    home, library, extra = _HOMES[name]
    if library and find_spec(library) is None:
        raise MissingExtra(
            f"{library} is not installed", remedy=f'Install it: pip install "recollect[{extra}]"'
        )
    adapter: object = getattr(import_module(f"{__name__}.{home}"), name)
    globals()[name] = adapter
    return adapter
