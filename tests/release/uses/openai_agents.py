import asyncio

import mnemic
from mnemic.integrations import AgentsSession

with mnemic.open("memory.db", worker="none") as mind:
    from agents import TResponseInputItem

    session = AgentsSession(mind, "one")
    said: TResponseInputItem = {"role": "user", "content": "I use Python 3.12"}
    asyncio.run(session.add_items([said]))
    assert asyncio.run(session.get_items()) == [said]
