"""JSON answers, and errors as problem details."""

from __future__ import annotations

import json
from typing import Any

from starlette.responses import Response

from mnemic.engine.remote.problems import MEDIA_TYPE, problem_of, retry_after, status_of
from mnemic.errors import MnemicError, Unauthorized
from mnemic.plain import plain


def encode(value: Any) -> bytes:
    """Any value of the public types as JSON."""
    text = json.dumps(plain(value), ensure_ascii=False, separators=(",", ":"))
    return text.encode("utf-8", "backslashreplace")


def answer(body: bytes, status: int = 200) -> Response:
    """A body that is JSON already."""
    return Response(body, status, media_type="application/json")


def problem(error: MnemicError, status: int | None = None) -> Response:
    """The answer that tells of an error, with the status of its kind unless another is given."""
    headers = {}
    if (wait := retry_after(error)) is not None:
        headers["retry-after"] = str(wait)
    if isinstance(error, Unauthorized):
        headers["www-authenticate"] = "Bearer"
    status = status or status_of(error)
    body = encode({**problem_of(error), "status": status})
    return Response(body, status, headers, media_type=MEDIA_TYPE)
