import subprocess
import sys

refusal = subprocess.run(
    [sys.executable, "-m", "recollect", "mcp", "--db", "memory.db"],
    stdin=subprocess.DEVNULL,
    capture_output=True,
    text=True,
    check=False,
)
if refusal.returncode:
    sys.exit(refusal.stderr)

import asyncio

from mcp import Client, StdioServerParameters


async def talk() -> None:
    command = ["-m", "recollect", "mcp", "--db", "memory.db"]
    async with Client(StdioServerParameters(command=sys.executable, args=command)) as client:
        assert (await client.list_tools()).tools


asyncio.run(talk())
