import asyncio

import mnemic
from mnemic.integrations import MemoryContextProvider


async def remember(provider: MemoryContextProvider) -> None:
    from agent_framework import AgentSession, Message, SessionContext

    session = AgentSession(session_id="one")
    asked = Message("user", ["I use Python 3.12"])
    context = SessionContext(session_id="one", input_messages=[asked])
    await provider.before_run(agent=None, session=session, context=context, state={})
    await provider.after_run(agent=None, session=session, context=context, state={})


with mnemic.open("memory.db", worker="none") as mind:
    asyncio.run(remember(MemoryContextProvider(mind)))
    assert mind.turns(session="one")[0].text == "I use Python 3.12"
