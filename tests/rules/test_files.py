"""Files found in the arguments of tool calls."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mnemic.record.attachments import find_written_files
from mnemic.types import NewTurn, ToolCall, ToolResult, file_name


def paths(*calls: ToolCall, results: tuple[ToolResult, ...] = ()) -> list[str]:
    turn = NewTurn("s", "assistant", "", tool_calls=calls, tool_results=results)
    return list(find_written_files([turn]))


@pytest.mark.parametrize(
    ("tool", "told", "expected"),
    [
        ("write_file", {"path": "a.txt"}, ["a.txt"]),
        ("Write", {"file_path": "/tmp/a.txt", "content": "x/y.txt"}, ["/tmp/a.txt"]),
        ("create_file", {"filename": "Makefile"}, ["Makefile"]),
        ("fs.write", {"path": "src/main"}, ["src/main"]),
        ("fs-save-image", {"output": "cat.png"}, ["cat.png"]),
        ("generate_image", {"output_path": "C:\\pics\\猫.png"}, ["C:\\pics\\猫.png"]),
        ("edit_file", {"PATH": " a.txt "}, ["a.txt"]),
        ("export_report", {"dest": "报告.pdf", "target_file": "b.csv"}, ["报告.pdf", "b.csv"]),
        ("download", {"url": "http://x/a.zip", "save_path": "a.zip"}, ["a.zip"]),
        ("read_file", {"path": "a.txt"}, []),
        ("rewrite", {"path": "a.txt"}, []),
        ("create_task", {"file": "buy milk"}, []),
        ("create_task", {"title": "a.txt"}, []),
        ("write_file", {}, []),
        ("write_file", {"path": ""}, []),
        ("write_file", {"path": 5}, []),
        ("write_file", {"path": ["a.txt"]}, ["a.txt"]),
        ("write_files", {"files": ["a.txt", "b.txt"]}, ["a.txt", "b.txt"]),
        (
            "create_report",
            {"artifacts": [{"path": "r/a.pdf"}, {"path": "b.csv"}]},
            ["r/a.pdf", "b.csv"],
        ),
        ("write_file", {"a": {"b": {"c": {"d": {"path": "a.txt"}}}}}, []),
        ("write_file", {"path": "a\nb.txt"}, []),
        ("write_file", {"path": "a\x00b.txt"}, []),
        ("write_file", {"path": "x" * 1025}, []),
    ],
)
def test_the_paths_a_call_writes(tool: str, told: dict[str, Any], expected: list[str]) -> None:
    assert paths(ToolCall(tool, told)) == expected


def test_each_path_once_in_order() -> None:
    calls = [ToolCall("write_file", {"path": path}) for path in ("b.txt", "a.txt", "b.txt")]
    assert paths(*calls) == ["b.txt", "a.txt"]
    assert paths() == []


def test_a_call_that_failed_wrote_nothing() -> None:
    calls = [ToolCall("write_file", {"path": f"{n}.txt"}, str(n)) for n in range(4)]
    results = (
        ToolResult("EACCES", "0", is_error=True),
        ToolResult("ok", "1"),
        ToolResult('{"success": false, "message": "disk full"}', "2"),
    )
    assert paths(*calls, results=results) == ["1.txt", "3.txt"]


def test_a_result_lists_what_was_written() -> None:
    call = ToolCall("generate_image", {"prompt": "一只猫"}, "1")
    result = ToolResult('{"artifacts": [{"path": "out/cat.png", "size": 3}]}', "1")
    assert paths(call, results=(result,)) == ["out/cat.png"]


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("a.txt", "a.txt"),
        ("/tmp/a.txt", "a.txt"),
        ("C:\\docs\\a.txt", "a.txt"),
        ("mixed/of\\both.txt", "both.txt"),
        ("https://x.com/p/cat.jpg?w=1&h=2", "cat.jpg"),
        ("https://x.com/p/", "p"),
        ("/tmp/文件.md", "文件.md"),
        ("/", ""),
        ("", ""),
    ],
)
def test_the_name_of_a_file(path: str, name: str) -> None:
    assert file_name(path) == name


VALUES = st.none() | st.integers() | st.text(max_size=20) | st.lists(st.text(max_size=5))


@given(st.text(max_size=20), st.dictionaries(st.sampled_from(["path", "file", "x"]), VALUES))
def test_any_call_can_be_looked_at(tool: str, told: dict[str, Any]) -> None:
    for path in paths(ToolCall(tool, told)):
        assert path == path.strip() != ""
        assert "/" not in file_name(path)
