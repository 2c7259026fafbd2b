"""The one guard of strings on their way into a store.

Whatever is stored, whoever it came from (a host, a person, a tool, a model, an error), is given
its type here: valid Unicode, bounded, without secrets, and a name on one line.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from functools import lru_cache
from hashlib import blake2b
from typing import Any, cast

from mnemic.errors import InvalidInput
from mnemic.language.lines import one_line
from mnemic.language.secrets.randomness import MARK, USUAL, Bounds, is_telling
from mnemic.late import dataclass
from mnemic.rules import checks
from mnemic.rules.kinds import kinds_of
from mnemic.rules.speakers import speaker_marks
from mnemic.settings import Settings
from mnemic.settings.vocabulary import PresetVocabulary, WordFilter, Words, fold
from mnemic.types import (
    DEFAULT_SPACE,
    EMPTY,
    KINDS,
    ActionNode,
    Fact,
    Json,
    Kind,
    SafeAction,
    SafeMetadata,
    SafeName,
    SafeText,
)

MAX_ERROR = 500
MAX_TAGS = 100  # tags or sources of one record: more is a mistake of the caller
MAX_TOOL_CALLS = 1_000  # tool calls, or results, of one turn: the longest real traces have a tenth
MAX_SUMMARY = 100_000
MAX_METADATA = 4_000  # characters of JSON beside one memory: it is read with every memory
_ERROR_READ = 8_000  # characters of an error that are looked at
_NAMES = 1024  # the same sessions and senders come again with every turn
_SHORT = 80  # characters of a label that may come again
_MARKED = re.compile(rf"{re.escape(MARK)}([a-z0-9_]+)\]")


@dataclass(frozen=True, slots=True)
class Guard:
    """Sizes of what is stored, and what counts as a secret in it; None keeps secrets.

    ``owners`` are the marks of the senders that are the owner (rules/speakers.py), ``kinds`` those
    a memory may be of, ``words`` how the preset's document calls these.
    """

    characters: int
    tool_calls: int
    tags: int
    secrets: Bounds | None = USUAL
    owners: frozenset[int] = frozenset()
    kinds: tuple[Kind, ...] = KINDS
    words: PresetVocabulary = PresetVocabulary()

    # --- texts ----------------------------------------------------------------------------------

    def text(self, value: str, what: str, limit: int | None = None) -> SafeText:
        """A text of at most ``limit`` characters."""
        checked = checks.check_text(value, what, self.characters if limit is None else limit)
        return SafeText(checked if self.secrets is None else _redact(checked, self.secrets))

    def part(self, fragment: str, statement: str, content: SafeText, what: str) -> SafeText:
        """A part of ``statement``, which is stored as ``content``: empty where the part is a secret
        of the statement, since by itself it need not look like one.
        """
        checks.check_text(fragment, what, self.characters)
        hidden = fragment in statement and fragment not in content
        return EMPTY if hidden else SafeText(_redact_short(fragment, self.secrets))

    def error(self, error: BaseException | str, limit: int = MAX_ERROR) -> SafeText:
        """A reason or an error as it is stored: never refused, cut to ``limit``."""
        text = str(error)[: max(_ERROR_READ, 2 * limit)].encode(errors="replace").decode()
        return SafeText(_redact_short(text, self.secrets)[:limit])

    # --- names ----------------------------------------------------------------------------------

    def name(self, value: str, what: str) -> SafeName:
        """A name by which something is stored and found again.

        A name that has to be changed carries a digest of what it was, so that no two become one.
        """
        try:
            return _safe_name(value, what, self.secrets)
        except TypeError:  # not hashable, so not text: say so as for any other value
            checks.check_text(value, what, checks.MAX_NAME)
            raise

    def maybe_name(self, value: str, what: str) -> SafeName:
        """A name that may be left empty."""
        return EMPTY if value == "" else self.name(value, what)

    def filter(self, value: str | None, what: str) -> SafeName | None:
        """A name to look for; None looks for any."""
        return None if value is None else self.maybe_name(value, what)

    def label(self, value: str, what: str, limit: int = checks.MAX_NAME) -> SafeName:
        """One line that describes and does not identify: a subject, a tag, a path. May be empty."""
        line = one_line(checks.check_text(value, what, limit))
        return SafeName(SafeText(_redact_short(line, self.secrets)))

    def short(self, value: str, limit: int = checks.MAX_NAME) -> SafeName:
        """A label that the engine or a model made: never refused, cut to ``limit``."""
        return SafeName(SafeText(one_line(self.error(value, limit))))

    def labels(self, values: Iterable[str], what: str = "tags") -> tuple[SafeName, ...]:
        """A few labels, each once."""
        checked = checks.check_tags(values, self.tags, what)
        labels = (self.label(value, f"one of {what}") for value in checked)
        return tuple(dict.fromkeys(filter(None, labels)))

    def kind_word(self, value: str) -> tuple[str, tuple[Kind, ...]]:
        """A word for kinds, the document's or the engine's, as it is written, and the kinds."""
        found_kinds = self.words.find_kinds(value, self.kinds)
        if found_kinds is None:
            raise InvalidInput(
                f"{self.words.kinds.name}={checks.brief_value(value)} is unknown",
                remedy=f"Use one of {', '.join(self.words.kind_words(self.kinds))}, or name it in"
                " the setting memory.kinds",
            )
        return cast("tuple[str, tuple[Kind, ...]]", found_kinds)

    def kind(self, value: str) -> Kind:
        """The kind of memory that a word stands for."""
        return self.kind_word(value)[1][0]

    def kind_filter(self, value: str) -> WordFilter:
        """What is to be found by a word for kinds."""
        word, kinds = self.kind_word(value)
        listed = self.words.kinds
        return listed.filter(word) if word in listed.table else WordFilter(word, word, kinds)

    def find_word(self, words: Words, value: str, extra: Iterable[str] = ()) -> str:
        """A word of the document's list, or one of the engine's ``own``, as it is written."""
        text: object = value
        word = words.find(value) if isinstance(text, str) else None
        if word is None:
            matches = (term for term in extra if term == value or fold(term) == fold(value))
            word = next(matches, None)
        if word is None:
            accepted = ", ".join(dict.fromkeys((*words.table, *extra)))
            raise InvalidInput(
                f"{words.name}={checks.brief_value(value)} is unknown",
                remedy=f"Use one of {accepted}"
                if accepted
                else f"The preset has no {words.name}s: leave it out",
            )
        return word

    # --- values of several strings --------------------------------------------------------------

    def json(self, value: Mapping[str, Any], what: str) -> dict[str, Fact]:
        """JSON with safe keys and leaves, as it will be read back."""
        try:
            text = json.dumps(dict(value), ensure_ascii=False, allow_nan=False)
            parsed = json.loads(text)
        except (TypeError, ValueError, RecursionError) as error:
            raise InvalidInput(
                f"{what} is not JSON: {self.error(error)}",
                remedy="Use text, numbers, lists and objects only",
            ) from error
        checks.check_depth(parsed, what)
        checks.check_text(text, what, self.characters)
        if self.secrets is not None:
            from mnemic.language.secrets.finder import redact_json

            parsed = redact_json(parsed, self.secrets)
        return cast("dict[str, Fact]", parsed)

    def json_text(self, value: Mapping[str, Any], what: str) -> SafeText:
        """The same as one text."""
        return SafeText(json.dumps(self.json(value, what), ensure_ascii=False))

    def metadata(self, value: Mapping[str, Any], most: int = MAX_METADATA) -> SafeMetadata:
        """A JSON object of at most so many characters that a host keeps with a record."""
        fields: object = value
        if not isinstance(fields, Mapping) or not all(isinstance(key, str) for key in fields):
            raise InvalidInput(
                f"metadata is {checks.brief_value(fields)}", remedy="Pass a dict with text as keys"
            )
        safe = self.json(value, "metadata")
        size = len(json.dumps(safe, ensure_ascii=False))
        if size > most:
            raise InvalidInput(
                f"metadata has {size:,} characters as JSON, more than {most:,}",
                remedy="Keep it elsewhere, and its id here",
            )
        return SafeMetadata(cast("Mapping[str, Json]", safe))

    def add_words(
        self, metadata: SafeMetadata, word: str, kind: Kind, in_project: bool
    ) -> SafeMetadata:
        """The metadata with those words of the document that the kind does not tell."""
        if not self.words.kinds.notes and not self.words.scopes:
            return metadata
        return SafeMetadata(self.words.make_notes(word, kind, in_project, metadata))

    def metadata_texts(self, value: Mapping[str, Any]) -> dict[str, str]:
        """Metadata to compare with: a host may look for the number 3 by the text "3"."""
        words = {True: "true", False: "false", None: "null"}
        texts: dict[str, str] = {}
        for key, field in self.metadata(value).items():
            if isinstance(field, list | dict):
                raise InvalidInput(
                    f"metadata={key!r} is compared with {checks.brief_value(field)}",
                    remedy="Compare it with text, a number, True, False or None",
                )
            texts[key] = words[field] if field is None or isinstance(field, bool) else str(field)
        return texts

    def action(self, node: ActionNode) -> SafeAction:
        """A step of an episode."""
        return SafeAction(
            ActionNode(
                tool=self.short(node.tool),
                params=self.json(node.params, "params"),
                result=self.text(node.result, "result"),
                success=node.success,
                error=self.text(node.error, "error"),
                decision=self.text(node.decision, "decision"),
                at=node.at,
            )
        )


def word_filters(
    guard: Guard, kind: Iterable[str] | str | None, scope: str | None
) -> tuple[WordFilter, ...]:
    """What is to be found by words for kinds, any of them, and one for scopes."""
    named = (kind,) if isinstance(kind, str) else tuple(kind or ())
    first, *also = map(guard.kind_filter, named) if named else (None,)
    kinds = () if first is None else (first._replace(also=tuple(also)),)
    scopes = guard.words.scopes
    return (*kinds, scopes.filter(guard.find_word(scopes, scope))) if scope is not None else kinds


def guard_of(settings: Settings) -> Guard:
    """The guard that the settings ask for."""
    keeps_secrets = settings.secrets.at_write != "redact"
    return Guard(
        characters=settings.ledger.max_characters,
        tool_calls=MAX_TOOL_CALLS,
        tags=MAX_TAGS,
        secrets=None if keeps_secrets else bounds_of(settings),
        owners=speaker_marks(settings.trust.owners),
        kinds=kinds_of(settings),
        words=settings.vocabulary,
    )


def bounds_of(settings: Settings) -> Bounds:
    """What counts as a secret by the settings."""
    keys = (settings.model.api_key, settings.chat.api_key, settings.embedding.api_key)
    key_texts = {key.reveal().strip() for key in keys}
    return Bounds(
        personal_numbers=settings.secrets.personal_numbers,
        known=tuple(sorted(filter(is_telling, key_texts))),
    )


def forget_names() -> None:
    """Let go of the names and labels that were seen."""
    _safe_name.cache_clear()
    _redact_line.cache_clear()


def _redact_short(text: str, bounds: Bounds | None) -> str:
    """As ``redact``; the same few labels come with every record, so short ones are kept."""
    if bounds is None:
        return text
    return (_redact_line if len(text) <= _SHORT else _redact)(text, bounds)


def _redact(text: str, bounds: Bounds) -> str:
    from mnemic.language.secrets.finder import redact  # late: a recall stores nothing

    return redact(text, bounds)


_redact_line = lru_cache(maxsize=_NAMES)(_redact)


@lru_cache(maxsize=_NAMES)
def _safe_name(value: str, what: str, bounds: Bounds | None) -> SafeName:
    name = checks.check_text(value, what, checks.MAX_NAME).strip()
    if name == DEFAULT_SPACE:
        return DEFAULT_SPACE
    line = one_line(name)
    if not line:
        raise InvalidInput(f"{what} is empty", remedy="Give it a name")
    safe = line if bounds is None else _redact(line, bounds)
    if safe == name:
        return SafeName(SafeText(name))
    digest = blake2b(name.encode(), digest_size=4).hexdigest()
    if safe == line:
        safe = f"{safe[: checks.MAX_NAME - 9]}~{digest}"
    else:
        safe = _MARKED.sub(rf"{MARK}\1-{digest}]", safe)
        # Read back, it has to be the same name.
        if bounds is None or len(safe) > checks.MAX_NAME or _redact(safe, bounds) != safe:
            safe = f"{MARK}name-{digest}]"
    return SafeName(SafeText(safe))


# For what has no settings at hand: sizes and secrets as the default settings have them.
DEFAULT = Guard(characters=16_000_000, tool_calls=1_000, tags=100)
