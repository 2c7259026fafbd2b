import asyncio

import mnemic
from mnemic.integrations import StrandsMemoryStore

with mnemic.open("memory.db", worker="none") as mind:
    store = StrandsMemoryStore(mind, "one")
    asyncio.run(store.add("I use Python 3.12"))
    assert "3.12" in str(asyncio.run(store.search("which Python"))[0])
