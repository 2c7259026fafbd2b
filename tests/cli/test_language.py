"""What people read is in their language; what programs read never changes."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, get_args

import pytest

import mnemic
from mnemic import errors
from mnemic.cli import phrases
from mnemic.cli.failures import error_line
from mnemic.cli.output import cells
from mnemic.cli.phrases import choose_language, sentence, speaking, term
from mnemic.cli.show import sentences
from mnemic.recall.features import GROUPS
from mnemic.settings.recall import Route, SectionName
from mnemic.types import (
    KINDS,
    ORIGINS,
    OUTCOMES,
    RECORD_TYPES,
    ROLES,
    STATUSES,
    TRUSTS,
    TURN_STATES,
    DecisionOutcome,
    JobState,
)
from tests.cli import printed_texts
from tests.cli.conftest import AT_ONCE, Shell, tell
from tests.cli.test_commands import QUIET

pytestmark = pytest.mark.feature("O4")

FOLDER = Path(mnemic.__file__).parent / "cli" / "zh"
CATALOGS = sorted(path.stem for path in FOLDER.glob("*.json"))
HAN = re.compile("[\u4e00-\u9fff]")
# Where the errors come from that people meet at the command line.
MET = ("cli", "documents", "forget", "jobs", "store", "sync", "upkeep")
OF_PRESET = {"scope", "priority"}  # names of its document, which stay
CHANGING = ("record", "add", "attach", "end", "worker")


def texts(name: str) -> dict[str, str]:
    known: dict[str, str] = json.loads((FOLDER / f"{name}.json").read_text("utf-8"))
    return known


class Watched(dict[str, str]):
    """A catalog that notes what was looked up in vain."""

    def __init__(self, texts: Mapping[str, str]) -> None:
        super().__init__(texts)
        self.missed: set[str] = set()

    def get(self, key: str, default: str = "") -> str:  # type: ignore[override]
        if key not in self:
            self.missed.add(key)
        return super().get(key, default)


@pytest.fixture
def chinese(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A Chinese locale, in which nothing that is printed lacks its Chinese."""
    monkeypatch.setenv("LC_ALL", "zh_CN.UTF-8")
    watched = {name: Watched(texts(name)) for name in CATALOGS}
    monkeypatch.setattr(phrases, "catalog", watched.__getitem__)
    yield
    missed = watched["output"].missed | watched["help"].missed
    assert {text for text in missed if not HAN.search(text)} - OF_PRESET == set()


class TestCatalogs:
    """Every text has its Chinese, and nothing is lost on the way."""

    def test_what_is_printed(self) -> None:
        known = texts("output") | texts("help") | texts("engine")
        shown = [*printed_texts.printed(), *printed_texts.headings()]
        assert [text for text in shown if text.text not in known] == []

    def test_no_sentence_is_put_together_where_no_catalog_sees_it(self) -> None:
        known = {printed_texts.unnamed(text) for text in texts("engine")}
        found = [one for one in printed_texts.untranslatable() if one.text not in known]
        assert found == []

    def test_titles(self) -> None:
        assert set(sentences().values()) - set(texts("output")) == set()

    def test_help(self) -> None:
        shown = list(printed_texts.help_paragraphs())
        assert [text for text in shown if text.text not in texts("help")] == []
        assert set(texts("help")) - {text.text for text in shown} == set(), "no longer said"

    @pytest.mark.parametrize("folder", MET)
    def test_errors(self, folder: str) -> None:
        known = {printed_texts.unnamed(text) for text in texts("engine")}
        with speaking(lambda: "zh"):
            missing = [
                text
                for text in printed_texts.raised(folder)
                if text.text not in known and not HAN.search(sentence(text.text))
            ]
        assert missing == []

    def test_words_of_the_engine(self) -> None:
        words = (
            *(*KINDS, *RECORD_TYPES, *ROLES, *TRUSTS, *STATUSES, *TURN_STATES, *OUTCOMES, *ORIGINS),
            *(*get_args(SectionName), *get_args(Route), *GROUPS),
            *(*get_args(DecisionOutcome), *get_args(JobState)),
        )
        assert [word for word in words if word not in texts("terms")] == []

    @pytest.mark.parametrize("name", CATALOGS)
    def test_each_entry_is_there_once_and_fills_in_the_same(self, name: str) -> None:
        pairs: list[tuple[str, str]] = []
        json.loads((FOLDER / f"{name}.json").read_text("utf-8"), object_pairs_hook=pairs.extend)
        assert len(pairs) == len({english for english, _ in pairs})
        for english, chinese in pairs:
            fields = [sorted(re.findall(r"\{(\w+)", text)) for text in (english, chinese)]
            assert fields[0] == fields[1], english
            assert chinese.strip()

    def test_no_template_of_the_engine_is_so_short_that_it_takes_others(self) -> None:
        templates = [text for text in texts("engine") if printed_texts.FIELD.search(text)]
        short = [one for one in templates if len(printed_texts.FIELD.sub("", one)) < 4]
        assert short == []


@pytest.mark.parametrize(
    ("setting", "locale", "language"),
    [
        ("zh", {"LANG": "en_GB.UTF-8"}, "zh"),
        ("en", {"LANG": "zh_CN.UTF-8"}, "en"),
        ("auto", {"LANG": "zh_CN.UTF-8"}, "zh"),
        ("auto", {"LANG": "zh_CN.UTF-8", "LC_ALL": "de_DE.UTF-8"}, "en"),
        ("auto", {"LANG": "zh_CN.UTF-8", "LC_ALL": "C"}, "en"),
        ("auto", {"LANG": "POSIX"}, "en"),
        ("auto", {"LANG": "en_US.UTF-8", "LC_MESSAGES": "zh_TW"}, "zh"),
        ("auto", {}, "en"),
    ],
)
def test_the_language_is_that_of_the_settings_or_the_locale(
    setting: Any, locale: dict[str, str], language: str
) -> None:
    assert choose_language(setting, locale) == language


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("language")


@pytest.fixture
def once(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Shell:
    """One memory for all tests here, since most commands only look."""
    shell = Shell(folder / "memory.db")
    monkeypatch.setenv("MNEMIC_DB", str(shell.db))
    monkeypatch.setenv("MNEMIC_EMBEDDING__PROVIDER", "none")
    monkeypatch.chdir(folder)
    if not shell.db.exists():
        tell(shell)
    return shell


class TestCommands:
    """Every command, through the command itself."""

    def test_programs_read_the_same(self, once: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
        for name, command in QUIET.items():
            if name in CHANGING:
                continue
            forms = ("--json", "--ndjson", "--csv") if name in ("turns", "stats") else ("--json",)
            for form in forms:
                both = set()
                for locale in ("en_US.UTF-8", "zh_CN.UTF-8"):
                    monkeypatch.setenv("LC_ALL", locale)
                    both.add(_steady(once(*command, form).stdout))
                assert len(both) == 1, (name, form)

    @pytest.mark.parametrize("name", QUIET)
    def test_people_read_chinese(self, once: Shell, chinese: None, name: str) -> None:
        shown = once(*QUIET[name]).output
        assert name in ("config", "record", "attach", "attachments") or HAN.search(shown)
        assert _left_in_english(shown) == []

    def test_the_rest(self, once: Shell, chinese: None) -> None:
        """Those that take an id, ask, or write files."""
        memory = once.json("memories")[0]["id"]
        job = once.json("jobs")[0]["id"]
        waits = ("--set", "routing.write=0.99", *AT_ONCE)
        once("record", "-s", "taste", "I like listening to jazz.", *waits)
        shown = [once("worker", "--once", *waits).output]
        (pending, *_) = once.json("pending")
        shown += [
            once(*command, code=code).output
            for code, command in (
                (0, ["show", memory]),
                (0, ["history", memory]),
                (0, ["memories", "--kind", "skill"]),
                (0, ["pending"]),
                (0, ["pending", "snooze", pending["id"]]),
                (0, ["pending", "confirm", pending["id"]]),
                (0, ["edit", memory, "--importance", "0.9"]),
                (0, ["audit"]),
                (0, ["upkeep", "daily", "--dry-run"]),
                (0, ["upkeep", "rules"]),
                (0, ["sync"]),
                (0, ["onboard"]),
                (0, ["events", "--daily"]),
                (0, ["recall", "jazz", "--explain"]),
                (1, ["jobs", "redrive", job]),
                (0, ["token", "add", "me"]),
                (0, ["token", "list"]),
                (0, ["export", "out.md"]),
                (0, ["export", "out.jsonl"]),
                (0, ["import", "out.jsonl", "--db", "other.db"]),
                (0, ["import", "out.jsonl", "--preview"]),
                (0, ["backup", "backup.db"]),
                (0, ["restore-backup", "backup.db", "again.db"]),
                (0, ["copy", str(once.db), "copy.db"]),
                (0, ["forget", "--query", "jazz", "--dry-run"]),
                (0, ["forget", "--query", "jazz", "--yes", "--receipt", "receipt.json"]),
                (0, ["doctor", "--forgotten", "receipt.json"]),
                (0, ["rollback", "--source", "session:dev", "--dry-run"]),
                (0, ["stats", "--days", "3"]),
            )
        ]
        newest = once.json("memories", "--text", "Python")[0]["id"]
        for command in ("archive", "restore"):
            shown.append(once(command, newest).output)
        shown.append(once("delete", newest, "--yes").output)
        for output in shown:
            assert HAN.search(output), output
            assert _left_in_english(output) == []

    def test_help(self, shell: Shell, chinese: None) -> None:
        shown = shell("forget", "--help").stdout
        assert "用法： cli forget [OPTIONS]" in shown
        assert "从所有表、索引、文件和空闲页中彻底删除" in shown
        assert "每个命令的选项：" in shown
        assert _left_in_english(shown) == []

    def test_a_setting_wins_over_the_locale(self, once: Shell, chinese: None) -> None:
        assert "空间" in once("stats").stdout
        assert "space" in once("stats", "--set", "memory.language=en").stdout

    def test_a_variable_wins_over_the_locale(
        self, once: Shell, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("MNEMIC_LANGUAGE", "zh")
        assert "空间" in once("stats").stdout
        assert "显示记忆的大小" in once("stats", "--help").stdout


class TestErrors:
    """In Chinese with their remedy, in English for programs."""

    @pytest.mark.parametrize(
        ("args", "said"),
        [
            (["recal", "x"], "没有命令 'recal'。是不是 recall？"),
            (["record", "text"], "缺少选项 '--session'"),
            (["recall"], "缺少参数 'QUERY...'"),
            (["recall", "--nope"], "没有选项 '--nope'"),
            (["turns", "--since", "someday"], "'--since' 的值无效：'someday' 不是时间"),
            (["turns", "--role", "cook"], "'cook' 不是 'user'"),
            (["turns", "--offset", "-1"], "-1 不在范围 x>=0 内"),
            (["stats", "--preset", "nope"], "没有预设 'nope'"),
            (["stats", "--db", "mysql://x"], "这个版本打不开 mysql://"),
            (["record", "-s", " ", "x"], "session 是空的"),
            (["forget"], "不清楚要忘记什么"),
            (["import", "missing.jsonl"], "读不了 missing.jsonl：没有这个文件"),
            (["delete", "x"], "没有记忆 x"),
        ],
    )
    def test_the_common_ones(self, once: Shell, chinese: None, args: list[str], said: str) -> None:
        code = 1 if args[0] == "delete" else 2
        result = once(*args, code=code)
        assert "错误：" in result.stderr
        assert said in result.stderr
        assert all(HAN.search(line) for line in result.stderr.splitlines())
        for_programs = json.loads(once(*args, "--json", code=code).stderr)["error"]
        assert not HAN.search(for_programs["message"] + for_programs["remedy"])

    def test_one_whose_words_are_not_known_says_what_it_means(self) -> None:
        failed = mnemic.ModelRateLimited("openai answered 429", remedy="Wait before trying again")
        with speaking(lambda: "en"):
            assert error_line(failed) == str(failed)
        with speaking(lambda: "zh"):
            assert error_line(failed) == (
                "请求太多，请稍后再试（openai answered 429）。请等一会再试"
            )
            for error in vars(errors).values():
                if isinstance(error, type) and issubclass(error, errors.MnemicError):
                    assert HAN.match(error_line(error("x")))
                    assert error.__name__ in texts("terms")

    def test_what_is_filled_in_stays_as_it_is(self) -> None:
        with speaking(lambda: "zh"):
            assert sentence("There is no file a {b} is empty") == "没有文件 a {b} is empty"
            assert sentence("3 new, 1 dead") == "3 新，1 彻底失败"
            assert sentence("unheard of") == "unheard of"
            assert term("unheard of") == "unheard of"


def test_columns_stand_below_their_headings(once: Shell, chinese: None) -> None:
    head, *rows = once("sessions").stdout.splitlines()
    place = cells(head[: head.index("会话")])
    assert {row[place:].split()[0] for row in rows} >= {"trip", "dev"}


def run(*args: str, **environment: str) -> subprocess.CompletedProcess[bytes]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("LC_")}
    return subprocess.run(
        [sys.executable, "-m", "mnemic", *args],
        env=kept | environment,
        capture_output=True,
        check=False,
    )


def test_a_terminal_without_chinese_is_spoken_to_in_english() -> None:
    ascii_only = {"PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"}
    assert b"Usage: mnemic" in run("--help", LANG="zh_CN.UTF-8", **ascii_only).stdout
    assert "用法" in run("--help", LANG="zh_CN.UTF-8", PYTHONIOENCODING="gb18030").stdout.decode(
        "gb18030"
    )


def test_help_fits_a_narrow_terminal() -> None:
    shown = run("export", "--help", LANG="zh_CN.UTF-8", COLUMNS="60").stdout.decode()
    assert max(map(cells, shown.splitlines())) <= 60
    assert not re.search("^ *[，。；：、）]", shown, re.MULTILINE)


def _left_in_english(shown: str) -> list[str]:
    """Texts of several words that have their Chinese and were printed in English."""
    known = texts("output") | texts("engine")
    plain = [
        text for text in known if len(text.split()) > 2 and "{" not in text and known[text] != text
    ]
    return [text for text in plain if text in shown and "mnemic" not in text]


def _steady(shown: str) -> str:
    """Without what differs from run to run."""
    return re.sub(r"\d{4}-\d\d-\d\d[T ][\d:.+]+Z?|[\d.]+ MiB|[\d.e-]{4,}", "", shown)
