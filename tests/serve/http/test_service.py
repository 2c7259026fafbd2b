"""The service itself: keys, limits, events, figures, MCP, and its own addresses."""

from __future__ import annotations

import json
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import anyio
import httpx
import httpx2
import pytest

import mnemic
from mnemic.clock import ManualClock
from mnemic.serve.http.limits import Limits
from tests.conftest import NOON
from tests.serve.http.conftest import Running, serving
from tests.waiting import wait_for

TURNS = "/v1/spaces/default/turns"
TURN = {"session": "s", "role": "user", "text": "I like tea"}


def test_a_request_that_is_repeated_is_done_once(served: Running) -> None:
    key = {"idempotency-key": "first"}
    with served.http() as http:
        first = http.post(TURNS, json=TURN, headers=key)
        again = http.post(TURNS, json=TURN, headers=key)
        assert first.status_code == 200
        assert again.json() == first.json()
        assert len(http.get(TURNS).json()["items"]) == 1
        other = http.post(TURNS, json={**TURN, "text": "milk"}, headers=key)
        assert (other.status_code, other.json()["code"]) == (409, "Conflict")
        elsewhere = http.post("/v1/spaces/second/turns", json=TURN, headers=key)
        assert elsewhere.json()["id"] != first.json()["id"]
        # What the engine knows by its key is known to it for good.
        known = {"text": "likes tea", "kind": "preference"}
        path, key = "/v1/spaces/default/memories", {"idempotency-key": "kept"}
        kept = [http.post(path, json=known, headers=key).json() for _ in range(2)]
        assert kept[0]["memory"]["id"] == kept[1]["memory"]["id"]
        (written,) = served.engine.mind().events(type="write")
        assert written.operation_id == "kept"
        for wrong in ("", "x" * 300):
            answer = http.post(TURNS, json=TURN, headers={"idempotency-key": wrong})
            assert answer.status_code == 422


def test_the_same_key_at_the_same_time(served: Running) -> None:
    with served.http() as http, ThreadPoolExecutor(8) as pool:
        send = lambda _: http.post(TURNS, json=TURN, headers={"idempotency-key": "k"}).json()  # noqa: E731
        assert len({answer["id"] for answer in pool.map(send, range(16))}) == 1
        assert len(http.get(TURNS).json()["items"]) == 1


def test_what_is_sent_is_checked_before_anything_is_done(served: Running) -> None:
    wrong: list[tuple[dict[str, Any], str]] = [
        ({"content": b"{"}, "not JSON"),
        ({"content": b"[]"}, "not a JSON object"),
        ({"content": b'{"session": NaN}'}, "not JSON"),
        ({"content": b"[" * 100_000}, "not JSON"),
        ({"content": b"\xff"}, "not JSON"),
        ({"json": {**TURN, "colour": "red"}}, "colour is not a parameter"),
        ({"json": {**TURN, "text": 7}}, "text is not a text"),
        ({"json": {"session": "s"}}, "is missing"),
        ({"json": {**TURN, "tool_calls": [{"input": {}}]}}, "tool_calls[0].name is missing"),
        ({"json": {**TURN, "role": "king"}}, "role is not one of user, assistant"),
        ({"json": {**TURN, "metadata": []}}, "metadata is not an object"),
    ]
    with served.http(**{"content-type": "application/json"}) as http:
        for sent, said in wrong:
            answer = http.post(TURNS, **sent)
            assert answer.status_code == 422, said
            assert said in answer.json()["detail"]
        for query in ("limit=x", "limit=1001", "offset=-1", "limit=1&limit=2", "colour=red"):
            assert http.get(f"{TURNS}?{query}").status_code == 422, query
        assert http.get(TURNS).json() == {"items": [], "next": None}


def test_limits_answer_413_429_and_503(tmp_path: Path) -> None:
    """Two threads, two that wait; a token may have three. All hold on a gate of the test."""
    gate = threading.Event()
    limits = Limits(body=1_000, write_threads=2, waiting=2, each=3, seconds=0.3)

    class Waiting(ManualClock):
        def now(self) -> Any:
            if threading.current_thread().name.startswith("mnemic-http-write"):
                gate.wait(20)
            return super().now()

    with serving(tmp_path, Waiting(NOON), limits) as served, served.http() as http:
        assert http.post(TURNS, json={**TURN, "text": "x" * 2_000}).status_code == 413
        big = (b"x" * 100 for _ in range(100))
        chunked = http.post(TURNS, content=big, headers={"content-type": "application/json"})
        assert chunked.status_code == 413
        other = served.http(served.token("write", "default"))
        with ThreadPoolExecutor(4) as pool:
            mine = [pool.submit(http.post, TURNS, json=TURN) for _ in range(3)]
            wait_for(lambda: served.service._queue.running == 3)
            limited = http.post(TURNS, json=TURN)
            assert (limited.status_code, limited.json()["code"]) == (429, "RateLimited")
            assert int(limited.headers["retry-after"]) >= 1
            theirs = pool.submit(other.post, TURNS, json=TURN)
            wait_for(lambda: served.service._queue.running == 4)
            full = other.post(TURNS, json=TURN)
            assert (full.status_code, full.json()["code"]) == (503, "ServiceUnavailable")
            late = [one.result() for one in (*mine, theirs)]
            assert {answer.status_code for answer in late} == {503}
            assert "goes on" in late[0].json()["detail"]
            assert http.get("/healthz").status_code == 200
            gate.set()
        wait_for(lambda: served.service._queue.running == 0)
        other.close()
        assert len(http.get(TURNS).json()["items"]) == 4, "what was begun was finished"


def test_what_is_short_does_not_wait_behind_what_is_long(tmp_path: Path) -> None:
    """Every thread that recalls or audits holds on a gate of the test, and more wait for one."""
    gate, held = threading.Event(), ("mnemic-http-read", "mnemic-http-lasting")
    gate.set()

    class Waiting(ManualClock):
        def now(self) -> Any:
            if threading.current_thread().name.startswith(held):
                gate.wait(20)
            return super().now()

    limits = Limits(threads=1, lasting_threads=1, waiting=1)
    recall, audit = "/v1/spaces/default/recall", "/v1/spaces/default/audit"
    with serving(tmp_path, Waiting(NOON), limits) as served, served.http() as http:
        assert http.post(TURNS, json=TURN).status_code == 200
        gate.clear()
        with ThreadPoolExecutor(4) as pool:
            asked = [pool.submit(http.post, recall, json={"query": "tea"}) for _ in range(2)]
            asked += [pool.submit(http.get, audit) for _ in range(2)]
            wait_for(lambda: served.service._queue.running == 4)
            assert http.post(recall, json={"query": "tea"}).status_code == 503
            assert http.get(audit).status_code == 503
            turn = http.post(TURNS, json=TURN)
            memory = http.post("/v1/spaces/default/memories", json={"text": "tea", "kind": "fact"})
            assert (turn.status_code, memory.status_code) == (200, 200)
            for path in ("/healthz", "/readyz", "/metrics"):
                assert http.get(path).status_code == 200
            assert "mnemic_http_running 4" in http.get("/metrics").text
            gate.set()
            assert {one.result(30).status_code for one in asked} == {200}


def events_of(answer: httpx.Response, count: int) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    for line in answer.iter_lines():
        if line.startswith("data: "):
            found.append(json.loads(line[6:]))
            if len(found) == count:
                break
    return found


def test_events_are_streamed_and_go_on_where_they_stopped(served: Running) -> None:
    remote, path = served.mind(), "/v1/spaces/default/events/stream"
    remote.emit("host.before", {"n": 0})
    with served.http() as http:
        with http.stream("GET", path) as stream:
            assert stream.headers["content-type"].startswith("text/event-stream")
            lines = stream.iter_lines()
            assert next(lines) == ": events"
            for number in (1, 2):
                remote.emit("host.noted", {"n": number})
            live = []
            for line in lines:
                if line.startswith("data: "):
                    live.append(json.loads(line[6:]))
                if len(live) == 2:
                    break
        assert [one["payload"]["n"] for one in live] == [1, 2]
        remote.emit("host.noted", {"n": 3})
        with http.stream("GET", path, headers={"last-event-id": live[0]["id"]}) as stream:
            assert [one["payload"]["n"] for one in events_of(stream, 2)] == [2, 3]
        with http.stream("GET", path, headers={"last-event-id": "unknown"}) as stream:
            assert [one["payload"]["n"] for one in events_of(stream, 4)] == [0, 1, 2, 3]


def test_a_stream_ends_when_its_token_is_revoked(served: Running) -> None:
    token = served.token("read", "default")
    (id_,) = [one.id for one in served.tokens.all() if one.scope == "read"]
    path = "/v1/spaces/default/events/stream"
    with served.http(token) as http, http.stream("GET", path) as stream:
        lines = stream.iter_lines()
        assert next(lines) == ": events"
        served.tokens.revoke(id_)
        served.mind().emit("host.secret", {"n": 1})
        rest = "\n".join(lines)
    assert "Unauthorized" in rest
    assert "host.secret" not in rest


def test_health_and_figures(served: Running) -> None:
    served.mind("a").record(session="s", role="user", text="tea")
    served.mind('b"\\').recall("tea")
    served.mind('b"\\').record(session="s", role="user", text="tea")
    with served.http() as http:
        assert http.get("/healthz").json() == {"status": "ok"}
        assert http.get("/readyz").json() == {"status": "ok"}
        text = http.get("/metrics").text
        assert "mnemic_database_spaces 2" in text
        assert "space=" not in text, "no series for each space"
        assert 'mnemic_http_requests_total{operation="record",status="200"} 2' in text
        assert 'mnemic_http_request_seconds_bucket{operation="record",le="+Inf"} 2' in text
        own = http.get("/v1/spaces/b%22%5C/metrics/prometheus").json()
        assert 'mnemic_recalls_total{space="b\\"\\\\"} 1' in own
        served.service.stopping = True
        assert http.get("/readyz").status_code == 503
        assert http.get("/v1/spaces").json() == ["a", 'b"\\']


def test_mcp_on_the_same_port_with_the_same_tokens(served: Running) -> None:
    from mcp import Client
    from mcp.client.streamable_http import streamable_http_client

    async def talk(path: str, token: str) -> list[str]:
        headers = {"authorization": f"Bearer {token}"}
        with anyio.fail_after(30):
            async with httpx2.AsyncClient(headers=headers, trust_env=False) as http:
                transport = streamable_http_client(f"{served.url}{path}", http_client=http)
                async with Client(transport) as client:
                    tools = await client.list_tools()
                    arguments = {"text": "The user likes oolong tea", "kind": "preference"}
                    added = await client.call_tool("add_memory", arguments)
                    assert not added.is_error, added
                    found = await client.call_tool("search_memory", {"query": "tea"})
                    assert "oolong" in str(found.content)
                    return [tool.name for tool in tools.tools]

    token = served.token("write", "mine")
    assert "search_memory" in anyio.run(talk, "/v1/spaces/mine/mcp", token)
    assert "search_memory" in anyio.run(talk, "/mcp", served.admin)
    assert len(served.mind("mine").memories()) == 1
    assert len(served.mind().memories()) == 1
    with served.http() as http:
        (entry,) = http.get("/v1/spaces/mine/accesses").json()["items"]
    assert (entry["operation"], entry["status"]) == ("add_memory", 200)
    assert entry["token"] == served.tokens.find(token).id
    with served.http(served.token("read", "mine")) as http:
        assert http.post("/v1/spaces/mine/mcp", json={}).status_code == 403


def test_names_with_slashes_dots_and_other_scripts(served: Running) -> None:
    for name in ("a/b", "..", "%2e", "空间", "a b?c#d", "Ünï"):
        mind = served.mind(name)
        with mind.session(f"talk {name}") as talk:
            talk.user(f"in {name}")
            assert [turn.text for turn in talk.recent()] == [f"in {name}"]
        assert [info.id for info in mind.sessions()] == [f"talk {name}"]
    assert served.mind().stats().turns == 0


def test_a_memory_that_is_off_says_so(tmp_path: Path, clock: ManualClock) -> None:
    with serving(tmp_path, clock, memory={"enabled": False}) as served:
        served.mind().record(session="s", role="user", text="tea")
        with pytest.raises(mnemic.MemoryOff):
            served.mind().forget(session="s")
