"""Code in a message: its share, and the text without it."""

from __future__ import annotations

from mnemic.patterns import defer

_FENCE = defer(r"```|~~~")
_INLINE = defer(r"`[^`\n]*+`")
_KEYWORD = defer(
    r"(?:async def|def|class|import|from|return|function|const|let|var|public|private|static|void"
    r"|func|fn|package|using|elif|else|try|except|finally|raise|export|struct|enum|interface"
    r"|if|for|while|switch|case)\b"
)
_OPENING = defer(
    r"[)}\]{]|</?[a-zA-Z]|//|/\*|#include|#!|@\w+$|@\w+\(|\$ |>>> |\.\.\. |import [\w.]+$"
    r"|from [\w.]+ import |(?:SELECT|INSERT|UPDATE|CREATE|ALTER|DELETE) |\"[^\"\n]*+\"\s*+:"
    r"|Traceback \(|File \"|\+\+\+ |--- |@@ "
)
_ENDINGS = (";", "{", "}", "):", "],", "=>", "->", ")", "(", "[", "},", '",', "',", "*/", "/>")
_FEWEST_LINES = 3


def split_code(text: str) -> tuple[str, float]:
    """The text without its code, and the share of what is not white space that was code."""
    # Every second text is inside a fence; one that is left open reaches to the end.
    prose = "\n".join(_INLINE.sub(" ", text) for text in _FENCE.split(text)[::2])
    lines = prose.splitlines()
    if len(lines) >= _FEWEST_LINES:  # pasted without a fence
        other = [line for line in lines if not is_code(line.strip())]
        if len(lines) - len(other) >= _FEWEST_LINES - 1:
            prose = "\n".join(other)
    weight = _weight(text)
    return prose, (weight - _weight(prose)) / weight if weight else 0.0


def is_code(line: str) -> bool:
    """Whether a line without white space around it is one of a program."""
    if not line:
        return False
    if _OPENING.match(line) or line.endswith((";", "{", "}", "*/", "/>")):
        return True
    if _KEYWORD.match(line):
        return line.endswith((":", *_ENDINGS)) or " = " in line
    # An assignment or a call stands alone: prose that ends in a bracket has a space before it.
    return (line.endswith(_ENDINGS) and " = " in line) or _is_call(line)


def _is_call(line: str) -> bool:
    name, bracket, _ = line.partition("(")
    closed = bool(bracket) and line.endswith(")")
    return closed and name.isascii() and name.replace(".", "_").isidentifier()


def _weight(text: str) -> int:
    return sum(map(len, text.split()))
