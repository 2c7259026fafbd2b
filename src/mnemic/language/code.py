"""Code in a message: its share, and the text without it."""

from __future__ import annotations

import re
from functools import cache

_FENCE = r"```|~~~"
_INLINE = r"`[^`\n]*+`"
_KEYWORD = (
    r"(?:async def|def|class|import|from|return|function|const|let|var|public|private|static|void"
    r"|func|fn|package|using|elif|else|try|except|finally|raise|export|struct|enum|interface"
    r"|if|for|while|switch|case)\b"
)
_OPENING = (
    r"[)}\]{]|</?[a-zA-Z]|//|/\*|#include|#!|@\w+$|@\w+\(|\$ |>>> |\.\.\. |import [\w.]+$"
    r"|from [\w.]+ import |(?:SELECT|INSERT|UPDATE|CREATE|ALTER|DELETE) |\"[^\"\n]*+\"\s*+:"
    r"|Traceback \(|File \"|\+\+\+ |--- |@@ "
)
_ENDINGS = (";", "{", "}", "):", "],", "=>", "->", ")", "(", "[", "},", '",', "',", "*/", "/>")
_FEWEST_LINES = 3


@cache
def compiled(pattern: str) -> re.Pattern[str]:
    """Compiled at first use: all of them together take longer than an import should."""
    return re.compile(pattern)


def split_code(text: str) -> tuple[str, float]:
    """The text without its code, and the share of what is not white space that was code."""
    whole = _weight(text)
    parts = compiled(_FENCE).split(text)
    # The odd parts are inside a fence; one that is left open reaches to the end.
    prose = "\n".join(compiled(_INLINE).sub(" ", part) for part in parts[::2])
    code = whole - _weight(prose)
    lines = prose.splitlines()
    if len(lines) >= _FEWEST_LINES:  # pasted without a fence
        other = [line for line in lines if not is_code(line.strip())]
        if len(lines) - len(other) >= _FEWEST_LINES - 1:
            prose = "\n".join(other)
            code = whole - _weight(prose)
    return prose, code / whole if whole else 0.0


def is_code(line: str) -> bool:
    """Whether a line without white space around it is one of a program."""
    if not line:
        return False
    if compiled(_OPENING).match(line) or line.endswith((";", "{", "}", "*/", "/>")):
        return True
    if compiled(_KEYWORD).match(line):
        return line.endswith((":", *_ENDINGS)) or " = " in line
    # An assignment or a call stands alone: prose that ends in a bracket has a space before it.
    return (line.endswith(_ENDINGS) and " = " in line) or _is_call(line)


def _is_call(line: str) -> bool:
    name, bracket, _ = line.partition("(")
    return (
        bool(bracket)
        and line.endswith(")")
        and name.replace(".", "_").isidentifier()
        and name.isascii()
    )


def _weight(text: str) -> int:
    return sum(map(len, text.split()))
