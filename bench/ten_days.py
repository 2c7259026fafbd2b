"""Ten bilingual days with their nights under a preset: each day's prompt, the files at the end.

    python -m bench.ten_days openakita            # by rules
    python -m bench.ten_days openakita --model    # with a scripted model on loopback

Somebody who knows the document of a preset reads it: is this what that system would say and write?
"""

from __future__ import annotations

import argparse
import json
import re
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import mnemic
from mnemic.clock import ManualClock

PRESETS = ("openakita", "shiyi", "myclaw", "semibot")
ZONE = "Asia/Shanghai"
START = datetime(2026, 3, 2, 1, tzinfo=UTC)  # a Monday, nine o'clock in Shanghai
# Days with the project and what the user and the agent say in turn; and what the scripted model has
# learned to see: words of a message, and the statement it makes of them.
SCRIPT = json.loads(Path(__file__).with_suffix(".json").read_text(encoding="utf-8"))


class _Answers(BaseHTTPRequestHandler):
    """A model that proposes what it has learned to see and tells plain stories."""

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        answer = _answer(asked)
        text = answer if isinstance(answer, str) else json.dumps(answer, ensure_ascii=False)
        choice = {"message": {"role": "assistant", "content": text}, "finish_reason": "stop"}
        usage = {"prompt_tokens": 100, "completion_tokens": 20}
        body = json.dumps({"choices": [choice], "usage": usage}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


def _answer(asked: dict[str, Any]) -> object:
    if "response_format" not in asked:
        return ""  # a card: the rules write it
    form = json.dumps(asked["response_format"])
    shown = str(asked["messages"][-1]["content"])
    if '"verdict"' in form:
        return {"verdict": "new", "memory": 1}
    if '"outcome"' in form:
        said = re.findall(r"(?m)^\S* ?.*?\buser: (.+)$", shown)
        return {"summary": "；".join(said)[:200], "goal": said[-1] if said else "",
                "outcome": "success", "entities": [], "tags": [], "importance": 0.5}  # fmt: skip
    if '"entries"' in form or '"same"' in form or '"core"' in form:
        return {"entries": [], "same": [], "core": []}
    lines = [line for line in shown.splitlines() if line.startswith("[")]
    facts = [
        {**fact, "turns": [int(line[1 : line.index("]")])], "confidence": 0.95, "importance": 0.7}
        for words, fact in (learned.values() for learned in SCRIPT["learned"])
        for line in lines
        if words in line
    ]
    return {"facts": facts, "summary": "聊了 " + "、".join(f["content"][:12] for f in facts)}


@contextmanager
def scripted_model() -> Iterator[dict[str, Any]]:
    """The settings of a mind that learns with it."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Answers)
    Thread(target=server.serve_forever, daemon=True).start()
    url = f"http://127.0.0.1:{server.server_port}/v1"
    try:
        yield {"model": {"provider": "openai", "name": "m", "base_url": url, "api_key": "sk-x"}}
    finally:
        server.shutdown()


def live(folder: Path, preset: str, **settings: Any) -> Iterator[tuple[int, str]]:
    """The number of each day and the prompt before its last message."""
    clock = ManualClock(START)
    database = folder / "memory.db"
    settings |= {"embedding": {"provider": "none"}, "schedule": {"zone": ZONE}}
    with mnemic.open(database, preset=preset, clock=clock, worker="none", **settings) as mind:
        for number, day in enumerate(SCRIPT["days"], 1):
            said = day["said"]
            with mind.session(f"day{number}", project=day["project"]) as session:
                for place, text in enumerate(said):
                    if place == len(said) - 2:
                        yield number, mind.context(text, session=session.id).text
                    session.assistant(text) if place % 2 else session.user(text)
                    clock.advance(minutes=4)
                    mind.drain(due_only=True)
            clock.set(START + timedelta(days=number, hours=-5))  # four in the morning
            mind.drain()
            clock.set(START + timedelta(days=number))


def main() -> None:
    """Print the prompts of the days and the files at the end."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("preset", choices=PRESETS)
    parser.add_argument("--model", action="store_true", help="learn with a scripted model")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as name, scripted_model() as model:
        folder = Path(name)
        for number, prompt in live(folder, given.preset, **(model if given.model else {})):
            print(f"===== day {number}\n{prompt}\n")
        for path in sorted(folder.rglob("*.md")):
            print(f"===== {path.relative_to(folder)}\n{path.read_text()}")


if __name__ == "__main__":
    main()
