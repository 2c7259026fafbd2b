"""The examples of the heavy frameworks in docs/integrations.md, as they stand."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.integrations.server import model, prompt
from tests.integrations.test_docs import EXAMPLES
from tests.providers.scripted import Scripted

# What the page leaves to the reader, by the class that the example shows, and the host's library.
BEFORE = {
    "MemoryMiddleware": ("langchain_openai", ""),
    "AdkMemoryService": (
        "google.adk",
        "from google.adk.agents import LlmAgent\n"
        "from google.adk.sessions import InMemorySessionService\n"
        "agent = LlmAgent(name='helper', model='gemini-2.5-flash')\n"
        "sessions = InMemorySessionService()\n",
    ),
    "CrewMemory": (
        "crewai",
        "import crewai\n"
        "llm = crewai.LLM(model='gpt-4o', api_key='test')\n"
        "agent = crewai.Agent(role='a', goal='b', backstory='c', llm=llm)\n"
        "task = crewai.Task(description='d', expected_output='e', agent=agent)\n",
    ),
    "MnemicMemoryBlock": ("llama_index.core", ""),
    "AutogenMemory": (
        "autogen_ext.models.openai",
        "from autogen_ext.models.openai import OpenAIChatCompletionClient\n"
        "client = OpenAIChatCompletionClient(model='gpt-4o', api_key='test')\n",
    ),
    "StrandsMemoryStore": (
        "strands.models.openai",
        "from strands.models.openai import OpenAIModel\n"
        "model = OpenAIModel(client_args={'api_key': 'test'}, model_id='m')\n",
    ),
    "MemoryContextProvider": (
        "agent_framework_openai",
        "from agent_framework_openai import OpenAIChatCompletionClient\n"
        "client = OpenAIChatCompletionClient(model='m', api_key='test')\n",
    ),
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("adapter", BEFORE)
def test_an_example_runs(
    adapter: str, server: Scripted, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    library, before = BEFORE[adapter]
    pytest.importorskip(library)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("OPENAI_BASE_URL", server.url)
    monkeypatch.setenv("OPENAI_API_KEY", "test")
    model(server, "Python 3.12.")
    (code,) = [example for example in EXAMPLES if adapter in example]
    names: dict[str, Any] = {}
    exec(before + code, names)
    if "print(" in code:
        assert "Which Python" in prompt(server.asked[0])
