"""mnemic recall, search, context"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from mnemic.cli.output import (
    ListEntry,
    answer,
    bold,
    clean_lines,
    emit,
    entries,
    heading,
    join_parts,
    note,
    say,
    table,
    when,
)
from mnemic.cli.phrases import phrase, sentence, term
from mnemic.cli.state import State
from mnemic.plain import plain
from mnemic.settings.vocabulary import PresetVocabulary, Words
from mnemic.types import RECORD_TYPES, Context, Hit, RecordType

if TYPE_CHECKING:
    from mnemic.engine.mind import Mind

_BESIDES: tuple[RecordType, ...] = tuple(type_ for type_ in RECORD_TYPES if type_ != "memory")


def recall(
    state: State,
    /,
    query: tuple[str, ...],
    limit: int,
    of: tuple[RecordType, ...],
    explain: bool,
    **where: Any,
) -> None:
    with state.open() as mind:
        hits = mind.recall(" ".join(query), limit=limit, of=of or None, **where)
    show = partial(show_hits, hits, explain=explain, words=mind.settings.vocabulary)
    answer([_describe_hit(mind, hit) for hit in hits], show, nothing="Nothing was found.")


def search(
    state: State, /, query: tuple[str, ...], limit: int, explain: bool, **where: Any
) -> None:
    text = " ".join(query)
    with state.open() as mind:
        memories = mind.recall(text, limit=limit, of=("memory",), **where)
        narrowed = where["kind"] or where["scope"]
        evidence = [] if narrowed else mind.recall(text, limit=limit, of=_BESIDES, **where)
    if state.json:
        describe = partial(_describe_hit, mind)
        above, below = list(map(describe, memories)), list(map(describe, evidence))
        emit({"memories": above, "evidence": below}, rows=[*above, *below])
        return
    if not memories and not evidence:
        note(phrase("Nothing was found."))
    for title, hits, first in (("Known", memories, 1), ("Said", evidence, len(memories) + 1)):
        if hits:
            say(bold(phrase(title)))
            show_hits(hits, explain=explain, first=first, words=mind.settings.vocabulary)


def _describe_hit(mind: Mind, hit: Hit) -> dict[str, Any]:
    """A hit as JSON values; ``record`` is its type where the preset calls the kind `type`."""
    words = mind.words(hit)
    return {**plain(hit), **({"record": hit.type} if "type" in words else {}), **words}


def show_hits(
    hits: list[Hit], *, explain: bool = False, first: int = 1, words: PresetVocabulary | None = None
) -> None:
    """Numbered hits: the text, then what it is and where it is from."""
    digits = len(str(first + len(hits) - 1))
    kinds = (words or PresetVocabulary()).kinds
    entries(
        ListEntry(
            f"{n:>{digits}}", hit.text, (_about(hit, kinds), *(_reasons(hit) if explain else ()))
        )
        for n, hit in enumerate(hits, first)
    )


def _about(hit: Hit, kinds: Words) -> str:
    speaker = f"{term(hit.role or '')} {hit.sender}".strip() or term(hit.type)
    place = f"{hit.session} #{hit.index}" if hit.index is not None else hit.session
    if hit.kind is None:
        return join_parts(f"{hit.score:.2f}", when(hit.at), speaker, place)
    kind = term(kinds.word_of(hit.kind, hit.metadata))
    weight = phrase("importance {n:.2f}", n=hit.importance or 0)
    # The id is what show, history and forget ask for.
    return join_parts(f"{hit.score:.2f}", when(hit.at), kind, weight, place, hit.id)


def _reasons(hit: Hit) -> list[str]:
    parts = ", ".join(f"{term(name)} {value:.3f}" for name, value in hit.why.parts.items())
    sources = ", ".join(f"{source.session} #{source.index}" for source in hit.sources)
    rows = (
        ("routes", ", ".join(map(term, hit.why.routes))),
        ("score", parts),
        ("terms", " ".join(hit.why.terms)),
        ("sources", sources),
        ("id", "" if hit.type == "memory" else hit.id),
    )
    return [phrase("{name}: {value}", name=phrase(name), value=text) for name, text in rows if text]


def context(state: State, /, query: tuple[str, ...], **options: Any) -> None:
    with state.open() as mind:
        built = mind.context(" ".join(query), **options)

    def show() -> None:
        say(clean_lines(built.text) or phrase("There is nothing relevant in memory."))
        show_account(built)

    answer(built, show)


def show_account(built: Context) -> None:
    """Print tokens by section, and what was left out."""
    heading(phrase("{n:,} of {budget:,} tokens", n=built.tokens, budget=built.budget))
    rows: list[tuple[object, ...]] = [
        (term(section.name), f"{section.tokens:,}", f"{section.size:,}", len(section.ids) or "")
        for section in built.sections
    ]
    table(("part", "tokens", "allotted", "records"), rows, right="tokens allotted records")
    if built.dropped:
        heading(phrase("Left out"))
        rows = [
            (term(omitted.section), f"{omitted.tokens:,}", sentence(omitted.reason), omitted.text)
            for omitted in built.dropped
        ]
        table(("part", "tokens", "why", "what"), rows, right="tokens")
