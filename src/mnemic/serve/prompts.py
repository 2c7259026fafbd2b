"""Prompts that a person picks in a host: ask with memory, remember, review pending statements."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from mnemic.engine.mind import Mind
from mnemic.errors import NotFound
from mnemic.tools import answer_language, tool_names
from mnemic.tools.dispatch import ARGUMENT_CHARS
from mnemic.tools.parameters import AnyText, read_arguments
from mnemic.tools.search import search_memory
from mnemic.tools.statements import list_pending
from mnemic.tools.texts import ENGLISH, Language, read_texts, text
from mnemic.tools.tool_context import ToolContext


def instructions(mind: Mind, language: Language) -> str:
    """What a host tells its model, about the tools that are offered; with the question of
    onboarding on a new memory, where the preset asks.
    """
    offered = ("", *tool_names(mind))
    sentences = [one for one in read_texts()["instructions"] if one["tool"] in offered]
    texts = [sentence.get(language, sentence[ENGLISH]) for sentence in sentences]
    if question := mind.onboarding().text:
        texts.append(text("asked.new_user", language, question=question))
    return text("asked.between", language).join(texts)


def _recall(mind: Mind, language: Language, *, question: str) -> str:
    built = mind.context(question)
    parts = [built.text]
    if not any(section.name == "evidence" for section in built.sections):
        # This preset leaves searching to the model, but the person picked this prompt.
        parts.append(search_memory(ToolContext(mind, language), query=question).text)
    return "\n\n".join(filter(None, (*parts, question)))


def _remember(mind: Mind, language: Language, *, statement: str) -> str:
    return text("asked.remember", language, statement=statement)


def _introduce(mind: Mind, language: Language, *, answer: AnyText = "") -> str:
    """A person picks prompts, so the answer is the person's own."""
    state = mind.onboard(answer.strip()) if answer.strip() else mind.onboarding(begin=True)
    if state.done:
        return text("asked.introduced", language)
    return text("asked.next_question", language, question=state.text)


def _review(mind: Mind, language: Language) -> str:
    waiting = list_pending(ToolContext(mind, language))
    if not waiting.data["results"]:
        return waiting.text
    key = "asked.review" if mind.settings.tools.answer_pending else "asked.review_by_user"
    return text(key, language, waiting=waiting.text)


# The keywords of each are its arguments. What a person reads is in the texts of the tools.
PROMPTS: dict[str, Callable[..., str]] = {
    "recall": _recall, "remember": _remember, "introduce": _introduce, "review": _review
}  # fmt: skip


def prompt_text(mind: Mind, name: str, arguments: Mapping[str, str]) -> str:
    """The text for the model when a person picks a prompt."""
    language = answer_language(mind, arguments)
    build = PROMPTS.get(name)
    if build is None:
        raise NotFound("There is no such prompt", remedy=f"Use one of {', '.join(PROMPTS)}")
    return build(mind, language, **read_arguments(build, arguments, language, ARGUMENT_CHARS))
