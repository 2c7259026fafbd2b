"""The pages that people read, as the fenced blocks in them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from tests.release.environments import ROOT

BlockKind = Literal["shell", "python", "javascript", "output", "other"]
# docs/extending is about a checkout, and followed on a copy of one by tests/test_extending.py;
# what is generated shows helps and signatures.
_ELSEWHERE = {"api.md", "api.zh.md", "commands.md", "commands.zh.md"}
_FENCE = re.compile(
    r"^(?:<!-- not run: (?P<excuse>.*?) -->\n\n?)?^```(?P<info>[^\n`]*)\n(?P<text>.*?)^```$",
    re.S | re.M,
)
_KINDS: dict[str, BlockKind] = {
    "sh": "shell",
    "bash": "shell",
    "console": "shell",
    "python": "python",
    "js": "javascript",
}
_COMMAND = re.compile(r"(?:[A-Z_]+=\S+ )*(?:claude|export|litestream|pip|podman|mnemic|sudo) ")


@dataclass(frozen=True, slots=True)
class Block:
    """A fenced block of a page."""

    page: Path
    line: int
    kind: BlockKind
    text: str
    excuse: str = ""  # why it cannot be run

    def __str__(self) -> str:
        return f"{self.page.relative_to(ROOT)}:{self.line}"


def pages() -> list[Path]:
    docs = ROOT / "docs"
    written = [*docs.glob("*.md"), *(docs / "presets").glob("*.md")]
    return [
        *sorted(ROOT.glob("README*.md")),
        *sorted(page for page in written if page.name not in _ELSEWHERE),
    ]


def subject_of(page: Path) -> str:
    """What a page is about, in whatever language: "serve" of serve.md and serve.zh.md."""
    return page.name.partition(".")[0]


def blocks(page: Path) -> list[Block]:
    """The blocks of a page; a translation has those of its original, with their excuses."""
    found = list(_blocks(page, page.read_text(encoding="utf-8")))
    original = page.with_name(f"{subject_of(page)}.md")
    if original == page:
        return found
    excused = [block.excuse for block in blocks(original)]
    return [
        replace(block, excuse=block.excuse or excuse)
        for block, excuse in zip(found, excused, strict=True)
    ]


def _blocks(page: Path, text: str) -> Iterator[Block]:
    before: BlockKind = "other"
    for fence in _FENCE.finditer(text):
        kind = _kind(fence["info"], fence["text"], before)
        line = text.count("\n", 0, fence.start("text"))
        yield Block(page, line, kind, fence["text"], fence["excuse"] or "")
        before = kind


def _kind(info: str, text: str, before: BlockKind) -> BlockKind:
    if info in _KINDS:
        return _KINDS[info]
    if info in ("", "text") and _COMMAND.match(text):
        return "shell"
    # What a block without a language shows after one that runs is what that prints.
    return "output" if not info and before in ("python", "shell") else "other"
