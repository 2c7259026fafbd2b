"""Reading a page back: its elements, their texts, and whether everything is closed in order."""

from __future__ import annotations

from dataclasses import dataclass, field
from html.parser import HTMLParser

VOID = {"meta", "input", "br", "hr"}


@dataclass
class Node:
    """An element of a page."""

    tag: str
    attributes: dict[str, str]
    inside: list[Node | str] = field(default_factory=list)

    @property
    def text(self) -> str:
        return "".join(one if isinstance(one, str) else one.text for one in self.inside)

    def all(self, tag: str = "", **wanted: str) -> list[Node]:
        """Every element below with this tag and these attributes; ``class_`` is one of several."""
        found = []
        for one in self.inside:
            if isinstance(one, Node):
                if (not tag or one.tag == tag) and one._has(wanted):
                    found.append(one)
                found += one.all(tag, **wanted)
        return found

    def one(self, tag: str = "", **wanted: str) -> Node:
        (found,) = self.all(tag, **wanted)
        return found

    def _has(self, wanted: dict[str, str]) -> bool:
        return all(
            value in self.attributes.get(key.rstrip("_"), "").split()
            for key, value in wanted.items()
        )


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.root = Node("", {})
        self._open = [self.root]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        names = [name for name, _ in attrs]
        assert len(set(names)) == len(names)
        node = Node(tag, {name: value or "" for name, value in attrs})
        self._open[-1].inside.append(node)
        if tag not in VOID:
            self._open.append(node)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop().tag == tag

    def handle_data(self, data: str) -> None:
        self._open[-1].inside.append(data)

    def handle_comment(self, data: str) -> None:
        raise AssertionError(f"a comment: {data}")

    def unknown_decl(self, data: str) -> None:
        raise AssertionError(f"a declaration: {data}")


def read_page(page: str) -> Node:
    """The tree of a page, which is well formed."""
    reader = _Reader()
    reader.feed(page)
    reader.close()
    assert reader._open == [reader.root]
    return reader.root
