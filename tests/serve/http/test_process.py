"""`mnemic serve` and `mnemic token` as a person starts them."""

from __future__ import annotations

import json
import signal
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx
import pytest

import mnemic
from mnemic.clock import ManualClock
from mnemic.engine.remote.client import open_remote
from mnemic.serve.http.server import bind
from tests.cli.conftest import Shell
from tests.serve.http.conftest import serving
from tests.torture.killed_server import Announced, server
from tests.waiting import wait_for


def test_a_service_from_start_to_end(tmp_path: Path) -> None:
    """The printed token works; SIGTERM finishes a request, ends a stream, returns the job."""
    database, go = tmp_path / "memory.db", threading.Event()

    def slowly(turn: bytes) -> Iterator[bytes]:
        yield turn[:10]
        begun.set()
        assert go.wait(30)
        yield turn[10:]

    with server(database) as running, ThreadPoolExecutor(1) as pool:
        with open_remote(running.url, token=running.token) as mind, mind.session("s") as talk:
            talk.user("My cat is called Tom and I like green tea")
            assert mind.recall("tea")
        begun = threading.Event()
        headers = {"authorization": f"Bearer {running.token}", "content-type": "application/json"}
        http = httpx.Client(base_url=f"{running.url}/v1/spaces/default", headers=headers)
        with http, http.stream("GET", "/events/stream", timeout=30) as stream:
            lines = stream.iter_lines()
            assert next(lines) == ": events"
            turn = json.dumps({"session": "late", "role": "user", "text": "the last one"})
            late = pool.submit(http.post, "/turns", content=slowly(turn.encode()), timeout=30)
            assert begun.wait(30)
            assert http.get("/stats").status_code == 200  # so the other one has arrived
            running.process.send_signal(signal.SIGTERM)
            assert any(line == "event: closing" for line in lines), "the stream was ended"
            go.set()
            assert late.result(30).status_code == 200, "what was begun is finished"
        assert running.process.wait(40) == 0
        assert running.process.stderr is not None
        assert running.process.stderr.read() == ""
    with mnemic.open(database, worker="none") as here:
        assert [turn.text for turn in here.turns(session="late")] == ["the last one"]
        assert all(finding.ok for finding in here.doctor())
        assert here.jobs(state="running") == []


def test_a_key_is_known_after_a_kill_and_to_another_process(tmp_path: Path) -> None:
    """Each write is sent to a service that is killed, to the next one, and to one beside it."""
    database = tmp_path / "memory.db"
    with mnemic.open(database, worker="none") as mind:
        memory = mind.remember("The printer is on the second floor", kind="fact").id
    with mnemic.connect(database, worker="none") as engine:
        token = engine.tokens.add("app", "admin", ["*"])[0]
    writes: list[tuple[str, dict[str, Any]]] = [
        ("turns", {"session": "s", "role": "user", "text": "I like tea"}),
        ("turns/bulk", {"turns": [{"session": "s", "role": "user", "text": "and milk"}]}),
        ("sessions", {"project": "kitchen"}),
        ("attachments", {"path_or_url": "/x/cat.png"}),
        ("events", {"type": "host.noted", "payload": {"n": 1}}),
        ("memories", {"text": "plays chess on Fridays", "kind": "preference"}),
        (f"memories/{memory}/archive", {}),
        ("jobs/drain", {}),
        ("forget", {"session": "nobody", "dry_run": True}),
    ]

    def send(running: Announced) -> list[tuple[int, Any]]:
        headers = {"authorization": f"Bearer {token}", "content-type": "application/json"}
        with httpx.Client(base_url=running.url, headers=headers, timeout=60) as http:
            answers = [
                http.post(f"/v1/spaces/default/{path}", json=body,
                          headers={"idempotency-key": f"key {n}"})
                for n, (path, body) in enumerate(writes)
            ]  # fmt: skip
            other = http.post("/v1/spaces/default/turns", headers={"idempotency-key": "key 0"},
                              json={**writes[0][1], "text": "I like coffee"})  # fmt: skip
        assert (other.status_code, other.json()["code"]) == (409, "Conflict")
        return [(one.status_code, one.json() if one.content else None) for one in answers]

    with server(database) as first:
        answered = send(first)
        assert {status for status, _ in answered} <= {200, 204}, answered
        first.process.kill()
        first.process.wait()
    with server(database) as second, server(database) as beside:
        assert send(second) == answered
        assert send(beside) == answered
    with mnemic.open(database, worker="none") as mind:
        assert [turn.text for turn in mind.turns()] == ["I like tea", "and milk"]
        assert len(mind.sessions()) == 2
        assert len(mind.events(type="host.noted")) == 1


def test_tokens_are_made_listed_and_revoked(tmp_path: Path, clock: ManualClock) -> None:
    shell, db = Shell(tmp_path / "memory.db"), ("--db", str(tmp_path / "memory.db"))
    refused = shell("serve", "--host", "0.0.0.0", "--port", "0", *db, code=2)
    assert "there are no tokens" in refused.stderr
    made = shell.json("token", "add", "laptop", "--scope", "read", *db)
    assert made["token"].encode() not in (tmp_path / "memory.db").read_bytes()
    (listed,) = shell.json("token", "list", *db)
    assert listed == {name: value for name, value in made.items() if name != "token"}
    assert "laptop" in shell("token", "list", *db).stdout
    with serving(tmp_path, clock) as served:
        mind = served.mind(token=made["token"])
        assert mind.stats().turns == 0
        with pytest.raises(mnemic.Forbidden, match="scope read"):
            mind.record(session="s", role="user", text="tea")
        assert made["id"] in shell("token", "revoke", made["id"], *db).stdout
        wait_for(lambda: _is_refused(mind))
    assert "There is no token" in shell("token", "revoke", made["id"], *db, code=1).stderr
    assert "revoked" in shell("token", "list", *db).stdout


def _is_refused(mind: mnemic.Mind) -> bool:
    try:
        mind.stats()
    except mnemic.Unauthorized:
        return True
    return False


def test_a_port_that_is_taken(tmp_path: Path) -> None:
    with bind("127.0.0.1", 0) as taken:
        port = str(taken.getsockname()[1])
        said = Shell(tmp_path / "m.db")(
            "serve", "--port", port, "--db", str(tmp_path / "m.db"), code=2
        )
    assert "cannot be used" in said.stderr
