"""Tools for the host's model: one definition for MCP, OpenAI and Anthropic."""

from recollect.tools.answers import ToolAnswer, as_data
from recollect.tools.catalogue import tool_names, tool_specs
from recollect.tools.dispatch import answer_language, call_tool
from recollect.tools.traces import Trace, TraceQuery, TraceSource

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
