"""The process that the demo kills: records turns and prints each durable one.

python -m examples.demo.writer FILE MOMENT
"""

from __future__ import annotations

import sys
from datetime import datetime
from itertools import count
from pathlib import Path

from examples.demo.stage import open_demo
from examples.demo.story import note_turn
from mnemic.clock import ManualClock


def write(path: str, moment: str) -> None:
    """Record until killed; a number is printed when its turn is durable."""
    clock = ManualClock(datetime.fromisoformat(moment))
    with open_demo(Path(path), clock) as mind:
        for number in count():
            mind.record_turn(note_turn(number))
            print(number, flush=True)


if __name__ == "__main__":
    write(*sys.argv[1:])
