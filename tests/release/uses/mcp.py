import asyncio
import subprocess
import sys

COMMAND = ["-m", "mnemic", "mcp", "--db", "memory.db"]


async def talk() -> None:
    from mcp import Client, StdioServerParameters

    async with Client(StdioServerParameters(command=sys.executable, args=COMMAND)) as client:
        assert (await client.list_tools()).tools


silent = subprocess.run(
    [sys.executable, *COMMAND],
    stdin=subprocess.DEVNULL,
    capture_output=True,
    text=True,
    check=False,
)
if silent.returncode:
    sys.exit(silent.stderr)
asyncio.run(talk())
