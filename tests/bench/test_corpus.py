"""The corpus is the same every time and looks like chat."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from statistics import median

import pytest

from bench.corpus import BLOCK, TONGUES, Synthetic, Tongue
from bench.languages import chinese, english
from bench.texts import Sampled
from bench.words import holds_han, plain_words
from mnemic.errors import NotFound


@pytest.mark.parametrize("tongue", TONGUES)
def test_turns_do_not_depend_on_how_they_are_asked_for(tongue: Tongue) -> None:
    whole = Synthetic(tongue).turns(0, 2 * BLOCK)
    assert whole == Synthetic(tongue).turns(0, 2 * BLOCK)
    assert whole[BLOCK - 5 : BLOCK + 5] == Synthetic(tongue).turns(BLOCK - 5, 10)
    assert Synthetic(tongue).texts(7, 3) == [turn.text for turn in whole[7:10]]


def test_english_has_chat_lengths_and_frequencies() -> None:
    texts = Synthetic("en").texts(0, 2 * BLOCK)
    words = [word for text in texts for word in text.lower().replace(",", "").split()]
    assert 15 <= median(len(text.split()) for text in texts) <= 25
    share = sum(word.rstrip(".") in english().stop for word in words) / len(words)
    assert 0.4 <= share <= 0.6
    # Zipf: the hundredth word is about a hundred times as rare as the first.
    counts = [count for _, count in Counter(words).most_common(100)]
    assert 30 <= counts[0] / counts[99] <= 300


def test_chinese_has_chat_lengths() -> None:
    texts = Synthetic("zh").texts(0, BLOCK)
    assert 25 <= median(map(len, texts)) <= 40
    assert all(map(holds_han, texts))


def test_vocabularies_hold_no_word_twice() -> None:
    for language in (english(), chinese()):
        assert len(set(language.words)) == len(language.words)


def test_sessions_have_about_fifty_turns() -> None:
    sessions = Counter(turn.session for turn in Synthetic("en").turns(0, 3 * BLOCK))
    assert 40 <= 3 * BLOCK / len(sessions) <= 80


@pytest.mark.parametrize("tongue", TONGUES)
def test_questions_hold_words_of_the_turn_they_aim_at(tongue: Tongue) -> None:
    corpus = Synthetic(tongue)
    asked = corpus.questions(3 * BLOCK, 20, seed=0)
    assert asked == Synthetic(tongue).questions(3 * BLOCK, 20, seed=0)
    assert len(asked) == 20
    for question in asked:
        assert question.target is not None
        assert question.target < 3 * BLOCK
        (text,) = corpus.texts(question.target, 1)
        if holds_han(text):
            assert len(set(text) & set(question.text) - chinese().stop) >= 4
        else:
            told = set(plain_words(text)) - english().stop
            assert len(told & set(plain_words(question.text))) >= 3


def test_texts_of_bank_files_by_tongue(bank_file: Path) -> None:
    mixed = Sampled(bank_file.parent, "mixed")
    assert len(set(mixed.texts(0, 5))) == 5
    assert mixed.texts(5, 5) != mixed.texts(0, 5)
    assert sorted(mixed.texts(5, 5)) == sorted(mixed.texts(0, 5))
    assert all(map(holds_han, Sampled(bank_file.parent, "zh").texts(0, 4)))
    assert not any(map(holds_han, Sampled(bank_file.parent, "en").texts(0, 6)))
    assert len(mixed.questions(100, 7, seed=0)) == 7
    with pytest.raises(NotFound):
        Sampled(bank_file.parent.parent, "en")
