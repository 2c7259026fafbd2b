"""Runs programs one after another in one process, each in a folder of its own, and prints as JSON
how each ended: by the name of its file, the error or the warning of the program, or nothing.
"""

from __future__ import annotations

import json
import os
import runpy
import sys
import warnings
from pathlib import Path

from mnemic import MnemicError


def attempt(program: Path) -> str:
    folder = Path(program.stem)
    folder.mkdir()
    before = Path.cwd()
    os.chdir(folder)
    try:
        with warnings.catch_warnings(action="error", category=RuntimeWarning):
            runpy.run_path(str(program))
    except (MnemicError, RuntimeWarning, SystemExit) as error:
        return str(error)
    finally:
        os.chdir(before)
    return ""


if __name__ == "__main__":
    programs = [Path(name) for name in sys.argv[1:]]
    json.dump({program.stem: attempt(program) for program in programs}, sys.stdout)
