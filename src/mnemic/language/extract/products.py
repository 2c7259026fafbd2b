"""Products by their many spellings, so that a later statement finds the slot of an earlier one."""

from __future__ import annotations

import re
import tomllib
from functools import cache

from mnemic.language.word_file import read_packaged

_VERSION = r"v?\d{1,4}(?:\.\d{1,6}){0,3}(?:[-.]?(?:alpha|beta|rc|lts|preview)\.?\d{0,4})?"
_VERSIONED = re.compile(
    rf"(?P<name>[A-Za-z.][A-Za-z.+#!_-]{{0,30}}(?: [A-Za-z][A-Za-z.+#_-]{{1,20}})?|"
    rf"[A-Za-z]*[\u4e00-\u9fff]{{2,6}})"
    rf"\s?(?:version\s|版本\s?)?(?P<version>{_VERSION})(?![\w.]*\w)",
    re.I,
)
_DOTTED = re.compile(r"(?:v\d|\d+\.)", re.I)
_BARE_VERSION = re.compile(rf"(?:(?:version|版本)\s?)?(?P<version>{_VERSION})\s?(?:版本?)?", re.I)


@cache
def _lists() -> tuple[dict[str, tuple[str, str]], frozenset[str]]:
    """Spelling in lower case to the name kept and the predicate of its sort; the everyday words."""
    tree = tomllib.loads(read_packaged("products"))
    everyday = frozenset(tree.pop("ordinary").split())
    index: dict[str, tuple[str, str]] = {}
    for sort, entries in tree.items():
        for entry in entries:
            name, *others = entry.split("=")
            for spelling in (name, *others):
                index.setdefault(spelling.lower(), (name, "" if sort == "uses" else sort))
    return index, everyday


def product(text: str) -> tuple[str, str] | None:
    """The name kept and the sort of a known product, the sort empty where it has none."""
    return _lists()[0].get(text.strip().lower())


def ordinary(text: str) -> bool:
    """Whether the name of a product is an everyday word too."""
    return text.strip().lower() in _lists()[1]


def name_of(text: str) -> str:
    """The name by which a product is kept; unknown ones as they are written."""
    entry = product(text)
    return entry[0] if entry else text.strip()


def sort_of(text: str) -> str:
    return (product(text) or ("", ""))[1]


def split_version(text: str) -> tuple[str, str] | None:
    """The product and the version that a text consists of: "node 20" is Node.js and 20."""
    match = _VERSIONED.fullmatch(text.strip())
    if not match:
        return None
    name, version = match["name"].strip(), match["version"]
    if not product(name) and not _DOTTED.match(version):
        return None  # "room 20" is no version
    return name_of(name), version.lower().removeprefix("v")


def version_of(text: str) -> str:
    """The version a text consists of, with no product beside it."""
    match = _BARE_VERSION.fullmatch(text.strip())
    return match["version"].lower().removeprefix("v") if match else ""


def find_product(text: str) -> str:
    """The last known product that a text names, unless it is an everyday word."""
    words = re.findall(r"[A-Za-z.][A-Za-z.+#]*|[\u4e00-\u9fff]{2,4}", text[-400:])
    for word in reversed(words):
        entry = product(word.rstrip("."))
        if entry and not (ordinary(word) and word.islower()):
            return entry[0]
    return ""
