"""A client that is built on no official SDK, driven line by line: a request as JSON, its answer."""

import json
import sys
from functools import partial
from typing import Any

import anyio
from chuk_mcp import (
    StdioParameters,
    send_initialize,
    send_resources_read,
    send_tools_call,
    send_tools_list,
    stdio_client,
)


async def serve(pythonpath: str, command: str, *args: str) -> None:
    parameters = StdioParameters(command=command, args=list(args), env={"PYTHONPATH": pythonpath})
    async with stdio_client(parameters) as (read, write):
        if not await send_initialize(read, write, timeout=60):
            raise SystemExit("the server does not answer")
        while line := await anyio.to_thread.run_sync(sys.stdin.readline):
            request = json.loads(line)
            params = request["params"]
            result: Any
            match request["method"]:
                case "tools/list":
                    result = await send_tools_list(read, write, timeout=60)
                case "tools/call":
                    name, arguments = params["name"], params["arguments"]
                    result = await send_tools_call(read, write, name, arguments, timeout=60)
                case _:
                    result = await send_resources_read(read, write, params["uri"], timeout=60)
            if not isinstance(result, dict):
                result = result.model_dump(by_alias=True, mode="json", exclude_none=True)
            sys.stdout.write(json.dumps({"result": result}) + "\n")
            sys.stdout.flush()


anyio.run(partial(serve, *sys.argv[1:]))
