"""The vector engine that the settings ask for."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from recollect.errors import ConfigError

if TYPE_CHECKING:
    from recollect.index.engine import VectorEngine
    from recollect.settings import Settings


def engine_for(settings: Settings, path: str, *, on_disk: bool) -> VectorEngine:
    """Who searches the vectors of the database at ``path``.

    Nothing is opened before the first vector, but what is missing is said at once.
    """
    if settings.index.vectors != "chromadb":
        from recollect.index.memory import MemoryEngine

        return MemoryEngine()
    from recollect.index.chroma import ChromaEngine

    if not on_disk:
        raise ConfigError(
            "index.vectors is chromadb and the database is only in memory",
            remedy="Give the database a file, or set index.vectors to auto",
        )
    return ChromaEngine(Path(f"{path}.chroma"))
