"""A chat interface: the turns of a request, the evidence in it, the answer."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Protocol

from mnemic.integrations.companion import PromptAddition
from mnemic.types import NewTurn

Request = dict[str, Any]
SYSTEM = ("system", "developer")
_NO_WORDS = frozenset(("tool_use", "tool_result", "thinking", "redacted_thinking"))


class StreamAssembler(Protocol):
    """Puts the pieces of a streamed answer together."""

    def take(self, event: Any) -> None: ...
    def turn(self, session: str) -> NewTurn: ...


class Dialect(ABC):
    """One chat interface. A request is what the host passes to ``create``."""

    @abstractmethod
    def read_item(self, item: Mapping[str, Any], session: str) -> Iterator[NewTurn]:
        """The turns of one message; none of the host's instructions."""

    @abstractmethod
    def inject(self, request: Request, addition: PromptAddition) -> Request:
        """The request with what memory adds."""

    @abstractmethod
    def answer(self, response: Any, session: str) -> NewTurn:
        """The model's answer as a turn."""

    @abstractmethod
    def assembler(self) -> StreamAssembler:
        """For an answer that comes in pieces."""

    def items(self, request: Request) -> list[dict[str, Any]]:
        return plain_items(request.get("messages"))

    def turns(self, request: Request, session: str) -> list[NewTurn]:
        """Every message except the host's instructions."""
        return [turn for item in self.items(request) for turn in self.read_item(item, session)]

    def instructions(self, request: Request) -> list[str]:
        """The host's own instructions."""
        items = [item for item in self.items(request) if item.get("role") in SYSTEM]
        return [text_of(item.get("content")) for item in items]


def with_evidence(
    messages: Iterable[Any], addition: PromptAddition, part_type: str = "text"
) -> list[Any]:
    """The messages with the evidence before the last words of the user."""
    injected = list(messages)
    for place, item in reversed([*enumerate(plain_items(injected))]) if addition.user else ():
        content = item.get("content")
        if item.get("role") == "user" and text_of(content):
            words = with_words_before(content, addition.user, part_type)
            injected[place] = {**item, "content": words}
            break
    return injected


def plain_items(items: object) -> list[dict[str, Any]]:
    """Messages as dicts; a host may also pass the objects that it got from the library."""
    if isinstance(items, str) or not isinstance(items, Iterable):
        return []
    return [_plain(item) for item in items]


def _plain(item: object) -> dict[str, Any]:
    if isinstance(item, Mapping):
        return dict(item)
    dump = getattr(item, "model_dump", None)
    dumped = dump(exclude_none=True) if callable(dump) else {}
    return dumped if isinstance(dumped, dict) else {}


def text_of(content: object) -> str:
    """The words of a message without calls, results and thinking; for a file only its type."""
    if isinstance(content, str):
        return content
    return "\n".join(filter(None, map(_part, plain_items(content))))


def _part(block: Mapping[str, Any]) -> str:
    kind = block.get("type")
    if kind in _NO_WORDS:
        return ""
    for key in ("text", "refusal", "content"):
        if isinstance(block.get(key), str):
            return str(block[key])
    return f"[{kind}]" if isinstance(kind, str) else ""


def with_words_before(content: object, words: str, part_type: str) -> object:
    """A message's content with text before it; the host's own object is left as it is."""
    if not isinstance(content, str) and isinstance(content, Iterable):
        return [{"type": part_type, "text": words}, *content]
    return f"{words}\n\n{content}" if content else words
