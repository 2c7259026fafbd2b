import mnemic
from mnemic.integrations import MemoryCapability

with mnemic.open("memory.db", worker="none") as mind:
    from pydantic_ai import Agent
    from pydantic_ai.models.test import TestModel

    agent = Agent(TestModel(), capabilities=[MemoryCapability(mind, session="one")])
    agent.run_sync("I use Python 3.12")
    assert mind.turns(session="one")[0].text == "I use Python 3.12"
