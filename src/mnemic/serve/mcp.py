"""The MCP server over one mind: tools, resources and prompts, on the official SDK.

``mcp_server`` knows nothing of a transport; ``serve_stdio`` gives it one.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from functools import partial
from typing import Any, Protocol, TypeVar

import anyio
import anyio.to_thread
from mcp import MCPError, types
from mcp.server import Server, ServerRequestContext
from mcp.server.stdio import stdio_server

from mnemic import __version__
from mnemic.engine.mind import Mind
from mnemic.errors import InvalidInput, MnemicError, NotFound
from mnemic.serve.prompts import PROMPTS, instructions, prompt_text
from mnemic.serve.resources import ResourceList
from mnemic.tools import TraceSource, answer_language, call_tool, tool_names, tool_specs
from mnemic.tools.parameters import read_parameters
from mnemic.tools.texts import Language, text

R = TypeVar("R")
Call = ServerRequestContext[Any, Any]
Page = types.PaginatedRequestParams | None

_MARKDOWN = "text/markdown"


class Runner(Protocol):
    """Runs the work of a call away from the event loop; ``tool`` is the one that is called."""

    async def __call__(
        self, call: Call, work: Callable[[], R], tool: types.CallToolRequestParams | None = None
    ) -> R: ...


async def run_in_thread(
    call: Call, work: Callable[[], R], tool: types.CallToolRequestParams | None = None
) -> R:
    return await anyio.to_thread.run_sync(work)


def mcp_server(
    mind: Mind,
    *,
    traces: TraceSource | None = None,
    session: str | None = None,
    run: Runner = run_in_thread,
) -> Server[Any]:
    """A server for any transport. ``traces`` are the host's own, as in ``call_tool``. ``session``
    is the conversation that turns are recorded in where a call names no other. ``run`` is where
    the work of a call is done.
    """
    handlers = _Handlers(mind, traces, session, run)
    return Server(
        "mnemic",
        version=__version__,
        title="Mnemic",
        instructions=instructions(mind, handlers.language),
        on_list_tools=handlers.list_tools,
        on_call_tool=handlers.call_tool,
        on_list_resources=handlers.list_resources,
        on_read_resource=handlers.read_resource,
        on_list_prompts=handlers.list_prompts,
        on_get_prompt=handlers.get_prompt,
    )


def serve_stdio(server: Server[Any], close: Callable[[], None]) -> None:
    """Serve the process at the other end of stdin and stdout until it hangs up.

    SIGINT and SIGTERM call ``close`` and end the process.
    """

    async def serve() -> None:
        async with anyio.create_task_group() as group:
            group.start_soon(_close_on_signal, close)
            async with stdio_server() as (read, write):
                await server.run(read, write, server.create_initialization_options())
            group.cancel_scope.cancel()

    anyio.run(serve)


async def _close_on_signal(close: Callable[[], None]) -> None:
    with anyio.open_signal_receiver(signal.SIGINT, signal.SIGTERM) as signals:
        async for number in signals:
            close()
            # A thread blocks on stdin and cannot be interrupted.
            os._exit(128 + number)


class _Handlers:
    """Answers requests; what touches the disk runs in a thread."""

    def __init__(
        self, mind: Mind, traces: TraceSource | None, session: str | None, run: Runner
    ) -> None:
        self._mind = mind
        self._run = run
        self._call = partial(call_tool, mind, traces=traces, session=session)
        self._resources = ResourceList(mind)
        # Of the listings; an answer follows the language of its query unless set.
        self.language: Language = answer_language(mind, None)

    async def list_tools(self, call: Call, page: Page) -> types.ListToolsResult:
        specs = tool_specs("mcp", self.language, mind=self._mind)
        return types.ListToolsResult(tools=[types.Tool.model_validate(spec) for spec in specs])

    async def call_tool(
        self, call: Call, request: types.CallToolRequestParams
    ) -> types.CallToolResult:
        if request.name not in tool_names():
            names = ", ".join(tool_names(self._mind))
            raise MCPError(types.INVALID_PARAMS, f"There is no such tool. Use one of: {names}")
        work = partial(self._call, request.name, request.arguments)
        answer = await self._do(call, work, request)
        return types.CallToolResult(
            content=[types.TextContent(text=answer.text)],
            structured_content=None if answer.is_error else dict(answer.data),
            is_error=answer.is_error,
        )

    async def list_resources(self, call: Call, page: Page) -> types.ListResourcesResult:
        entries = await self._do(call, self._resources.entries)
        return types.ListResourcesResult(
            resources=[
                types.Resource(
                    uri=entry.uri,
                    name=entry.name,
                    description=text(f"resources.{entry.about}", self.language),
                    mime_type=_MARKDOWN,
                )
                for entry in entries
            ]
        )

    async def read_resource(
        self, call: Call, request: types.ReadResourceRequestParams
    ) -> types.ReadResourceResult:
        text = await self._do(call, partial(self._resources.read, request.uri))
        contents = types.TextResourceContents(uri=request.uri, mime_type=_MARKDOWN, text=text)
        return types.ReadResourceResult(contents=[contents])

    async def list_prompts(self, call: Call, page: Page) -> types.ListPromptsResult:
        return types.ListPromptsResult(prompts=[_prompt(name, self.language) for name in PROMPTS])

    async def get_prompt(
        self, call: Call, request: types.GetPromptRequestParams
    ) -> types.GetPromptResult:
        work = partial(prompt_text, self._mind, request.name, request.arguments or {})
        text = await self._do(call, work)
        message = types.PromptMessage(role="user", content=types.TextContent(text=text))
        return types.GetPromptResult(messages=[message])

    async def _do(
        self, call: Call, work: Callable[[], R], tool: types.CallToolRequestParams | None = None
    ) -> R:
        """Errors of the engine become errors of the protocol."""
        try:
            return await self._run(call, work, tool)
        except (InvalidInput, NotFound) as error:
            raise MCPError(types.INVALID_PARAMS, str(error)) from error
        except MnemicError as error:
            raise MCPError(types.INTERNAL_ERROR, str(error)) from error


def _prompt(name: str, language: Language) -> types.Prompt:
    return types.Prompt(
        name=name,
        title=text(f"prompts.{name}.title", language),
        description=text(f"prompts.{name}.about", language),
        arguments=[
            types.PromptArgument(
                name=one.field, description=text(one.about, language), required=one.required
            )
            for one in read_parameters(PROMPTS[name])
        ],
    )
