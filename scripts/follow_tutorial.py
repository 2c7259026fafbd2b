"""Follow the tutorial as a stranger does: an empty folder, the wheels, every block as printed.

    python -m scripts.follow_tutorial            # docs/tutorial.md
    python -m scripts.follow_tutorial --chinese  # docs/tutorial.zh.md

The two wheels are built and put where pip looks for ours; everything else comes from the usual
index. Prints how long each step takes, and ends with 1 at the first step that fails.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
_BLOCK = re.compile(r"^(#+ [^\n]+)$|^```(\w+)\n(.*?)^```", re.MULTILINE | re.DOTALL)
# Needs a browser and a model, or runs until it is stopped: the export is what remains of it.
_STAYS = re.compile(r"^mnemic (?:chat|serve)\b.*$", re.MULTILINE)
_FOREIGN = re.compile(r"\bpip install\b")


def build_wheels(folder: Path) -> list[Path]:
    """The wheels of mnemic and mnemic-reader."""
    command = [sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "-w", str(folder)]
    subprocess.run([*command, str(ROOT), str(ROOT / "reader")], check=True)
    return sorted(folder.glob("*.whl"))


def steps(page: Path, wheels: Path) -> Iterator[tuple[str, str]]:
    """The heading of each block with the shell that does what it says."""
    heading = ""
    for match in _BLOCK.finditer(page.read_text(encoding="utf-8")):
        if match[1]:
            heading = match[1].lstrip("# ")
        elif match[2] == "python":
            yield heading, f"python - <<'END'\n{match[3]}END\n"
        elif match[2] == "sh":
            text = _FOREIGN.sub(f"pip install -qq --find-links '{wheels}'", match[3])
            yield heading, _STAYS.sub("", text)


def follow(page: Path, wheels: Path, folder: Path) -> int:
    """Do every step in one shell, as a person would; its exit code."""
    script = ["set -eu", "unset PYTHONPATH VIRTUAL_ENV MNEMIC_DB; began=$(date +%s.%N)"]
    for heading, commands in steps(page, wheels):
        script += [f"echo '== {heading}'", commands]
        script += ['echo "-- $(date +%s.%N) $began" | awk \'{printf "-- %.1f s\\n", $2 - $3}\'']
    began = time.monotonic()
    done = subprocess.run(["bash", "-c", "\n".join(script)], cwd=folder, check=False)
    print(f"{page.name}: exit {done.returncode} after {time.monotonic() - began:.1f} s")
    return done.returncode


def main() -> int:
    """Build the wheels and follow the page."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--chinese", action="store_true", help="follow the Chinese page")
    given = parser.parse_args()
    page = ROOT / "docs" / ("tutorial.zh.md" if given.chinese else "tutorial.md")
    with tempfile.TemporaryDirectory() as name:
        wheels, empty = Path(name, "wheels"), Path(name, "empty")
        empty.mkdir()
        for wheel in build_wheels(wheels):
            print(f"{wheel.name}: {wheel.stat().st_size / 1e6:.1f} MB")
        return follow(page, wheels, empty)


if __name__ == "__main__":
    sys.exit(main())
