"""The servers of models that are known by name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from mnemic.late import dataclass

if TYPE_CHECKING:
    from mnemic.providers.chat.transport import Form

ProtocolName = Literal["openai", "anthropic", "ollama"]


@dataclass(frozen=True, slots=True)
class ModelService:
    """The address of a provider, its protocol, the JSON forms it accepts, and its embeddings."""

    base_url: str
    protocol: ProtocolName = "openai"
    forms: tuple[Form, ...] = ("schema", "object_schema", "object", "plain")
    needs_key: bool = True
    embedding: str = ""  # the model where none is named (documents A §4.6 and E §9)
    dimensions: int = 0  # of that model
    most_texts: int = 2048  # in one call


SERVICES = {
    "openai": ModelService(
        "https://api.openai.com/v1", embedding="text-embedding-3-small", dimensions=1536
    ),
    "anthropic": ModelService("https://api.anthropic.com", "anthropic", ("schema", "plain")),
    "ollama": ModelService(
        "http://127.0.0.1:11434", "ollama", ("schema", "object", "plain"), needs_key=False,
        embedding="nomic-embed-text", dimensions=768,
    ),
    "dashscope": ModelService(
        "https://dashscope.aliyuncs.com/compatible-mode/v1", forms=("object", "plain"),
        embedding="text-embedding-v3", dimensions=1024, most_texts=10,
    ),
}  # fmt: skip
EMBEDDERS = [name for name, service in SERVICES.items() if service.embedding]
