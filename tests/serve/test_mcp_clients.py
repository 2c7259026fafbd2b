"""One play with three clients: both official SDKs, and one that is built on neither of them."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import anyio
import jsonschema  # type: ignore[import-untyped]
import pytest
from mcp import Client, StdioServerParameters

import mnemic
from mnemic.tools import tool_names
from tests.tools.asking import ask_user

CLIENTS = Path(__file__).parent / "clients"
ENV = {**os.environ, "PYTHONPATH": str(Path(mnemic.__file__).parents[1])}
# A request by its name in the protocol, and its parameters; gives the result as plain JSON.
Ask = Callable[[str, dict[str, Any]], Awaitable[dict[str, Any]]]


class Host:
    """What the play does with any client."""

    def __init__(self, ask: Ask, db: Path) -> None:
        self._ask = ask
        self._db = db
        self._schemas: dict[str, Any] = {}

    async def tools(self) -> dict[str, dict[str, Any]]:
        listed = {tool["name"]: tool for tool in (await self._ask("tools/list", {}))["tools"]}
        self._schemas = {name: tool["outputSchema"] for name, tool in listed.items()}
        return listed

    async def call(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """The structured answer, which fits the schema of the tool."""
        result = await self._ask("tools/call", {"name": tool, "arguments": arguments})
        assert not result.get("isError"), result
        jsonschema.validate(result["structuredContent"], self._schemas[tool])
        return dict(result["structuredContent"])

    async def refused(self, tool: str, **arguments: Any) -> str:
        result = await self._ask("tools/call", {"name": tool, "arguments": arguments})
        assert result["isError"]
        return str(result["content"][0]["text"])

    def hear(self, id_: str, answer: str) -> None:
        """The host records its agent's question and what the user answered."""
        with mnemic.open(self._db, worker="none") as mind:
            ask_user(mind, id_, answer)

    async def read(self, uri: str) -> str:
        return str((await self._ask("resources/read", {"uri": uri}))["contents"][0]["text"])


async def play(host: Host) -> None:
    tools = await host.tools()
    assert list(tools) == list(tool_names())
    hints = {"readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"}
    for tool in tools.values():
        assert hints <= tool["annotations"].keys()
        assert tool["outputSchema"]["properties"]
    assert {n for n, t in tools.items() if t["annotations"]["destructiveHint"]} == {
        "delete_memory",
        "forget",
    }
    talk = [
        {"role": "user", "text": "The lighthouse key is under the mat"},
        {"role": "assistant", "text": "Noted."},
    ]
    recorded = await host.call("record_turns", turns=talk)
    found = await host.call("search_conversation_traces", query="lighthouse key", limit="3")
    assert recorded["session"] in {one["session"] for one in found["results"]}
    ids = [
        (await host.call("add_memory", text=f"Ann likes {tea}", kind="fact"))["id"]
        for tea in ("oolong", "sencha", "rooibos", "matcha")
    ]
    first = await host.call("list_memories", limit="3")
    rest = await host.call("list_memories", limit=3.0, offset=first["next_offset"])
    assert {one["id"] for one in first["results"] + rest["results"]} == set(ids)
    assert rest["next_offset"] is None
    assert (await host.call("search_memory", query="oolong"))["results"][0]["id"] == ids[0]
    edited = await host.call("edit_memory", id=ids[0], text="Ann likes black tea")
    await host.call("archive_memory", id=ids[1])
    away = await host.call("list_memories", status="archived")
    assert [one["id"] for one in away["results"]] == [ids[1]]
    await host.call("restore_memory", id=ids[1])
    got = await host.call("get_memory", id=edited["id"])
    assert got["results"][0]["text"] == "Ann likes black tea"
    await host.call("delete_memory", id=ids[2])
    rule = (await host.call("add_memory", text="Answer briefly", kind="rule"))["id"]
    other = (await host.call("add_memory", text="Answer in rhymes", kind="rule"))["id"]
    third = (await host.call("add_memory", text="Answer at night", kind="rule"))["id"]
    assert (await host.call("list_pending", all=True))["waiting"] == 3
    assert len((await host.call("list_pending"))["results"]) == 3
    assert "mnemic pending" in await host.refused("confirm_memory", id=rule)
    host.hear(rule, "Yes, keep it.")
    host.hear(other, "No.")
    assert (await host.call("confirm_memory", id=rule))["status"] == "active"
    await host.call("ignore_memory", id=other)
    assert (await host.call("later_memory", id=third))["until"]
    preview = await host.call("forget", query="lighthouse")
    assert not preview["done"]
    assert (await host.call("forget", query="lighthouse", confirm=preview["confirm"]))["done"]
    assert not (await host.call("forget", query="lighthouse"))["results"]
    await host.call("update_scratchpad", markdown="ship the release")
    assert "ship" in (await host.call("read_scratchpad"))["text"]
    assert "ship" in await host.read("mnemic://scratchpad")
    assert (await host.call("get_memory_stats"))["turns"] == 5
    assert "limit" in await host.refused("search_memory", query="x", limit="many")


def server(db: Path) -> list[str]:
    options = ["--db", str(db), "--set", "tools.answer_pending=true"]
    return [sys.executable, "-m", "mnemic", "mcp", *options]


async def with_python_sdk(db: Path) -> None:
    command, *args = server(db)
    parameters = StdioServerParameters(
        command=command, args=args, env={"PYTHONPATH": ENV["PYTHONPATH"]}
    )
    async with Client(parameters) as client:

        async def ask(method: str, params: dict[str, Any]) -> dict[str, Any]:
            match method:
                case "tools/list":
                    result: Any = await client.list_tools()
                case "tools/call":
                    result = await client.call_tool(params["name"], params["arguments"])
                case _:
                    result = await client.read_resource(params["uri"])
            return dict(result.model_dump(by_alias=True, mode="json"))

        await play(Host(ask, db))


async def with_independent_client(db: Path) -> None:
    bridge = [sys.executable, str(CLIENTS / "independent.py"), ENV["PYTHONPATH"]]
    await through([*bridge, *server(db)], db)


async def with_typescript_sdk(db: Path) -> None:
    client = ["node", str(CLIENTS / "typescript.mjs"), str(typescript_modules())]
    await through([*client, *server(db)], db)


async def through(command: list[str], db: Path) -> None:
    """The play with a client in a process of its own."""
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=ENV, text=True
    ) as bridge:
        assert bridge.stdin is not None
        assert bridge.stdout is not None
        to, back = bridge.stdin, bridge.stdout

        async def ask(method: str, params: dict[str, Any]) -> dict[str, Any]:
            to.write(json.dumps({"method": method, "params": params}) + "\n")
            to.flush()
            answer = json.loads(await anyio.to_thread.run_sync(back.readline))
            assert "error" not in answer, answer
            return dict(answer["result"])

        await play(Host(ask, db))
        to.close()
        assert bridge.wait(60) == 0


def typescript_modules() -> Path:
    """The folder with the SDK, installed once for all runs.

    Without node or network it is skipped, but not where a run is to prove it.
    """
    wanted = (CLIENTS / "package.json").read_bytes()
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "mnemic-tests"
    folder = cache / "mcp-typescript"
    stamp = folder / "installed.json"
    if stamp.exists() and stamp.read_bytes() == wanted:
        return folder
    must = os.environ.get("CI") == "true"
    if shutil.which("npm") is None and not must:
        pytest.skip("needs node and npm")
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "package.json").write_bytes(wanted)
    install = ["npm", "install", "--no-audit", "--no-fund", "--no-package-lock", "--prefer-offline"]
    done = subprocess.run(install, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode != 0 and not must:
        pytest.skip("npm cannot install the SDK: no network")
    assert done.returncode == 0, done.stderr
    stamp.write_bytes(wanted)
    return folder


@pytest.mark.feature("P4")
@pytest.mark.parametrize("client", [with_python_sdk, with_independent_client, with_typescript_sdk])
def test_a_host_of_any_make_uses_every_tool(
    client: Callable[[Path], Awaitable[None]], tmp_path: Path
) -> None:
    async def run() -> None:
        with anyio.fail_after(120):
            await client(tmp_path / "memory.db")

    anyio.run(run)
