"""The MCP server over one mind: tools, resources and prompts, on the official SDK.

``mcp_server`` knows nothing of a transport; ``serve_stdio`` gives it one.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any, Protocol, TypeVar, get_args
from urllib.parse import quote

import anyio
import anyio.to_thread
from mcp import MCPError, types
from mcp.server import Server, ServerRequestContext
from mcp.server.stdio import stdio_server

from mnemic import __version__
from mnemic.engine.mind import Mind
from mnemic.errors import InvalidInput, MnemicError, NotFound
from mnemic.settings.environment import DOCUMENT_BYTES, DocumentName
from mnemic.tools import TraceSource, answer_language, as_data, call_tool, tool_names, tool_specs
from mnemic.tools.answers import ToolContext, story
from mnemic.tools.overview import read_scratchpad
from mnemic.tools.parameters import AnyText, read_arguments, read_parameters
from mnemic.tools.search import search_memory
from mnemic.tools.statements import list_pending
from mnemic.tools.texts import ENGLISH, Language, read_texts, text

_EPISODES_SHOWN = 10  # the latest
_PAD = "mnemic://scratchpad"
_EPISODES = "mnemic://episodes"
_DOCUMENT = "mnemic://documents/"


class ResourceList:
    """The resources of one mind."""

    def __init__(self, mind: Mind) -> None:
        self._mind = mind
        self._language = answer_language(mind, None)

    def entries(self) -> list[types.Resource]:
        """The resources that exist now."""
        return [
            self._entry(_PAD, "scratchpad", "scratchpad"),
            self._entry(_EPISODES, "episodes", "episodes"),
            *(self._entry(uri, path.name, "document") for uri, path in self._files()),
        ]

    def _entry(self, uri: str, name: str, about: str) -> types.Resource:
        description = text(f"resources.{about}", self._language)
        return types.Resource(uri=uri, name=name, description=description, mime_type=_MARKDOWN)

    def read(self, uri: str) -> str:
        """The text at an address, fenced as data."""
        context = ToolContext(self._mind, self._language)
        if uri == _PAD:
            return read_scratchpad(context).text
        if uri == _EPISODES:
            stories = []
            for episode in self._mind.episodes(limit=_EPISODES_SHOWN):
                self._mind.note_shown([episode.summary], record=episode.id)
                stories.append(story(episode, context.day_of(episode.started_at)))
            if not stories:
                return text("resources.no_story", self._language)
            return self._fence("\n\n".join(stories), "episodes")
        path = dict(self._files()).get(uri)
        if path is None:
            raise NotFound("There is nothing to read at this address", remedy="List the resources")
        try:
            with path.open("rb") as stream:
                data = stream.read(DOCUMENT_BYTES)
        except OSError as error:
            raise NotFound(
                f"{path.name} cannot be read: {error.strerror}", remedy="Give permission on it"
            ) from error
        return self._fence(data.decode("utf-8", "replace"), path.name)

    def _files(self) -> Iterator[tuple[str, Path]]:
        """Regular files; a link may lead outside the folder."""
        folder = self._mind.documents_folder
        if folder is not None:
            for name in get_args(DocumentName):
                file: str = getattr(self._mind.settings.documents, f"{name}_file")
                path = folder / file
                if path.is_file() and not path.is_symlink():
                    yield _DOCUMENT + quote(file, safe=""), path

    def _fence(self, text: str, source: str) -> str:
        return as_data(text, source, answer_language(self._mind, text))


def instructions(mind: Mind, language: Language) -> str:
    """What a host tells its model: about the tools, and the question of onboarding."""
    offered = ("", *tool_names(mind))
    sentences = [entry for entry in read_texts()["instructions"] if entry["tool"] in offered]
    texts = [sentence.get(language, sentence[ENGLISH]) for sentence in sentences]
    if question := mind.onboarding().text:
        texts.append(text("asked.new_user", language, question=question))
    return text("asked.between", language).join(texts)


def _recall(mind: Mind, language: Language, *, question: str) -> str:
    built = mind.context(question)
    parts = [built.text]
    if not any(section.name == "evidence" for section in built.sections):
        # This preset leaves searching to the model, but the person picked this prompt.
        parts.append(search_memory(ToolContext(mind, language), query=question).text)
    return "\n\n".join(filter(None, (*parts, question)))


def _remember(mind: Mind, language: Language, *, statement: str) -> str:
    return text("asked.remember", language, statement=statement)


def _introduce(mind: Mind, language: Language, *, answer: AnyText = "") -> str:
    """A person picks prompts, so the answer is the person's own."""
    state = mind.onboard(answer.strip()) if answer.strip() else mind.onboarding(begin=True)
    if state.done:
        return text("asked.introduced", language)
    return text("asked.next_question", language, question=state.text)


def _review(mind: Mind, language: Language) -> str:
    waiting = list_pending(ToolContext(mind, language))
    if not waiting.data["results"]:
        return waiting.text
    key = "asked.review" if mind.settings.tools.answer_pending else "asked.review_by_user"
    return text(key, language, waiting=waiting.text)


# The keywords of each are its arguments. What a person reads is in the texts of the tools.
PROMPTS: dict[str, Callable[..., str]] = {
    "recall": _recall, "remember": _remember, "introduce": _introduce, "review": _review
}  # fmt: skip


def prompt_text(mind: Mind, name: str, arguments: Mapping[str, str]) -> str:
    """The text for the model when a person picks a prompt."""
    language = answer_language(mind, arguments)
    build = PROMPTS.get(name)
    if build is None:
        raise NotFound("There is no such prompt", remedy=f"Use one of {', '.join(PROMPTS)}")
    return build(mind, language, **read_arguments(build, arguments, language))


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
    """Serve stdin and stdout until they end; SIGINT and SIGTERM call ``close`` and end it."""

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
        self._mind, self._run = mind, run
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
        answer = await self._do(call, partial(self._call, request.name, request.arguments), request)
        return types.CallToolResult(
            content=[types.TextContent(text=answer.text)],
            structured_content=None if answer.is_error else dict(answer.data),
            is_error=answer.is_error,
        )

    async def list_resources(self, call: Call, page: Page) -> types.ListResourcesResult:
        return types.ListResourcesResult(resources=await self._do(call, self._resources.entries))

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
                name=entry.field, description=text(entry.about, language), required=entry.required
            )
            for entry in read_parameters(PROMPTS[name])
        ],
    )
