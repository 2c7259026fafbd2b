import asyncio

import mnemic
from mnemic.integrations import AutogenMemory


async def remember(memory: AutogenMemory) -> None:
    from autogen_core.memory import MemoryContent, MemoryMimeType

    await memory.add(MemoryContent(content="I use Python 3.12", mime_type=MemoryMimeType.TEXT))
    found = await memory.query("which Python")
    assert "3.12" in str(found.results[0].content)


with mnemic.open("memory.db", worker="none") as mind:
    asyncio.run(remember(AutogenMemory(mind, "one")))
