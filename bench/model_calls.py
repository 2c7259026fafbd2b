"""Calls and tokens that a memory model is asked for: one bilingual story of 100 turns, told to a
scripted server that answers as a good model would. Run from a checkout::

    python -m bench.model_calls
"""

from __future__ import annotations

import json
import re
import threading
from collections import Counter
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, ClassVar

import mnemic
from mnemic.clock import ManualClock

_NUMBERED = re.compile(r"^\[(\d+)\] (?:[^\n]*?[+-]\d\d:\d\d )?user[^:\n]*: (.*)$", re.MULTILINE)
_STORY = {
    "summary": "They talked about work and family.", "goal": "talk", "outcome": "success",
    "entities": [], "tags": [], "importance": 0.5,
}  # fmt: skip
# What the user says, and what a good model makes of it: kind, subject, predicate, value.
Fact = tuple[str, str, str, str]
TOLD: tuple[tuple[str, Fact | None], ...] = (
    ("Hi, I'm Ada, I work at Blue Bottle as a data engineer.",
     ("identity", "user", "name", "Ada")),
    ("My roommate Emily is allergic to peanuts.", ("fact", "Emily", "allergic_to", "peanuts")),
    ("Can you explain what a B-tree is?", None),
    ("We use Postgres 15 for the shop.", ("config", "shop database", "version", "Postgres 15")),
    ("Please keep answers short.", ("rule", "user", "rule", "keep answers short")),
    ("我住在杭州，老家在绍兴。", ("identity", "user", "lives_in", "杭州")),
    ("我每周三晚上打羽毛球。", ("fact", "user", "habit", "周三晚上打羽毛球")),
    ("帮我看看这段代码为什么报错", None),
    ("我女儿叫小满，今年五岁。", ("identity", "user", "daughter", "小满")),
    ("这个项目用 uv 管理依赖。", ("config", "project", "uses", "uv")),
    ("I drive a blue Volvo V60.", ("fact", "user", "car", "blue Volvo V60")),
    ("What's the weather like on Mars?", None),
    ("I play the cello in an orchestra.", ("fact", "user", "instrument", "cello")),
    ("My boss is called Marcus.", ("fact", "user", "boss", "Marcus")),
    ("The release is due on 12 December.", ("event", "release", "deadline", "12 December")),
    ("我对海鲜过敏。", ("identity", "user", "allergic_to", "海鲜")),
    ("我们决定用 Redis 做缓存，因为团队熟悉。", ("decision", "cache", "uses", "Redis")),
    ("下周要去成都出差三天。", ("event", "user", "trip", "成都")),
    ("讲个笑话吧", None),
    ("我喜欢喝乌龙茶。", ("preference", "user", "likes", "乌龙茶")),
    ("I like hiking on Sundays.", ("preference", "user", "likes", "hiking on Sundays")),
    ("I upgraded the shop to Postgres 16.",
     ("config", "shop database", "version", "Postgres 16")),
    ("Translate 'good morning' into French.", None),
    ("My dog Rex died last month.", ("event", "Rex", "status", "died")),
    ("I prefer tabs over spaces.", ("preference", "user", "prefers", "tabs over spaces")),
    ("我把手机换成了 Pixel 9。", ("fact", "user", "phone", "Pixel 9")),
    ("妈妈的生日是三月八号。", ("fact", "user's mother", "birthday", "三月八号")),
    ("谢谢", None),
    ("以后回答都用中文。", ("rule", "user", "language of answers", "中文")),
    ("我在学吉他。", ("fact", "user", "studies", "吉他")),
    ("I moved to Lisbon in October.", ("identity", "user", "lives_in", "Lisbon")),
    ("Emily's brother Tom is visiting on Friday.", ("event", "Tom", "visits", "Friday")),
    ("How do I sort a dict by value?", None),
    ("I take metformin every morning.", ("fact", "user", "medication", "metformin")),
    ("Deployments to production happen on Tuesdays only.",
     ("rule", "production", "deployments", "Tuesdays only")),
    ("我改用 pnpm 了。", ("config", "user", "uses", "pnpm")),
    ("我们团队一共七个人。", ("fact", "team", "size", "七个人")),
    ("把这段话翻译成英文", None),
    ("爸爸退休了，现在住在青岛。", ("fact", "user's father", "lives_in", "青岛")),
    ("我不喝咖啡。", ("preference", "user", "dislikes", "咖啡")),
    ("My email is ada@example.org.", ("identity", "user", "email", "ada@example.org")),
    ("The staging database is MySQL 8.", ("config", "staging database", "version", "MySQL 8")),
    ("Thanks, that helped!", None),
    ("We switched the CI from Jenkins to GitHub Actions.",
     ("decision", "CI", "uses", "GitHub Actions")),
    ("I'm reading The Left Hand of Darkness.",
     ("fact", "user", "reading", "The Left Hand of Darkness")),
    ("我养了两只猫，叫芝麻和汤圆。", ("fact", "user", "cats", "芝麻、汤圆")),
    ("服务器在法兰克福。", ("config", "server", "location", "法兰克福")),
    ("现在几点了？", None),
    ("我打算明年考驾照。", ("event", "user", "plans", "考驾照")),
    ("女儿上幼儿园大班了。", ("fact", "小满", "school", "幼儿园大班")),
)  # fmt: skip
_SESSION = 5  # user turns of one session


class _Model(BaseHTTPRequestHandler):
    """Answers what the story says; keeps what it was asked."""

    asked: ClassVar[list[dict[str, Any]]] = []
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        type(self).asked.append(body)
        text = json.dumps(_answer(json.dumps(body), body), ensure_ascii=False)
        choice = {"message": {"content": text}, "finish_reason": "stop"}
        data = json.dumps({"choices": [choice]}).encode()
        self.send_response(200)
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, format: str, *args: Any) -> None:
        """Quiet."""


def _answer(whole: str, body: dict[str, Any]) -> dict[str, Any]:
    if "verdict" in whole:
        return {"verdict": "new", "memory": 0}
    if '\\"goal\\"' in whole or '"goal"' in whole:
        return _STORY
    shown = body["messages"][-1]["content"]
    known = dict(TOLD)
    return {
        "facts": [_fact(text, known[text], int(n)) for n, text in _NUMBERED.findall(shown)
                  if known.get(text)]
    }  # fmt: skip


def _fact(text: str, fact: Fact | None, turn: int) -> dict[str, Any]:
    kind, subject, predicate, value = fact or ("", "", "", "")
    return {
        "kind": kind, "content": text, "subject": subject, "predicate": predicate, "value": value,
        "importance": 0.6, "confidence": 0.95, "turns": [turn],
    }  # fmt: skip


def main() -> None:
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Model)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    clock = ManualClock(datetime(2026, 11, 16, 12, tzinfo=UTC))
    url = f"http://127.0.0.1:{server.server_address[1]}"
    model = {"provider": "openai", "name": "m", "api_key": "none", "base_url": url}
    with mnemic.open(
        ":memory:", clock=clock, worker="none", model=model, embedding={"provider": "none"}
    ) as mind:
        for at in range(0, len(TOLD), _SESSION):
            session = f"s{at // _SESSION}"
            for text, _ in TOLD[at : at + _SESSION]:
                reply = "好的。" if re.search("[\u4e00-\u9fff]", text) else "All right."
                mind.record(session=session, role="user", text=text)
                clock.advance(seconds=20)
                mind.record(session=session, role="assistant", text=reply)
                clock.advance(seconds=20)
            mind.end_session(session)
            mind.drain()
            clock.advance(hours=5)
        turns = len(mind.turns(limit=1_000))
        print(f"{turns} turns, {len(mind.memories(limit=1_000))} memories")
        total: Counter[str] = Counter()
        for use in mind.usage():
            print(f"{use.purpose:10} {use.calls:4} calls {use.input_tokens:7} tokens in"
                  f" {use.output_tokens:6} out")  # fmt: skip
            total.update(calls=use.calls, read=use.input_tokens, written=use.output_tokens)
        sent = sum(len(json.dumps(body, ensure_ascii=False)) for body in _Model.asked)
        print(f"in all     {total['calls']:4} calls {total['read']:7} tokens in"
              f" {total['written']:6} out, {sent:,} characters on the wire")  # fmt: skip
    server.shutdown()


if __name__ == "__main__":
    main()
