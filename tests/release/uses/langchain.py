import mnemic
from mnemic.integrations import MemoryMiddleware

with mnemic.open("memory.db", worker="none") as mind:
    from langchain.agents import create_agent
    from langchain_core.language_models.fake_chat_models import FakeListChatModel

    chat = FakeListChatModel(responses=["Noted."])
    agent = create_agent(chat, middleware=[MemoryMiddleware(mind)])
    question = {"messages": [{"role": "user", "content": "I use Python 3.12"}]}
    agent.invoke(question, {"configurable": {"thread_id": "one"}})
    assert [turn.role for turn in mind.turns(session="one")] == ["user", "assistant"]
