"""The vocabulary of quoting and of talk to an agent, in English and Chinese: ``words.toml``."""

from __future__ import annotations

from mnemic.language.vocabulary import Vocabulary

_VOCABULARY = Vocabulary("mnemic.language.voice", "words.toml")
pattern, words = _VOCABULARY.pattern, _VOCABULARY.words
