"""What a model is told about the form of its answer, in the language it is spoken to in."""

from __future__ import annotations

import json
import re

from recollect.providers.chat.base import Schema

_CHINESE = re.compile(r"[\u4e00-\u9fff]")
_FORM = (
    "Answer with one JSON object and nothing else. It fits this JSON Schema:\n{schema}",
    "只回答一个 JSON 对象，不要写别的内容。它必须符合这个 JSON Schema：\n{schema}",
)
_AGAIN = (
    "That answer cannot be used: {wrong}. Answer again, with the whole JSON object only.",
    "这个回答无法使用：{wrong}。请重新回答，只写完整的 JSON 对象。",
)
_SHORTER = (
    "That answer was cut off because it was too long. Answer again, shorter, with the whole JSON"
    " object only.",
    "这个回答太长，被截断了。请更简短地重新回答，只写完整的 JSON 对象。",
)


def with_form(system: str, schema: Schema) -> str:
    """The system text, and after it the form of the answer."""
    form = _in_language(_FORM, system).format(schema=json.dumps(schema, ensure_ascii=False))
    return f"{system}\n\n{form}" if system else form


def again(system: str, wrong: str) -> str:
    """The request to repair an answer."""
    return _in_language(_AGAIN, system).format(wrong=wrong)


def shorter(system: str) -> str:
    """The request for an answer that comes to its end."""
    return _in_language(_SHORTER, system)


def _in_language(texts: tuple[str, str], like: str) -> str:
    english, chinese = texts
    return chinese if _CHINESE.search(like) else english
