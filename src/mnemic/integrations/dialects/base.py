"""The protocol of a chat interface: turns of a request, injection of evidence, the answer."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Protocol

from mnemic.integrations.companion import PromptAddition
from mnemic.types import NewTurn

Request = dict[str, Any]


class StreamAssembler(Protocol):
    """Puts the pieces of a streamed answer together."""

    def take(self, event: Any) -> None: ...
    def turn(self, session: str) -> NewTurn: ...


class Dialect(Protocol):
    """One chat interface. A request is what the host passes to ``create``."""

    def turns(self, request: Request, session: str) -> list[NewTurn]: ...
    def instructions(self, request: Request) -> list[str]: ...
    def query(self, request: Request) -> str: ...
    def inject(self, request: Request, addition: PromptAddition) -> Request: ...
    def answer(self, response: Any, session: str) -> NewTurn: ...
    def assembler(self) -> StreamAssembler: ...


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
    """The text of a message; of a picture or file only the type."""
    if isinstance(content, str):
        return content
    return "\n".join(filter(None, (_part(part) for part in plain_items(content))))


def _part(part: Mapping[str, Any]) -> str:
    for key in ("text", "refusal", "content"):
        if isinstance(part.get(key), str):
            return str(part[key])
    kind = part.get("type")
    return f"[{kind}]" if isinstance(kind, str) else ""


def last_user(items: Sequence[Mapping[str, Any]]) -> int | None:
    """The place of the message that is being answered."""
    places = [place for place, item in enumerate(items) if item.get("role") == "user"]
    return places[-1] if places else None


def with_words_before(content: object, words: str, part_type: str) -> object:
    """A message's content with text before it; the host's own object is left as it is."""
    if not isinstance(content, str) and isinstance(content, Iterable):
        return [{"type": part_type, "text": words}, *content]
    return f"{words}\n\n{content}" if content else words
