"""The examples of a pattern: a message, and what is learned from it by that pattern.

``I live in Oslo => user/lives_in=Oslo``. Several statements are parted by ``;``, an earlier message
stands before ``|``. A ``-`` before a statement ends it, a ``+`` says that it replaces another.
"""

from __future__ import annotations

from mnemic.errors import ConfigError
from mnemic.language.extract.entries import Entry
from mnemic.language.extract.languages import Patterns
from mnemic.language.extract.message import MessageReader
from mnemic.late import dataclass
from mnemic.types import Candidate


@dataclass(frozen=True, slots=True)
class Example:
    """One example, taken apart."""

    before: tuple[str, ...]
    message: str
    learned: tuple[str, ...]


def examples_of(entry: Entry) -> list[Example]:
    """The examples of an entry; without one nobody sees whether a pattern works."""
    if not entry.example:
        raise ConfigError(
            f"{entry.vocabulary.file}: {entry} has no example",
            remedy='Give it one: example = ["I live in Oslo => user/lives_in=Oslo"]',
        )
    examples = []
    for text in entry.example:
        messages, arrow, learned = text.partition("=>")
        if not arrow:
            raise ConfigError(
                f"{entry.vocabulary.file}: an example of {entry} does not say what is learned",
                remedy="Write => and the statement after it, as in user/lives_in=Oslo",
            )
        *before, message = (text.strip() for text in messages.split("|"))
        expected = tuple(text.strip() for text in learned.split(";") if text.strip())
        examples.append(Example(tuple(before), message, expected))
    return examples


def check_examples(entry: Entry, patterns: Patterns) -> None:
    """Refuse an entry whose examples give something else than they say."""
    reader = MessageReader(patterns)
    for example in examples_of(entry):
        learned = tuple(map(statement_text, reader.read(example.message, example.before)))
        if learned != example.learned:
            raise ConfigError(
                f"{entry.vocabulary.file}: the example {example.message!r} of {entry} gives"
                f" {'; '.join(learned) or 'nothing'},"
                f" not {'; '.join(example.learned) or 'nothing'}",
                remedy="Correct the pattern or the example; another pattern may match it first",
            )


def statement_text(candidate: Candidate) -> str:
    """A statement as examples write it."""
    mark = "-" if candidate.withdraws else "+" if candidate.is_update else ""
    return f"{mark}{candidate.subject}/{candidate.predicate}={candidate.value}"
