"""What the reader is given: nothing of a text is left out, and only its own pieces are kept."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import Tokenizer

from mnemic.providers.reader import inputs
from mnemic.providers.reader.inputs import Cutter, TurnText, script_of
from mnemic.providers.reader.model import find_folder


@pytest.fixture(scope="module")
def cutters() -> dict[str, Cutter]:
    folder = find_folder()
    return {
        script: Cutter(Tokenizer.from_file(str(folder / f"{script}.json")), script)
        for script in inputs.SCRIPTS
    }


@pytest.fixture(scope="module")
def whole_texts() -> dict[str, Tokenizer]:
    """Tokenizers that cut nothing."""
    folder = find_folder()
    return {one: Tokenizer.from_file(str(folder / f"{one}.json")) for one in inputs.SCRIPTS}


@pytest.mark.parametrize(
    ("text", "script"),
    [
        ("where did I park?", "latin"),
        ("我把车停在哪了", "han"),
        ("帮我把 Python 升级到 3.13，顺便装 uv", "han"),
        ("My friend 王磊 is coming on Friday, remember to book a table", "latin"),
        ("wo bist du", "latin"),
        ("", "latin"),
        ("12:30", "latin"),
    ],
)
def test_text_is_read_by_the_encoder_of_its_script(text: str, script: str) -> None:
    assert script_of(text) == script


@given(words=st.integers(1, 250), script=st.sampled_from(inputs.SCRIPTS))
def test_windows_cover_every_piece_of_a_long_text(
    cutters: dict[str, Cutter], whole_texts: dict[str, Tokenizer], words: int, script: str
) -> None:
    text = " ".join(f"w{n}" for n in range(words))
    windows = cutters[script].windows(
        TurnText(text, "user", date(2026, 2, 3), "assistant: tell me more")
    )
    covered = {offset for window in windows for offset in window.offsets}
    whole = whole_texts[script].encode(text, add_special_tokens=False)
    assert covered == set(whole.offsets)
    assert all(len(window.offsets) <= inputs.WINDOW for window in windows)


def test_own_pieces_begin_after_the_turn_before(cutters: dict[str, Cutter]) -> None:
    alone = cutters["latin"].windows(TurnText("It rains"))[0]
    (beside,) = cutters["latin"].windows(TurnText("It rains", before="user: how is the weather?"))
    assert beside.ids[beside.own :] == alone.ids[alone.own :]
    assert beside.own > alone.own


def test_day_is_written_in_the_words_of_the_script(cutters: dict[str, Cutter]) -> None:
    day = date(2026, 5, 7)
    for script, text, written in (("latin", "rain", "7 May 2026"), ("han", "雨", "2026年5月7日")):
        (window,) = cutters[script].windows(TurnText(text, day=day))
        asked = cutters[script].question(written).ids[1:-1]
        assert window.ids[window.own : window.own + len(asked)] == asked
