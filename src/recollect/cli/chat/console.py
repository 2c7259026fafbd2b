"""The loop of the chat: a line is a message or a command, and no failure ends the conversation."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from recollect.cli.chat.conversation import ChatConversation
from recollect.cli.chat.lists import show_account, show_hits, show_memories
from recollect.cli.chat.messages import WORDS, Language
from recollect.cli.chat.questions import TerminalQuestions
from recollect.cli.chat.terminal import Terminal
from recollect.cli.chat.terms import Terms, describe_error
from recollect.errors import RecollectError
from recollect.mind import Mind
from recollect.providers.chat.base import ChatModel
from recollect.types import Hit

_PATIENCE = 30.0  # seconds to wait for background work on leaving


class Console:
    """The chat loop over a terminal, a mind, and a model if one is set."""

    def __init__(
        self,
        mind: Mind,
        model: ChatModel | None,
        terminal: Terminal,
        *,
        language: Language,
        project: str | None = None,
        always_why: bool = False,
    ) -> None:
        """``always_why`` shows after each answer what was recalled for it."""
        self._mind = mind
        self._language = language
        self._always_why = always_why
        self._terminal = terminal
        self._words = WORDS[language]
        self._project = project
        self._model = model
        self._conversation = (
            None if model is None else ChatConversation(mind, model, self._words.system, project)
        )
        self._terms = Terms(language, mind.settings.vocabulary.kinds)
        self._questions = TerminalQuestions(mind, terminal, self._words, self._terms)
        self._query = ""
        self._hits: list[Hit] = []
        self._commands: Mapping[str, Callable[[str], None]] = {
            "/why": self._why,
            "/learnt": self._learnt,
            "/context": self._context,
            "/pending": lambda _: self._questions.all_pending(),
            "/forget": self._forget,
            "/scratchpad": self._scratchpad,
            "/session": self._session,
            "/help": lambda _: self._terminal.say(self._words.help),
        }

    def run(self) -> None:
        """Run until the person leaves; then end the conversation and learn from it."""
        words = self._words
        if self._model is None:
            self._terminal.dim(words.hello_recall)
        else:
            self._terminal.dim(words.hello_model.format(model=self._model.name))
        self._introduce()
        interrupted = False
        while True:
            try:
                line = self._next().strip()
                interrupted = False
                if line == "/quit":
                    break
                if line:
                    self._hear(line)
            except EOFError:
                self._terminal.say()
                break
            except KeyboardInterrupt:
                self._terminal.say()
                if interrupted:
                    break
                interrupted = True
                self._terminal.dim(words.leave_hint)
        self._leave()

    def _introduce(self) -> None:
        """The first conversation begins with who is who, where the preset asks for that."""
        try:
            self._questions.introduce()
        except RecollectError as error:
            self._terminal.trouble(self._described(error))
        except (EOFError, KeyboardInterrupt):
            self._terminal.say()
            self._terminal.dim(self._words.introduce_later)

    def _next(self) -> str:
        """A message that was typed in place of an answer comes first."""
        typed = self._questions.instead
        self._questions.instead = ""
        return typed or self._terminal.read(self._words.you, self._words.more)

    def _hear(self, line: str) -> None:
        """Handle one line; print its error, if any, and go on."""
        try:
            if line.startswith("/") and "\n" not in line:
                self._command(line)
            elif self._conversation is None:
                self._recall(line)
            else:
                self._say(self._conversation, line)
        except RecollectError as error:
            self._terminal.trouble(self._described(error))
        except KeyboardInterrupt:
            self._terminal.say()
            self._terminal.dim(self._words.left_as_is)

    def _described(self, error: RecollectError) -> str:
        return describe_error(error, self._language)

    def _command(self, line: str) -> None:
        name, _, rest = line.partition(" ")
        act = self._commands.get(name)
        if act is None:
            self._terminal.trouble(self._words.unknown.format(command=name))
        else:
            act(rest.strip())

    # --- messages -------------------------------------------------------------------------------

    def _say(self, conversation: ChatConversation, text: str) -> None:
        words = self._words
        try:
            exchange = conversation.ask(text)
        except RecollectError as error:
            self._terminal.trouble(words.not_kept.format(error=self._described(error)))
            return
        self._query, self._hits = text, []
        try:
            with self._terminal.answering(words.thinking) as show:
                conversation.answer(exchange, show)
        except RecollectError as error:
            self._terminal.trouble(words.not_answered.format(error=self._described(error)))
            return
        except KeyboardInterrupt:
            self._terminal.dim(words.stopped)
            return
        if self._always_why:
            self._why("")
        if conversation.compress(exchange):
            self._terminal.dim(words.compressed)
        self._questions.new_pending()

    def _recall(self, text: str) -> None:
        self._query = text
        self._hits = self._mind.recall(text, project=self._project)
        if not self._hits:
            self._terminal.dim(self._words.nothing_found)
        show_hits(self._terminal, self._words, self._hits, self._terms)

    # --- commands -------------------------------------------------------------------------------

    def _why(self, _: str) -> None:
        words = self._words
        if not self._query:
            self._terminal.dim(words.nothing_asked)
            return
        if self._conversation is not None:
            self._hits = self._conversation.recalled()
        title = words.recalled if self._hits else words.recalled_nothing
        self._terminal.strong(title.format(query=self._query))
        show_hits(self._terminal, words, self._hits, self._terms)

    def _learnt(self, _: str) -> None:
        words = self._words
        if self._conversation is None:
            self._terminal.dim(words.no_session)
            return
        learnt, waiting = self._conversation.learnt()
        self._terminal.strong(words.learnt if learnt else words.learnt_nothing)
        show_memories(self._terminal, learnt, self._terms)
        if waiting:
            self._terminal.dim(words.not_learnt_yet.format(count=waiting))

    def _context(self, _: str) -> None:
        if self._conversation is not None and self._conversation.last is not None:
            show_account(self._terminal, self._words, self._conversation.last.context, self._terms)
        elif self._conversation is None and self._query:
            context = self._mind.context(self._query)
            show_account(self._terminal, self._words, context, self._terms)
        else:
            self._terminal.dim(self._words.nothing_asked)

    def _forget(self, what: str) -> None:
        self._questions.forget(what, self._hits)

    def _scratchpad(self, _: str) -> None:
        text = self._mind.scratchpad().text.strip()
        self._terminal.say(text or self._words.empty_pad)

    def _session(self, what: str) -> None:
        words = self._words
        if self._conversation is None:
            self._terminal.dim(words.no_session)
        elif what == "new":
            session = self._conversation.begin_again()
            self._query, self._hits = "", []
            self._terminal.dim(words.new_session.format(session=session))
        elif what:
            self._terminal.trouble(words.unknown.format(command=f"/session {what}"))
        else:
            self._terminal.say(words.this_session.format(session=self._conversation.session))

    # --- leaving --------------------------------------------------------------------------------

    def _leave(self) -> None:
        if self._conversation is None:
            return
        try:
            if self._conversation.end():
                self._write_up()
        except RecollectError as error:
            self._terminal.trouble(self._described(error))
        finally:
            self._conversation.close()

    def _write_up(self) -> None:
        """Wait for the background work; it is durable, so the person may leave."""
        words = self._words
        self._terminal.dim(words.ending)
        try:
            done = self._mind.drain(timeout=_PATIENCE)
        except KeyboardInterrupt:
            self._terminal.dim(words.rest_later)
            return
        finished = not (done.retried or done.dead or self._mind.jobs(state="running", limit=1))
        self._terminal.dim(words.ended if finished else words.rest_later)
