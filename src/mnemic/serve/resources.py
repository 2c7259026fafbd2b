"""Resources of a memory by address: scratchpad, latest episodes, documents."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from mnemic.engine.mind import Mind
from mnemic.errors import NotFound
from mnemic.settings.environment import DOCUMENT_BYTES
from mnemic.tools import answer_language, as_data
from mnemic.tools.answers import story
from mnemic.tools.overview import read_scratchpad
from mnemic.tools.texts import text
from mnemic.tools.tool_context import ToolContext

_EPISODES_SHOWN = 10  # the latest
_DOCUMENTS = ("memory", "user", "project", "insights", "persona")
_PAD = "mnemic://scratchpad"
_EPISODES = "mnemic://episodes"
_DOCUMENT = "mnemic://documents/"


@dataclass(frozen=True, slots=True)
class Resource:
    """One readable resource; ``about`` is the key of its description."""

    uri: str
    name: str
    about: str


class ResourceList:
    """The resources of one mind."""

    def __init__(self, mind: Mind) -> None:
        self._mind = mind
        self._language = answer_language(mind, None)

    def entries(self) -> list[Resource]:
        """The resources that exist now."""
        return [
            Resource(_PAD, "scratchpad", "scratchpad"),
            Resource(_EPISODES, "episodes", "episodes"),
            *(Resource(uri, path.name, "document") for uri, path in self._files()),
        ]

    def read(self, uri: str) -> str:
        """The text at an address, fenced as data."""
        context = ToolContext(self._mind, self._language)
        if uri == _PAD:
            return read_scratchpad(context).text
        if uri == _EPISODES:
            latest = self._mind.episodes(limit=_EPISODES_SHOWN)
            for episode in latest:
                self._mind.note_shown([episode.summary], record=episode.id)
            stories = "\n\n".join(story(one, context.day_of(one.started_at)) for one in latest)
            if not stories:
                return text("resources.no_story", self._language)
            return self._fenced(stories, "episodes")
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
        return self._fenced(data.decode("utf-8", "replace"), path.name)

    def _files(self) -> Iterator[tuple[str, Path]]:
        """Regular files; a link may lead outside the folder."""
        folder = self._mind.documents_folder
        if folder is not None:
            for name in _DOCUMENTS:
                file: str = getattr(self._mind.settings.documents, f"{name}_file")
                path = folder / file
                if path.is_file() and not path.is_symlink():
                    yield _DOCUMENT + quote(file, safe=""), path

    def _fenced(self, text: str, source: str) -> str:
        return as_data(text, source, answer_language(self._mind, text))
