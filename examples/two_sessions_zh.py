"""相隔一周的两次对话：第一次说的话被学会、被修正，第二次能想起来。"""

from __future__ import annotations

from datetime import UTC, datetime

import mnemic
from mnemic.clock import ManualClock

clock = ManualClock(datetime(2026, 3, 2, 1, tzinfo=UTC))
mind = mnemic.open("two_sessions_zh.db", clock=clock, worker="none")

with mind.session("周一") as talk:
    talk.user("我叫小林，住在杭州，平时用 Python 3.11。")
    talk.assistant("记住了。")
mind.drain()  # 平时由后台线程在对话之间完成

clock.advance(days=7)
with mind.session("下周一") as talk:
    talk.user("我昨天升级到 Python 3.12 了。")
    talk.assistant("好的。")
mind.drain()

print("现在知道的：")
for memory in mind.memories():
    print(f"  {memory.kind:<12}{memory.text}")

print("用的是哪个 Python？")
for hit in mind.recall("我用的是哪个版本的 Python？", limit=3):
    print(f"  {hit.score:.2f}  {hit.text}  ({', '.join(hit.why.routes)})")
mind.close()
