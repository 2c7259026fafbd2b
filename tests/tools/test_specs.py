"""One definition of the tools, in the formats that hosts take, in both languages."""

from __future__ import annotations

import re
from typing import Any

import jsonschema  # type: ignore[import-untyped]
import pytest

import mnemic
from mnemic.prompts import Language, prompt
from mnemic.tools import tool_names, tool_specs
from mnemic.tools.catalog import Format

pytestmark = pytest.mark.feature("P4")

LANGUAGES: tuple[Language, ...] = ("en", "zh")
FORMATS: tuple[Format, ...] = ("openai", "anthropic", "mcp")
OWED = {
    "add_memory",
    "list_memories",
    "get_memory",
    "edit_memory",
    "archive_memory",
    "delete_memory",
    "forget",
    "record_turns",
    "restore_memory",
    "search_memory",
    "search_conversation_traces",
    "get_memory_stats",
    "list_pending",
    "confirm_memory",
    "ignore_memory",
    "later_memory",
    "read_scratchpad",
    "update_scratchpad",
}


def test_every_tool_is_there() -> None:
    assert set(tool_names()) == OWED


def bare(spec: dict[str, Any]) -> tuple[str, str, dict[str, Any]]:
    """Name, description and schema, whatever the format calls them."""
    inner = spec.get("function", spec)
    keys = ("parameters", "input_schema", "inputSchema")
    (schema,) = (inner[key] for key in keys if key in inner)
    return inner["name"], inner["description"], schema


@pytest.mark.parametrize("language", LANGUAGES)
def test_all_formats_say_the_same(language: Language) -> None:
    told = [[bare(spec) for spec in tool_specs(format, language)] for format in FORMATS]
    assert told[0] == told[1] == told[2]
    assert {name for name, _, _ in told[0]} == OWED - {"confirm_memory", "ignore_memory"}


def test_the_formats_are_those_of_their_makers() -> None:
    openai, anthropic, mcp = (tool_specs(format)[0] for format in FORMATS)
    assert openai.keys() == {"type", "function"}
    assert openai["function"].keys() == {"name", "description", "parameters"}
    assert anthropic.keys() == {"name", "description", "input_schema"}
    assert mcp.keys() == {
        "name",
        "title",
        "description",
        "inputSchema",
        "outputSchema",
        "annotations",
    }


@pytest.mark.parametrize("language", LANGUAGES)
def test_schemas_are_valid_and_closed(language: Language) -> None:
    for spec in tool_specs("mcp", language):
        schema = spec["inputSchema"]
        jsonschema.Draft202012Validator.check_schema(schema)
        assert schema["additionalProperties"] is False
        assert all(field["description"] for field in schema["properties"].values())
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate({"nobody asked": 1}, schema)


def test_the_languages_differ_in_words_only() -> None:
    def without_words(value: Any) -> Any:
        if isinstance(value, dict):
            hidden = {"description", "title"}
            return {key: without_words(item) for key, item in value.items() if key not in hidden}
        return value

    english, chinese = tool_specs("mcp", "en"), tool_specs("mcp", "zh")
    assert [without_words(spec) for spec in english] == [without_words(spec) for spec in chinese]
    for one, other in zip(english, chinese, strict=True):
        assert not re.search("[\u4e00-\u9fff]", str(one))
        assert re.search("[\u4e00-\u9fff]", other["description"])


def test_descriptions_are_short() -> None:
    assert all(len(spec["description"]) <= 200 for spec in tool_specs("mcp"))


def test_a_secret_is_not_a_kind_that_a_model_may_add() -> None:
    (add,) = (spec for spec in tool_specs("mcp") if spec["name"] == "add_memory")
    assert "credential" not in add["inputSchema"]["properties"]["kind"]["enum"]


@pytest.mark.parametrize(("given", "named"), [({"format": "x"}, "mcp"), ({"language": "x"}, "zh")])
def test_a_wrong_format_or_language_is_named(given: dict[str, Any], named: str) -> None:
    with pytest.raises(mnemic.InvalidInput, match=named):
        tool_specs(**given)


@pytest.mark.feature("P3", preset="openakita")
@pytest.mark.parametrize("language", LANGUAGES)
def test_the_prompt_names_tools_that_exist(language: Language) -> None:
    named = set(re.findall(r"`(\w+)`", prompt("guide", language)))
    assert named >= {"search_memory", "search_conversation_traces", "add_memory"}
    assert named <= set(tool_names())
