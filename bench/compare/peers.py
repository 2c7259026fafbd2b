"""Who is compared: the program that runs each peer, and the packages of its environment."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

_PINS = Path(__file__).parent / "requirements"
_RUNNERS = "bench.compare.runners"


@dataclass(frozen=True, slots=True)
class Peer:
    """``requirements`` is None where the environment of the driver serves; ``vectors`` says that
    the peer is given MiniLM.
    """

    name: str
    title: str
    module: str
    requirements: Path | None = None
    vectors: bool = False


def _peer(name: str, title: str, *, vectors: bool = True) -> Peer:
    return Peer(name, title, f"{_RUNNERS}.{name}", _PINS / f"{name}.txt", vectors)


OURS = Peer("mnemic", "Mnemic", f"{_RUNNERS}.mnemic")
MINILM = _peer("minilm", "MiniLM alone")
PEERS = {
    peer.name: peer
    for peer in (
        OURS,
        _peer("bm25s", "bm25s", vectors=False),
        MINILM,
        _peer("mem0", "mem0, infer=False"),
        _peer("engrava", "engrava"),
        _peer("mempalace", "MemPalace"),
        _peer("llamaindex", "LlamaIndex hybrid"),
    )
}
