import mnemic
from mnemic.integrations import CrewMemory

with mnemic.open("memory.db", worker="none") as mind:
    memory = CrewMemory(mind, "one")
    memory.remember("I use Python 3.12")
    assert "3.12" in memory.recall("which Python")[0].record.content
