"""Tools for the host's model: one definition for MCP, OpenAI and Anthropic."""

from mnemic.tools.answers import ToolAnswer, as_data
from mnemic.tools.catalog import tool_names, tool_specs
from mnemic.tools.dispatch import answer_language, call_tool
from mnemic.tools.traces import Trace, TraceQuery, TraceSource

__all__ = [
    "ToolAnswer",
    "Trace",
    "TraceQuery",
    "TraceSource",
    "answer_language",
    "as_data",
    "call_tool",
    "tool_names",
    "tool_specs",
]
