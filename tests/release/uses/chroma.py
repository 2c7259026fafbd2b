from collections.abc import Sequence
from pathlib import Path

import mnemic


class Letters:
    """How often each letter occurs: the vectors of nobody's model."""

    name = "letters"
    dimensions = 26

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        return [[text.lower().count(chr(97 + n)) + 0.01 for n in range(26)] for text in texts]


vectors = {"vectors": "chromadb"}
with mnemic.open("memory.db", worker="none", embedder=Letters(), index=vectors) as mind:
    mind.record(session="s", role="user", text="puppy")
    mind.drain()
    assert "vector" in mind.recall("yuppp")[0].why.routes
assert Path("memory.db.chroma").is_dir()
