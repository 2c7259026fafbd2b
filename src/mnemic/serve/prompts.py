"""Prompts that a person picks in a host: ask with memory, remember, review pending statements."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from mnemic.engine.mind import Mind
from mnemic.errors import NotFound
from mnemic.tools import answer_language, tool_names
from mnemic.tools.arguments import AnyText, ListPending, NoArguments, SearchMemory
from mnemic.tools.dispatch import ARGUMENT_CHARS
from mnemic.tools.parameters import read_arguments
from mnemic.tools.search import search_memory
from mnemic.tools.statements import list_pending
from mnemic.tools.texts import ENGLISH, Language, read_texts, text
from mnemic.tools.tool_context import ToolContext


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionArguments:
    """Something to answer with memory."""

    question: str


@dataclass(frozen=True, slots=True, kw_only=True)
class StatementArguments:
    """Something to keep."""

    statement: str


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerArguments:
    """An answer to the question that was asked last."""

    answer: AnyText = ""


@dataclass(frozen=True, slots=True)
class Prompt:
    """One prompt: its arguments, and the text for the model. What a person reads is in the texts
    of the tools.
    """

    name: str
    arguments: type[Any]
    build: Callable[[Mind, Any, Language], str]


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


def _recall(mind: Mind, arguments: QuestionArguments, language: Language) -> str:
    built = mind.context(arguments.question)
    parts = [built.text]
    if not any(section.name == "evidence" for section in built.sections):
        # This preset leaves searching to the model, but the person picked this prompt.
        query = SearchMemory(query=arguments.question)
        parts.append(search_memory(ToolContext(mind, language), query).text)
    return "\n\n".join(filter(None, (*parts, arguments.question)))


def _remember(mind: Mind, arguments: StatementArguments, language: Language) -> str:
    return text("asked.remember", language, statement=arguments.statement)


def _introduce(mind: Mind, arguments: AnswerArguments, language: Language) -> str:
    """A person picks prompts, so the answer is the person's own."""
    answer = arguments.answer.strip()
    state = mind.onboard(answer) if answer else mind.onboarding(begin=True)
    if state.done:
        return text("asked.introduced", language)
    return text("asked.next_question", language, question=state.text)


def _review(mind: Mind, arguments: NoArguments, language: Language) -> str:
    waiting = list_pending(ToolContext(mind, language), ListPending())
    if not waiting.data["results"]:
        return waiting.text
    key = "asked.review" if mind.settings.tools.answer_pending else "asked.review_by_user"
    return text(key, language, waiting=waiting.text)


PROMPTS = (
    Prompt("recall", QuestionArguments, _recall),
    Prompt("remember", StatementArguments, _remember),
    Prompt("introduce", AnswerArguments, _introduce),
    Prompt("review", NoArguments, _review),
)


def prompt_text(mind: Mind, name: str, arguments: Mapping[str, str]) -> str:
    """The text for the model when a person picks a prompt."""
    language = answer_language(mind, arguments)
    prompt = next((prompt for prompt in PROMPTS if prompt.name == name), None)
    if prompt is None:
        names = ", ".join(prompt.name for prompt in PROMPTS)
        raise NotFound("There is no such prompt", remedy=f"Use one of {names}")
    return prompt.build(
        mind, read_arguments(prompt.arguments, arguments, language, ARGUMENT_CHARS), language
    )
