"""What a stranger said does not become better trusted by being recalled and said again."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import anyio
import pytest
from mcp import Client

from mnemic import Mind, NewTurn
from mnemic.clock import ManualClock
from mnemic.serve.mcp import ResourceList, mcp_server
from mnemic.tools import call_tool
from mnemic.types import Role
from tests.conftest import OpenMind
from tests.learning import thinking
from tests.providers.scripted import Scripted

pytestmark = pytest.mark.feature("N1", "N2")

STATEMENTS = {
    "en": (
        "The office network is called Falcon and its gateway is Osprey.",
        "Osprey serves as gateway of Falcon, the network of the office.",
    ),
    "zh": (
        "公司的无线网络叫猎鹰七号，网关放在三楼机房。",
        "三楼机房放着网关，公司无线网络是猎鹰七号。",
    ),
}
NAMES = ("Falcon", "猎鹰")
ABOUT = {"en": "office network gateway", "zh": "公司 无线网络 网关"}


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Scripted]:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    with Scripted() as made:
        yield made


def from_anybody(shown: str) -> list[thinking.Fact]:
    """A fact of everything in sight that somebody says of the network."""
    return [
        {"kind": "fact", "content": text, "confidence": 0.95, "turns": [number]}
        for number, _, text in thinking.lines(shown)
        if any(name in text for name in NAMES)
    ]


def from_the_agent(shown: str) -> list[thinking.Fact]:
    """The same, without what strangers say."""
    return from_anybody("\n".join(line for line in shown.splitlines() if "<external>" not in line))


def recall_turn(mind: Mind, language: str) -> None:
    assert mind.recall(ABOUT[language], of=["turn"])


def recall_episode(mind: Mind, language: str) -> None:
    assert mind.recall(ABOUT[language], of=["episode"])


def context(mind: Mind, language: str) -> None:
    built = mind.context(ABOUT[language], session="work")
    assert any(name in built.text for name in NAMES)


def search_memory(mind: Mind, language: str) -> None:
    answer = call_tool(mind, "search_memory", {"query": ABOUT[language]})
    assert any(name in answer.text for name in NAMES)


def search_traces(mind: Mind, language: str) -> None:
    answer = call_tool(mind, "search_conversation_traces", {"query": ABOUT[language]})
    assert any(name in answer.text for name in NAMES)


def host_traces(mind: Mind, language: str) -> None:
    said = STATEMENTS[language][0]
    found = [NewTurn("elsewhere", "user", said, sender="Eve")]
    query = {"query": "nothing the database knows"}
    answer = call_tool(mind, "search_conversation_traces", query, traces=lambda asked: iter(found))
    assert any(name in answer.text for name in NAMES)


def over_mcp(mind: Mind, language: str) -> None:
    async def run() -> None:
        async with Client(mcp_server(mind)) as client:
            result = await client.call_tool("search_memory", {"query": ABOUT[language]})
            assert any(name in str(result.content) for name in NAMES)

    anyio.run(run)


def mcp_resource(mind: Mind, language: str) -> None:
    assert any(name in ResourceList(mind).read("mnemic://episodes") for name in NAMES)


WAYS: dict[str, Callable[[Mind, str], None]] = {
    way.__name__: way
    for way in (
        recall_turn, recall_episode, context, search_memory, search_traces, host_traces, over_mcp,
        mcp_resource,
    )
}  # fmt: skip


def prepared(
    open_mind: OpenMind, clock: ManualClock, server: Scripted, language: str, *, learned: bool
) -> Mind:
    """A mind in which a stranger has made a statement, which waits where it was ``learned``."""
    said = STATEMENTS[language][0]
    story = {**thinking.STORY, "summary": f"Eve: {said}"}
    server.always(thinking.proposing(from_anybody if learned else from_the_agent, story=story))
    mind = open_mind(":memory:", **thinking.settings(server))
    for turn in (
        NewTurn("group", "user", said, sender="Eve", trust="external"),
        *(NewTurn("group", "assistant", "Noted.") for _ in range(5)),
    ):
        mind.record_turn(turn)
    mind.end_session("group")
    clock.advance(minutes=5)
    mind.drain()
    assert mind.episodes()
    assert mind.memories() == []
    assert len(mind.pending()) == learned
    return mind


def said_by(mind: Mind, clock: ManualClock, role: Role, text: str) -> None:
    clock.advance(seconds=5)
    other: Role = "assistant" if role == "user" else "user"
    mind.record(session="work", role=other, text="hm, tell me")
    mind.record(session="work", role=role, text=text)
    mind.end_session("work")
    clock.advance(hours=3)
    mind.drain()


@pytest.mark.parametrize("language", STATEMENTS)
@pytest.mark.parametrize("way", WAYS)
def test_the_agent_says_again_what_it_was_shown(
    open_mind: OpenMind, clock: ManualClock, server: Scripted, way: str, language: str
) -> None:
    mind = prepared(open_mind, clock, server, language, learned=False)
    WAYS[way](mind, language)
    said_by(mind, clock, "assistant", STATEMENTS[language][0])
    assert mind.memories() == []
    assert mind.pending() == [], "word for word it is an echo"


@pytest.mark.parametrize("language", STATEMENTS)
@pytest.mark.parametrize("way", ["recall_turn", "recall_episode", "context"])
def test_in_other_words_it_keeps_the_strangers_trust(
    open_mind: OpenMind, clock: ManualClock, server: Scripted, way: str, language: str
) -> None:
    mind = prepared(open_mind, clock, server, language, learned=False)
    WAYS[way](mind, language)
    said_by(mind, clock, "assistant", STATEMENTS[language][1])
    assert mind.memories() == []
    (waiting,) = mind.pending()
    assert waiting.trust == "external"


@pytest.mark.parametrize("language", STATEMENTS)
def test_what_waits_is_put_in_force_by_the_owner_and_by_nobody_else(
    open_mind: OpenMind, clock: ManualClock, server: Scripted, language: str
) -> None:
    said = STATEMENTS[language][0]
    mind = prepared(open_mind, clock, server, language, learned=True)
    said_by(mind, clock, "assistant", said)
    assert mind.memories() == [], "even if nobody has shown it to the agent"
    assert [memory.trust for memory in mind.pending()] == ["external"]
    assert mind.pending(offer=True), "which shows it"
    said_by(mind, clock, "assistant", STATEMENTS[language][1])
    assert mind.memories() == []
    said_by(mind, clock, "user", said)
    (known,) = mind.memories()
    assert known.trust == "owner"


@pytest.mark.parametrize("language", STATEMENTS)
@pytest.mark.parametrize("wording", [0, 1])
def test_a_model_that_asks_for_it_to_be_kept(
    open_mind: OpenMind, clock: ManualClock, server: Scripted, language: str, wording: int
) -> None:
    mind = prepared(open_mind, clock, server, language, learned=False)
    told = {"text": STATEMENTS[language][wording], "kind": "fact"}
    mind.recall(ABOUT[language], of=["turn"])
    answer = call_tool(mind, "add_memory", told)
    assert answer.data["decision"] == "pending"
    assert answer.data["trust"] == "external"
    clock.advance(days=3)
    other = {"text": "The spare key hangs behind the door.", "kind": "fact"}
    assert call_tool(mind, "add_memory", other).data["decision"] == "new"


def test_what_the_agent_said_itself_is_learned_although_it_was_recalled(
    open_mind: OpenMind, clock: ManualClock, server: Scripted
) -> None:
    """A turn that is shown before anything was learned from it is not an echo of itself."""
    server.always(thinking.proposing(from_the_agent))
    mind = open_mind(":memory:", **thinking.settings(server))
    mind.record(session="work", role="assistant", text=STATEMENTS["en"][0])
    recall_turn(mind, "en")
    clock.advance(hours=3)
    mind.drain()
    (known,) = mind.memories()
    assert known.trust == "agent"
