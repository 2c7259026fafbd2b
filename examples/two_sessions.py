"""Two conversations a week apart: what was said in the first is learned, revised, and recalled."""

from __future__ import annotations

from datetime import UTC, datetime

import mnemic
from mnemic.clock import ManualClock

clock = ManualClock(datetime(2026, 3, 2, 9, tzinfo=UTC))
mind = mnemic.open("two_sessions.db", clock=clock, worker="none")

with mind.session("monday") as talk:
    talk.user("I'm Lin. I live in Hangzhou, and I use Python 3.11 for everything.")
    talk.assistant("Noted.")
mind.drain()  # what the background worker would do between conversations

clock.advance(days=7)
with mind.session("next monday") as talk:
    talk.user("I upgraded to Python 3.12 yesterday.")
    talk.assistant("Good.")
mind.drain()

print("What is known now:")
for memory in mind.memories():
    print(f"  {memory.kind:<12}{memory.text}")

print("Which Python?")
for hit in mind.recall("which Python version do I use?", limit=3):
    print(f"  {hit.score:.2f}  {hit.text}  ({', '.join(hit.why.routes)})")

print("For the prompt:")
print(mind.context("which Python version do I use?", budget=500).text)
mind.close()
