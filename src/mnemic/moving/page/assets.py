"""The one style and the one script of the page, and the policy that lets in these two alone."""

from __future__ import annotations

import base64
import hashlib
from importlib import resources


def _asset(name: str) -> str:
    return resources.files(__package__).joinpath(name).read_text(encoding="utf-8")


def _hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


STYLE = _asset("page.css")
SCRIPT = _asset("page.js")
# Nothing is fetched, nothing is sent, and no other style or script runs.
POLICY = (
    f"default-src 'none'; style-src {_hash(STYLE)}; script-src {_hash(SCRIPT)};"
    " base-uri 'none'; form-action 'none'"
)
