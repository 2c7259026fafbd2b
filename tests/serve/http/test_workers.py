"""`mnemic serve --workers`: several processes on one port."""

from __future__ import annotations

import itertools
import json
import os
import signal
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx
import pytest

import mnemic
from mnemic.engine.remote.client import open_remote
from tests.torture.killed_server import Announced, server
from tests.waiting import wait_for

_CLIENTS = 4


def children(running: Announced) -> list[int]:
    """The processes that a service has started."""
    process = running.process.pid
    listed = Path(f"/proc/{process}/task/{process}/children").read_text(encoding="ascii")
    return [int(number) for number in listed.split()]


@pytest.mark.torture
def test_processes_share_a_port_tokens_figures_and_an_access_log(tmp_path: Path) -> None:
    log = tmp_path / "access.log"
    options = ("--workers", "2", "--access-log", str(log))
    with server(tmp_path / "memory.db", *options) as running:
        headers = {"authorization": f"Bearer {running.token}"}
        assert len(children(running)) == 3, "two answer, one learns"
        for n in range(12):  # each on a connection of its own
            turn = {"session": "s", "role": "user", "text": f"I like tea number {n}"}
            answer = httpx.post(f"{running.url}/v1/spaces/default/turns", json=turn,
                                headers=headers)  # fmt: skip
            assert answer.status_code == 200
        with httpx.Client(base_url=running.url, headers=headers, timeout=60) as http:
            http.post("/v1/spaces/default/sessions/s/end", json={})
            stats = "/v1/spaces/default/stats"
            wait_for(lambda: http.get(stats).json()["turn_states"]["new"] == 0)
            text = http.get("/metrics").text
            assert 'mnemic_http_requests_total{operation="record",status="200"} 12' in text
        running.process.send_signal(signal.SIGTERM)
        assert running.process.wait(60) == 0
    lines = [json.loads(line) for line in log.read_text().splitlines()]
    recorded = [line for line in lines if line["operation"] == "record"]
    assert len(recorded) == 12
    assert {line["space"] for line in recorded} == {"default"}
    assert "tea" not in log.read_text()


@pytest.mark.torture
def test_a_killed_process_loses_nothing_and_the_others_answer(tmp_path: Path) -> None:
    kills = 20 if os.environ.get("MNEMIC_TORTURE") else 2
    kept: list[str] = []
    stopped = threading.Event()
    with server(tmp_path / "memory.db", "--workers", "3", "--learners", "0") as running:

        def write(client: int) -> None:
            for n in itertools.count():
                if stopped.is_set():
                    return
                if _is_recorded(running, text := f"client {client} turn {n}"):
                    kept.append(text)

        with ThreadPoolExecutor(_CLIENTS) as pool:
            clients = [pool.submit(write, client) for client in range(_CLIENTS)]
            try:
                for kill in range(kills):
                    wait_for(lambda: _listeners(running) == 3)
                    before, acknowledged = children(running), len(kept)
                    os.kill(before[kill % 3], signal.SIGKILL)
                    wait_for(partial(_has_grown, kept, acknowledged + 2 * _CLIENTS))
                    wait_for(partial(_has_changed, running, before))
            finally:
                stopped.set()
            assert [client.result() for client in clients] == [None] * _CLIENTS
        wait_for(lambda: len(children(running)) == 3)
        running.process.send_signal(signal.SIGTERM)
        running.process.wait(60)
    with mnemic.open(tmp_path / "memory.db", worker="none") as mind:
        assert set(kept) <= {turn.text for turn in mind.turns(limit=100_000)}
        assert all(finding.ok for finding in mind.doctor())


def test_services_with_homes_of_their_own_share_tokens_and_revocations(tmp_path: Path) -> None:
    homes, database = (tmp_path / "one", tmp_path / "other"), tmp_path / "memory.db"
    for home in homes:
        home.mkdir()
    with server(database, home=homes[0]) as one, server(database, home=homes[1]) as other:
        added = _run(homes[0], "token", "add", "laptop", "--db", str(database), "--json")
        headers = {"authorization": f"Bearer {added['token']}"}
        addresses = [f"{running.url}/v1/spaces/default/stats" for running in (one, other)]
        for address in addresses:
            assert httpx.get(address, headers=headers).status_code == 200
        _run(homes[1], "token", "revoke", added["id"], "--db", str(database), "--json")
        for address in addresses:
            wait_for(partial(_is_refused, address, headers))


def _is_refused(address: str, headers: dict[str, str]) -> bool:
    return httpx.get(address, headers=headers).status_code == 401


def _run(home: Path, *args: str) -> Any:
    environment = {**os.environ, "HOME": str(home)}
    command = [sys.executable, "-m", "mnemic", *args]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=True)
    return json.loads(done.stdout)


def _listeners(running: Announced) -> int:
    """How many processes listen on the port, where the system tells; else how many there are."""
    sockets = Path("/proc/net/tcp")
    if not sockets.exists():
        return len(children(running))
    port = f":{urlsplit(running.url).port:04X}"
    rows = (line.split() for line in sockets.read_text().splitlines()[1:])
    return sum(row[1].endswith(port) and row[3] == "0A" for row in rows)


def _has_grown(kept: list[str], count: int) -> bool:
    return len(kept) >= count


def _has_changed(running: Announced, before: list[int]) -> bool:
    return children(running) != before


def _is_recorded(running: Announced, text: str) -> bool:
    try:
        with open_remote(running.url, token=running.token) as mind:
            mind.record(session="s", role="user", text=text)
    except mnemic.ServiceUnavailable:
        return False
    return True


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells of a parent's end")
def test_processes_end_with_the_one_that_watches_them(tmp_path: Path) -> None:
    with server(tmp_path / "memory.db", "--workers", "1", "--learners", "0") as running:
        (child,) = children(running)
        running.process.kill()
        running.process.wait()
        wait_for(lambda: not Path(f"/proc/{child}").exists())


def test_a_process_that_cannot_begin_ends_the_service(tmp_path: Path) -> None:
    (tmp_path / "memory.db").write_text("this is no database")
    broken = server(tmp_path / "memory.db", "--workers", "2")
    with pytest.raises(AssertionError, match="not a SQLite database"), broken:
        pass


def test_a_memory_in_ram_is_not_shared() -> None:
    shared = server(":memory:", "--workers", "2")
    with pytest.raises(AssertionError, match="share no memory in RAM"), shared:
        pass
