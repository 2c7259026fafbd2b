import asyncio

import mnemic
from mnemic.integrations import AdkMemoryService


async def remember(memory: AdkMemoryService) -> None:
    from google.adk.events.event import Event
    from google.adk.sessions.session import Session
    from google.genai.types import Content, Part

    said = Content(role="user", parts=[Part(text="I use Python 3.12")])
    event = Event(author="user", content=said)
    session = Session(id="one", app_name="app", user_id="ann", events=[event])
    await memory.add_session_to_memory(session)
    found = await memory.search_memory(app_name="app", user_id="ann", query="which Python")
    assert "3.12" in str(found.memories[0])


with mnemic.connect("memory.db", worker="none") as engine:
    asyncio.run(remember(AdkMemoryService(engine)))
