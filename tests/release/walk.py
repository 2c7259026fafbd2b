"""Follows a page from its first block to its last, as a reader would in one terminal."""

from __future__ import annotations

import json
import os
import re
import shlex
import signal
import socket
import subprocess
from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Self

from tests.release.environments import Environment
from tests.release.pages import Block, blocks, subject_of
from tests.release.printed import differs
from tests.release.readers import READERS, Reader
from tests.waiting import wait_for

PORT = 8765  # of mnemic serve, as the pages have it
_SERVES = re.compile(r"^(mnemic serve\b[^#\n]*)(?:#.*)?\Z", re.M)
_LONGEST = 300.0
_ANSWERS = b"y\n\x04\x04"  # what is typed: yes to whoever asks, and the end of it


@dataclass
class Walk:
    """A reader on a page: their folder, the terminal with its variables, and what went wrong."""

    page: Path
    environment: Environment
    home: Path
    around: Mapping[str, str] = field(default_factory=dict)
    ran: int = 0
    excused: list[Block] = field(default_factory=list)
    _served: subprocess.Popen[bytes] | None = None

    @property
    def reader(self) -> Reader:
        return READERS.get(subject_of(self.page), Reader())

    def __enter__(self) -> Self:
        self.home.mkdir(parents=True)
        self.reader.files(self.home)
        if self.reader.before:
            self._shell(self.reader.before)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._served is not None:
            self._served.send_signal(signal.SIGTERM)
            ended = self._served.wait(60)
            assert ended in (0, -signal.SIGTERM), f"the service ended with {ended}"

    def failures(self) -> list[str]:
        """Run every block; what did not do what the page says."""
        failed, printed = [], ""
        for block in blocks(self.page):
            try:
                if block.excuse:
                    self.excused.append(block)
                elif block.kind == "output":
                    wrong = differs(block.text, printed)
                    assert not wrong, wrong
                elif block.kind != "other":
                    printed = self._run(block)
                    self.ran += 1
            except (AssertionError, subprocess.SubprocessError) as error:
                failed.append(f"{block}: {error}")
        return failed

    def _run(self, block: Block) -> str:
        text = self._with_values(block)
        if block.kind == "python":
            return self._program("python", "example.py", text)
        if block.kind == "javascript":
            return self._program("node", "example.mjs", text)
        if text.startswith("$ "):
            return self._console(text)
        serves = _SERVES.search(text.rstrip("\n"))
        if serves is None:
            return self._shell(text)
        self._shell(text[: serves.start()])
        self._serve(serves[1])
        return ""

    def _with_values(self, block: Block) -> str:
        text = block.text
        for name, command in self.reader.values.items():
            bare = re.compile(rf"(?<![\w$]){re.escape(name)}(?!\w)")
            if bare.search(text) or f"${name}" in text:
                value = self._shell(command).strip()
                text = text.replace(f"${name}", value)
                quoted = value if block.kind == "shell" else json.dumps(value)
                text = bare.sub(quoted, text)
        return text

    def _program(self, interpreter: str, name: str, text: str) -> str:
        (self.home / name).write_text(text, encoding="utf-8")
        return self._shell(f"{interpreter} {name}")

    def _console(self, text: str) -> str:
        """Commands after "$ ", each followed by what it prints."""
        for step in re.split(r"^\$ ", text, flags=re.M)[1:]:
            command, _, shown = step.partition("\n")
            wrong = differs(shown, self._shell(command))
            assert not wrong, f"{command}: {wrong}"
        return ""

    def _shell(self, text: str) -> str:
        """What a piece of shell prints; the next one has the variables that this one exported."""
        kept = shlex.quote(str(self.home / ".exported"))
        whole = f"set -eo pipefail\n[ ! -e {kept} ] || . {kept}\n{text}\nexport -p > {kept}\n"
        terminal, stdin = os.openpty()
        try:
            os.write(terminal, _ANSWERS)
            done = subprocess.run(
                ["bash", "-c", whole],
                cwd=self.home,
                env=self._variables(),
                stdin=stdin,
                capture_output=True,
                text=True,
                check=False,
                timeout=_LONGEST,
            )
        finally:
            os.close(stdin)
            os.close(terminal)
        assert done.returncode == 0, (
            f"exit {done.returncode}\n{done.stdout[-800:]}{done.stderr[-1500:]}"
        )
        return done.stdout

    def _serve(self, command: str) -> None:
        log = (self.home / "served.log").open("wb")
        with closing(log):
            running = subprocess.Popen(
                shlex.split(command), cwd=self.home, env=self._variables(), stdout=log, stderr=log
            )
        self._served = running
        wait_for(lambda: _listens() or running.poll() is not None)
        assert running.poll() is None, (self.home / "served.log").read_text("utf-8")

    def _variables(self) -> dict[str, str]:
        return self.environment.variables(self.home, **self.around)


def _listens() -> bool:
    with socket.socket() as asking:
        return asking.connect_ex(("127.0.0.1", PORT)) == 0
