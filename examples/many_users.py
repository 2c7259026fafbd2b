"""Many people at once with asyncio: one database, a space each, nobody sees another's memory."""

from __future__ import annotations

import asyncio

import mnemic

SAID = {
    "ann": "I use Python 3.12 at work.",
    "bob": "I write everything in Go.",
    "小明": "我在杭州上班。",
}
ASKED = {"ann": "Which Python do I use?", "bob": "What do I write in Go?", "小明": "我在哪里上班？"}


async def talk(engine: mnemic.AsyncEngine, user: str) -> str:
    """One request of one person: remember what was said, find what is known."""
    mind = await engine.mind(user)  # microseconds: connections and workers are shared
    await mind.record(session="web", role="user", text=SAID[user])
    hits = await mind.recall(ASKED[user], limit=1)
    return f"{user}: {hits[0].text if hits else '(nothing is known)'}"


async def main() -> None:
    async with await mnemic.connect_async("many_users.db") as engine:
        for line in await asyncio.gather(*(talk(engine, user) for user in SAID)):
            print(line)
        print(await engine.spaces())


asyncio.run(main())
