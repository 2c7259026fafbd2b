"""The vocabulary of quoting and of talk to an agent, in English and Chinese: ``words.toml``."""

from __future__ import annotations

from mnemic.language.word_file import WordFile

_FILE = WordFile("mnemic.language.voice", "words.toml")
pattern, words = _FILE.pattern, _FILE.words
