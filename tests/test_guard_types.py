"""A store method cannot be reached by a string that did not pass the guard: a type says so."""

from __future__ import annotations

import ast
import dataclasses
import inspect
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any, get_args, get_type_hints

import pytest

import mnemic
from mnemic.errors import InvalidInput
from mnemic.language.guard import DEFAULT, Guard
from mnemic.store import rows
from mnemic.store.sql import unit
from mnemic.store.sql.part import Part
from mnemic.store.sql.queue import SqlQueue

# The parts of a unit of work and the queue, and the rows that they take and give.
PARTS = [*Part.__subclasses__(), SqlQueue]
CONTRACT = (
    *{sys.modules[one.__module__]: None for one in PARTS if ".sql." in one.__module__},
    rows,
)
# Plain strings of the contract, by parameter or field.
LOOKED_UP = (  # compared with what is stored, never stored
    "id_ ids turns last_turn from_turn memory document sessions terms texts subject predicate"
    " episodes memories attachments daily_events id senders contains having form_of slots subjects"
    " prefix"
)
ENGINE_WORDS = (  # chosen by the engine or the settings, never by a call
    "type_ kind work run step owner cron zone stage maker name source embedder words key"
)
COUNTED = "amounts counts answers payload payloads examples"  # its keys are the engine's words
PRINTS = "file bullets"  # fingerprints and ids
# Names of tables and columns, ids, and rows that passed the guard of the device that wrote them.
EXCHANGED = "table columns column keys values device receipt shadows"
OPENED = "space"  # passes the guard once, when a mind is opened
READ_BACK = "sender speaker text role before"  # of rows that only come out of a store
PLAIN = frozenset(
    " ".join((LOOKED_UP, ENGINE_WORDS, COUNTED, PRINTS, EXCHANGED, OPENED, READ_BACK)).split()
)
ROWS = (rows,)
ROWS_READ = {
    "Place": {"sender", "text"},
    "EmbedText": {"speaker", "text", "role", "before"},
    "StoredText": {"texts"},
}
ROWS_ASKED = {"QueryTerm": {"text"}, "Name": {"text"}}  # compared with what is stored
WRITTEN = ("content", "summary", "goal", "project", "topic", "tags", "value", "channel", "error",
           "reason", "description", "filename", "path", "url", "title", "purpose", "model",
           "operation_id", "session", "entities", "tools")  # fmt: skip


def _leaves(hint: Any) -> Iterator[Any]:
    inside = [part for part in get_args(hint) if not isinstance(part, list)]
    if not inside:
        yield hint
    for part in inside:
        yield from _leaves(part)


def _strings(module: ModuleType) -> Iterator[tuple[str, str]]:
    """Each place of the contract that takes a plain string, and the name of what it takes."""
    known = {name: value for one in (unit, *CONTRACT) for name, value in vars(one).items()}
    for name, cls in vars(module).items():
        if not inspect.isclass(cls) or cls.__module__ != module.__name__:
            continue
        if not issubclass(cls, (Part, SqlQueue)):
            if module not in ROWS:
                continue
            for field, hint in get_type_hints(cls, known).items():
                if str in _leaves(hint):
                    yield name, field
            continue
        for method, found in vars(cls).items():
            if method.startswith("_") or not inspect.isfunction(found):
                continue
            hints = get_type_hints(found, known)
            hints.pop("return", None)
            for parameter, hint in hints.items():
                if str in _leaves(hint):
                    yield f"{name}.{method}", parameter
                for taken in _leaves(hint):
                    yield from _plain_fields(taken)


def _plain_fields(taken: Any) -> Iterator[tuple[str, str]]:
    """The plain strings of a public type that a store method takes, and of its parts."""
    if not (
        inspect.isclass(taken) and dataclasses.is_dataclass(taken)
    ) or taken.__module__.startswith("mnemic.store"):
        return
    for field, hint in get_type_hints(taken).items():
        if str in _leaves(hint):
            yield taken.__name__, field
        for part in _leaves(hint):
            yield from _plain_fields(part)


@pytest.mark.parametrize("module", CONTRACT, ids=lambda module: module.__name__)
def test_the_contract_takes_no_plain_string_that_is_stored(module: ModuleType) -> None:
    found = list(_strings(module))
    assert [place for place in found if place[1] not in PLAIN] == []
    assert [place for place in found if place[1] in WRITTEN] == []
    for place, name in found:  # text and texts are only plain where they are read or looked for
        if name in ("text", "sender", "speaker", "before"):
            assert name in {**ROWS_READ, **ROWS_ASKED}[place]


# Where strings are given their type: the guard, what composes safe parts, and reading back.
MAKERS = {
    "types/safe.py", "types/operations.py", "language/guard.py", "store/codec.py",
    "index/batches.py", "record/recorder.py", "forget/plan.py",
}  # fmt: skip
# Where a word of the engine is not a literal: a name in the settings, a fingerprint, an envelope.
NAMERS = {
    "ids.py", "documents/library.py", "documents/sync.py", "documents/edit_importer.py",
    "documents/writer.py", "documents/onboarding.py", "learn/episodes.py",
    "learn/memory_writer.py",
    "learn/scratchpads.py", "record/transcripts.py", "learn/rollback_plan.py",
    "documents/fallback/importer.py",
    "recall/attempts.py",
    "store/sql/journal.py", "store/sql/queue.py", "upkeep/bus.py", "forget/names.py",
    "upkeep/steps/extraction.py", "upkeep/work.py",
}  # fmt: skip
NAMING = ("constant", "key_of", "unit.journal.begin_new")
TYPES = ("SafeText", "SafeName", "SafeCall", "SafeResult", "SafeAction", "SafeMetadata")


def _is_word(argument: ast.expr) -> bool:
    named = isinstance(argument, ast.Name) and argument.id.isupper()
    return named or (isinstance(argument, ast.Constant) and isinstance(argument.value, str))


def test_only_the_guard_makes_safe_strings() -> None:
    source = Path(mnemic.__file__).parent
    wrong: list[str] = []
    for path in sorted(source.rglob("*.py")):
        name = path.relative_to(source).as_posix()
        for node in ast.walk(ast.parse(path.read_text(encoding="utf8"))):
            if not isinstance(node, ast.Call):
                continue
            called, told = ast.unparse(node.func), ast.unparse(node)
            if called in TYPES and name not in MAKERS:
                wrong.append(f"{name}:{node.lineno}: {told}")
            if called == "cast" and "Safe" in ast.unparse(node.args[0]) and name not in MAKERS:
                wrong.append(f"{name}:{node.lineno}: {told}")
            made = called in NAMING and not _is_word(node.args[0])
            if made and name not in NAMERS:
                wrong.append(f"{name}:{node.lineno}: {told}")
    assert wrong == []


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        ("Alice", "Alice"),
        ("  Alice \n", "Alice"),
        ("王芳", "王芳"),
        ("Zoë O'Neil-Smith (ops)", "Zoë O'Neil-Smith (ops)"),
        ("👨\u200d👩\u200d👧", "👨\u200d👩\u200d👧"),
        ("می\u200cخواهم", "می\u200cخواهم"),
        ("全角\u3000空格", "全角\u3000空格"),
        ("a\nb", "a b~"),
        ("a\r\n\t\vb", "a b~"),
        ("a\u2028b\u2029c\x85d", "a b c d~"),
        ("a\x00b\x1bc\x9bd", "a b c d~"),
        ("Ali\u200bce", "Alice~"),
        ("Al\u202eice\u2066", "Alice~"),
        ("A\u200dlice\ufeff", "Alice~"),
        ("a\U000e0041\U000e0042", "a~"),
    ],
)
def test_a_name_is_one_visible_line(given: str, shown: str) -> None:
    name = DEFAULT.name(given, "name")
    assert name == shown or (shown.endswith("~") and name[:-8] == shown)
    assert DEFAULT.name(name, "another") == name
    assert DEFAULT.filter(given, "name") == name


@pytest.mark.parametrize(
    "given", ["", " ", "\n", "\u200b", "\u202e\n", "x" * 513, "\ud800", None, 1, []]
)
def test_what_is_no_name_is_refused(given: Any) -> None:
    with pytest.raises(InvalidInput) as caught:
        DEFAULT.name(given, "session")
    assert "session" in str(caught.value)
    assert caught.value.remedy


def test_secrets_may_be_kept_and_names_stay_one_line() -> None:
    keeping = Guard(1_000, 10, 10, secrets=None)
    told = f"password={'aB3'}{'xK9' * 5}"
    assert keeping.text(told, "text") == keeping.name(told, "name") == told
    assert keeping.name(f"{told}\nx", "name").startswith(f"{told} x~")


def test_an_error_is_never_refused() -> None:
    token = f"ghp_{'a1B2c3D4e5' * 4}"[:40]
    told = DEFAULT.error(ValueError(f"\ud800 bad token {token} " + "x" * 100_000))
    assert len(told) == 500
    assert token not in told
    assert DEFAULT.error(f"{'y' * 490} {token}").startswith("y" * 490)
    assert "ghp_a1" not in DEFAULT.error(f"{'y' * 490} {token}")
