import asyncio

import recollect
from recollect.integrations import StrandsMemoryStore

with recollect.open("memory.db", worker="none") as mind:
    store = StrandsMemoryStore(mind, "one")
    asyncio.run(store.add("I use Python 3.12"))
    assert "3.12" in str(asyncio.run(store.search("which Python"))[0])
