"""Measuring in a process of its own."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping, Sequence


def output_of(
    command: Sequence[str], *, given: str = "", env: Mapping[str, str] | None = None
) -> str:
    """What a command prints; where it fails, the error has its own words."""
    done = subprocess.run(
        command, input=given, capture_output=True, text=True, env=env, check=False
    )
    if done.returncode:
        raise RuntimeError(f"{command[:2]} ended with {done.returncode}: {done.stderr[-2000:]}")
    return done.stdout
