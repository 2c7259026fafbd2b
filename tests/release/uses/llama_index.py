import asyncio

import mnemic
from mnemic.integrations import MnemicMemoryBlock

with mnemic.open("memory.db", worker="none") as mind:
    from llama_index.core.base.llms.types import ChatMessage
    from llama_index.core.memory import Memory

    memory = Memory.from_defaults(memory_blocks=[MnemicMemoryBlock(mind, "one")])
    mind.record(session="before", role="user", text="I use Python 3.12")
    asked = ChatMessage(role="user", content="Which Python do I use?")
    asyncio.run(memory.aput(asked))
    assert "3.12" in str(asyncio.run(memory.aget()))
