"""Write the formats of keys that gitleaks keeps as the data of the package.

    python scripts/secret_formats.py path/to/gitleaks.toml

The rules (MIT license, beside the data) are written for files and for Go. Here a key may stand in a
sentence, so the ends that gitleaks asks for become "no letter or digit before or after"; what
stands before a vendor's name is not looked at; and Go's flags inside a pattern become groups.
Left out: rules for certain files, and names that only say which key is meant.
"""

from __future__ import annotations

import re
import sys
import tomllib
from pathlib import Path
from typing import Any

DATA = Path(__file__).parents[1] / "src/mnemic/language/secrets/data/gitleaks.tsv"
# Found by this package in its own way, or, as the last ones do, taking what is no secret.
LEFT_OUT = re.compile(
    r"generic-api-key|private-key|curl-auth-.*|jwt|jwt-base64|.*-(?:client|access)-id"
    r"|.*-pub(?:lic)?-(?:api-)?key|mapbox-api-token|sidekiq-.*|sourcegraph-access-token"
    r"|new-relic-browser-api-token|slack-webhook-url"
)
# One name in the mark for the many kinds of a vendor's tokens.
KINDS = re.compile(r"(github|gitlab|slack)-.*")
BEFORE = r"[\w.-]{0,50}?"
AFTER = ("(?:[\\x60'\"\\s;]|\\\\[nr]|$|\\b)", "(?:[\\x60'\"\\s;]|\\\\[nr]|$)", r"(?:[^\w-]|\z)")
AROUND = (re.compile(r"^\(\?:\^\|\[.*?\]\)"), re.compile(r"\(\?:\$\|\[[^\]]*\]\)$"))
# What stands between a vendor's name and its key; the package has its own, with words.
ASSIGNS = re.compile(
    r"\(\?:\[ \\t\\w\.-\]\{0,20\}\)\[\\s'\"\]\{0,3\}(\)?)"
    r"\(\?:=\|>\|:\{1,3\}=\|\\\|\\\|\|:\|=>\|\\\?=\|,\)\[\\x60'\"\\s=\]\{0,5\}"
)
OPENED = re.compile(r"^(?:\(\?i?:)+")
UNDERSCORED, OTHER = 4, 5  # characters of a prefix that turns up in nothing else


def translate(pattern: str, group: int) -> str:
    """A rule's pattern for Python: as it is, or with the secret as its only group."""
    for boundary in AFTER:
        pattern = pattern.removesuffix(boundary)
    for around in AROUND:
        pattern = around.sub("", pattern)
    pattern = pattern.replace("[[:alnum:]]", "[A-Za-z0-9]").replace(r"\z", r"\Z")
    named = BEFORE in pattern
    flags = "(?i)" if pattern.startswith("(?i)") else ""
    pattern = pattern.removeprefix("(?i)").replace(BEFORE, "")
    pattern = _scope_flags(_keep_group(pattern, group if named else 0))
    pattern = _unwrap(re.sub(r"^\\b|\\b$", "", pattern))
    return ASSIGNS.sub(r"{assigns}\1", f"(?i:{pattern})" if flags else pattern)


def _unwrap(pattern: str) -> str:
    """Without a group around the whole of it."""
    while pattern.startswith("(?:") and pattern.endswith(")"):
        depth = 0
        for match in re.finditer(r"\\.|\[(?:\\.|[^\]\\])*\]|[()]", pattern[:-1]):
            depth += {"(": 1, ")": -1}.get(match[0], 0)
            if not depth and match[0] == ")":
                return pattern
        pattern = pattern[3:-1]
    return pattern


def find_heads(keywords: list[str], pattern: str) -> set[str]:
    """The keywords that a key starts with and that say enough by themselves."""
    start = OPENED.sub("", pattern).replace("\\", "").lower()
    return {
        word
        for word in keywords
        if start.startswith(word)
        and len(word) >= (UNDERSCORED if word.endswith("_") else OTHER)
        and word.endswith(("_", "-", "."))
        and not re.search(r"\d\.", word)
    }


def _keep_group(pattern: str, kept: int) -> str:
    """The pattern with only one of its groups, or with none, and nothing named."""
    seen = 0

    def rewrite(match: re.Match[str]) -> str:
        nonlocal seen
        if match[0].startswith("\\") or match[0].startswith("["):
            return match[0]
        seen += 1
        return "(" if seen == kept else "(?:"

    return re.sub(r"\\.|\[(?:\\.|[^\]\\])*\]|\((?:\?P<\w+>|(?!\?))", rewrite, pattern)


def _scope_flags(pattern: str) -> str:
    """``a(?i)b`` as ``a(?i:b)``, up to the end of the group that it stands in."""
    while (at := pattern.find("(?i)")) >= 0:
        depth, end = 0, len(pattern)
        for match in re.finditer(r"\\.|\[(?:\\.|[^\]\\])*\]|[()]", pattern[at + 4 :]):
            depth += {"(": 1, ")": -1}.get(match[0], 0)
            if depth < 0:
                end = at + 4 + match.start()
                break
        pattern = f"{pattern[:at]}(?i:{pattern[at + 4 : end]}){pattern[end:]}"
    return pattern


def convert(rules: list[dict[str, Any]]) -> list[str]:
    """A line for each rule, and one of the prefixes of all."""
    lines, heads = [], set[str]()
    for rule in rules:
        if "regex" not in rule or "path" in rule or LEFT_OUT.fullmatch(rule["id"]):
            continue
        pattern = translate(rule["regex"], rule.get("secretGroup", 1))
        re.compile(pattern.replace("{assigns}", ""), re.A)
        heads |= find_heads(rule["keywords"], pattern)
        name = KINDS.sub(r"\1_token", rule["id"]).replace("-", "_")
        keywords = ",".join(rule["keywords"])
        if any(character.isspace() and character != " " for character in keywords + pattern):
            raise ValueError(f"{rule['id']} does not fit on a line")
        lines.append(f"{name}\t{keywords}\t{rule.get('entropy', 0)}\t{pattern}")
    prefixes = ",".join(sorted(heads))
    return [*lines, f"vendor_token\t{prefixes}\t3\t"]


def main(source: Path) -> None:
    """Write the data file from gitleaks' rule file."""
    with source.open("rb") as file:
        rules = tomllib.load(file)["rules"]
    head = "# Made by scripts/secret_formats.py from the rules of gitleaks (see gitleaks.LICENSE)."
    DATA.write_text("\n".join([head, *convert(rules), ""]), encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
