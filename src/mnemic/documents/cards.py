"""Cards: SOUL.md, AGENT.md, USER.md and the persona in short, made again when a source changed.

A prompt never waits for a model: a source that changed since its card was made is shortened by
rule on the spot, and by the model at the next upkeep. A source that says nothing has no card.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, NamedTuple

from mnemic.documents import files
from mnemic.documents.files import UnreadableFile, fingerprint
from mnemic.errors import ModelError
from mnemic.language.detection import language_of
from mnemic.language.fence import fence
from mnemic.language.guard import MAX_SUMMARY
from mnemic.language.placeholders import is_placeholder
from mnemic.language.secrets.finder import redact
from mnemic.language.tokens import count_tokens
from mnemic.language.truncation import cut_to_tokens
from mnemic.prompts import fill_prompt
from mnemic.providers.chat.base import ChatModel
from mnemic.settings.recall import SectionName
from mnemic.space import Space
from mnemic.store import new_file
from mnemic.store.paths import refuse_links
from mnemic.store.rows import CardRow

Card = Literal["soul", "core", "tooling", "user", "persona"]
CARDS: tuple[Card, ...] = ("soul", "core", "tooling", "user", "persona")

_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_STRAY = re.compile(r"<!--|-->")
_FRONT = re.compile(r"\A---\n.*?\n---\n", re.DOTALL)
_CODE = re.compile(
    r"^ {0,3}(?P<mark>`{3,}|~{3,})[^\n]*(?P<body>.*?)(?:^ {0,3}(?P=mark)[`~]*\s*$|\Z)", re.M | re.S
)
_PICTURE = re.compile(r"!\[[^\]]*\]\([^)]*\)")
_LINK = re.compile(r"\[([^\]]+)\]\([^)]*\)")
_TAG = re.compile(r"</?[a-zA-Z][^>\n]*>")
_HEADING = re.compile(r"^ {0,3}#{1,6}\s+(.*?)\s*#*\s*$")
_BULLET = re.compile(r"^\s*(?:[-*+•]|\d{1,3}[.)、])\s+(.*)$")
_RULER = re.compile(r"^\s*(?:[-*_=]\s*){3,}$|^\s*\|?[\s:|-]+\|?\s*$")
_SENTENCE = re.compile(r"(?<=[。！？!?])\s*|(?<=[.;；])\s+")
_FIRM = re.compile(
    r"\b(?:must|never|always|do not|don't|only|first|before|priority)\b"
    r"|必须|禁止|不要|不得|绝不|永远|始终|一律|优先|首先|核心",
    re.IGNORECASE,
)
_TOOLS = re.compile(r"\btools?\b|\btooling\b|工具", re.IGNORECASE)


class _Line(NamedTuple):
    heading: str
    text: str
    listed: bool


def plain_markdown(text: str) -> str:
    """The text without comments, front matter, code, pictures and tags."""
    text = text.replace("\r\n", "\n").replace("\ufeff", "")
    while (plainer := _plainer(text)) != text:  # what is taken out may have hidden something
        text = plainer
    return text


def _plainer(text: str) -> str:
    text = _STRAY.sub("", _COMMENT.sub("", _CODE.sub("", _FRONT.sub("", text))))
    text = _TAG.sub("", _LINK.sub(r"\1", _PICTURE.sub("", text)))
    return re.sub(r"\n{3,}", "\n\n", text).strip()


def card_by_rules(source: str, card: Card, tokens: int) -> str:
    """The card of a source in at most ``tokens``: its firm statements first, in their order."""
    lines = [line for line in _lines(plain_markdown(source)) if _belongs(line, card)]
    statements = list(dict.fromkeys(line.text for line in lines))
    firm = {line.text for line in lines if line.listed or _FIRM.search(line.text)}
    chosen: set[str] = set()
    spent = 0
    for text in [*(t for t in statements if t in firm), *(t for t in statements if t not in firm)]:
        cost = count_tokens(f"- {text}\n")
        if spent + cost <= tokens:
            chosen.add(text)
            spent += cost
    shown = [text for text in statements if text in chosen] or statements[:1]
    return cut_to_tokens("\n".join(f"- {text}" for text in shown), tokens, count_tokens)


def _belongs(line: _Line, card: Card) -> bool:
    if card == "tooling":
        return bool(_TOOLS.search(line.heading) or _TOOLS.search(line.text))
    return card != "core" or not _TOOLS.search(line.heading)


def _lines(text: str) -> Iterator[_Line]:
    """Bullets whole, and of paragraphs the sentences."""
    heading, kind = "", ""
    pending: list[str] = []

    def flush() -> Iterator[_Line]:
        joined = " ".join(re.sub(r"\*\*|__|`", "", " ".join(pending)).split())
        pending.clear()
        sentences = [joined] if kind == "bullet" else _SENTENCE.split(joined)
        for sentence in map(str.strip, sentences):
            if sentence and not is_placeholder(sentence):
                yield _Line(heading, sentence, kind == "bullet")

    for raw in text.split("\n"):
        title, bullet = _HEADING.match(raw), _BULLET.match(raw)
        if title or bullet or not raw.strip() or _RULER.match(raw):
            yield from flush()
            kind = ""
        if title:
            heading = title[1]
        elif bullet:
            kind = "bullet"
            pending.append(bullet[1])
        elif raw.strip() and not _RULER.match(raw):
            pending.append(raw.strip().strip("|>").strip())
    yield from flush()


def _is_empty(source: str) -> bool:
    """Whether it has nothing but headings, comments and placeholders."""
    return not any(True for _ in _lines(plain_markdown(source)))


def _show_whole(source: str) -> str:
    text = plain_markdown(source)
    return "" if _is_empty(text) else text


SOUL_FILE = "SOUL.md"  # documents A and D call it so
COMPILED_FOLDER = "compiled"  # beside the sources, as in document A §6.2
# Document A §6.2: the longest card of each source, in tokens; §8.1: what of it goes into a prompt.
_TOKENS: dict[Card, int] = {
    "soul": 150, "core": 250, "tooling": 200, "user": 120, "persona": 300,
}  # fmt: skip
# Document C §5.1: one card of 300 to 500 tokens from two files, where the prompt has such a part.
_TOKENS_OF_ONE_CARD: dict[Card, int] = {"persona": 280, "user": 190}
_FILE_NAME = re.compile(r"[\w-][\w .-]{0,60}\Z")
_FENCE = 35  # tokens of the heading and the fence of a part
_IN_PROMPT: Mapping[Card, int] = {"soul": 100, "core": 120, "tooling": 130}

RULES = "rules"
_FILES: Mapping[Card, str] = {  # document A §10.2
    "soul": "soul.summary.md",
    "core": "agent.core.md",
    "tooling": "agent.tooling.md",
    "user": "user.summary.md",
    "persona": "persona.custom.md",
}
_PROMPTS: Mapping[Card, Card] = {"persona": "soul"}
_COMPILED_AT = ".compiled_at"
_AGAIN = "!"  # after the fingerprint: the model failed, and is asked again next time


@dataclass(slots=True)
class IdentityCards:
    """The cards of one space; ``folder`` holds the sources, None where there are no files."""

    space: Space
    folder: Path | None
    # The stamps of the sources that this process has read, and their cards.
    _cache: tuple[dict[str, tuple[int, int] | None], dict[SectionName, str]] = field(
        default=({}, {})
    )

    # --- for prompts ----------------------------------------------------------------------------

    def current(self, persona: str | None = None) -> Mapping[SectionName, str]:
        """The cards by the part of the prompt they belong to, for the persona that speaks."""
        if self.folder is None:
            return {}
        names = filter(None, (*map(self._file_of, CARDS), self._overlay_file(persona)))
        stamps = {name: files.stamp_of(self.folder / name) for name in names}
        if stamps != self._cache[0]:
            self._cache = stamps, self._load(persona)
        return self._cache[1]

    def _load(self, persona: str | None) -> dict[SectionName, str]:
        with self.space.read() as unit:
            rows = unit.cards.all()
        texts = {card: self._text(card, rows) for card in CARDS}
        agent = [texts["core"], texts["soul"]]  # D §10.4
        if self.space.settings.identity.compile:
            agent = [
                cut_to_tokens(texts[card], most, count_tokens) for card, most in _IN_PROMPT.items()
            ]
        # The file of the persona that speaks; an empty one says nothing.
        file = self._overlay_file(persona)
        overlay = _show_whole(self._source(file)) if file else ""
        cards: dict[SectionName, str] = {
            "identity": "\n".join(filter(None, agent)),
            "user": _first_lines(
                texts["user"], self.space.settings.context.sections["user"].tokens
            ),
            "persona": "\n\n".join(filter(None, (overlay, texts["persona"]))),
        }
        return {name: text for name, text in cards.items() if text}

    def _text(self, card: Card, rows: Mapping[str, CardRow]) -> str:
        source = self._source(self._file_of(card))
        if not self.space.settings.identity.compile:
            # Of one file with two cards the first has it all.
            return "" if card == "tooling" else _show_whole(source)
        row = rows.get(card)
        if row is not None and row.source.rstrip(_AGAIN) == self._mark(card, source):
            return row.text
        return card_by_rules(source, card, self._tokens(card))

    # --- at upkeep ------------------------------------------------------------------------------

    def compile(self, model: ChatModel | None, *, model_later: bool = False) -> list[str]:
        """Make the cards whose source has changed, by rules now and ``model_later`` by a model."""
        if self.folder is None or not self.space.settings.identity.compile:
            return []
        with self.space.read() as unit:
            rows = unit.cards.all()
        compiled: list[str] = [
            card for card in CARDS if self._compile(card, rows.get(card), model, later=model_later)
        ]
        if compiled:
            stamp = self.space.now().isoformat()
            new_file.write(self._compiled / _COMPILED_AT, f"{stamp}\n".encode())
        return compiled

    def _compile(
        self, card: Card, earlier: CardRow | None, model: ChatModel | None, *, later: bool
    ) -> bool:
        source = self._source(self._file_of(card))
        path = self._compiled / _FILES[card]
        refuse_links(path, self._compiled.parent)
        mark = self._mark(card, source)
        before = "" if earlier is None else earlier.source
        if earlier is not None and (before.rstrip(_AGAIN) if later else before) == mark:
            if earlier.text and not path.exists():
                new_file.write(path, f"{earlier.text}\n".encode())
            return False
        empty = _is_empty(source)
        row = None if empty else self._card(card, source, mark, model, later=later)
        if row is None and earlier is None:
            return False
        with self.space.write() as unit:
            if row is None:
                unit.cards.drop(card)
            else:
                unit.cards.put(row, self.space.now())
        if row is not None and row.text:
            new_file.write(path, f"{row.text}\n".encode())
        else:
            path.unlink(missing_ok=True)
        self._cache = {}, {}
        return True

    def _card(
        self, card: Card, source: str, mark: str, model: ChatModel | None, *, later: bool
    ) -> CardRow:
        tokens, guard = self._tokens(card), self.space.guard
        if card == "persona":  # bullets of memory itself, which document A gives no prompt for
            model, later = None, False
        if later:
            mark += _AGAIN
        if model is not None:
            try:
                text = guard.error(self._by_model(card, source, tokens, model), MAX_SUMMARY)
                return CardRow(card, mark, model.name, text)
            except ModelError:
                mark += _AGAIN
        by_rules = card_by_rules(redact(source), card, tokens)
        return CardRow(card, mark, RULES, guard.error(by_rules, MAX_SUMMARY))

    def _by_model(self, card: Card, source: str, tokens: int, model: ChatModel) -> str:
        language = language_of([source], self.space.settings.memory.language)
        answer = model.write(
            fence(redact(plain_markdown(source)), _FILES[card]),
            purpose="identity",
            system=fill_prompt(f"card_{_PROMPTS.get(card, card)}", language, tokens=tokens),
        )
        # Some models put the card into a box of code, with a word to the reader before it.
        parts = [answer.value, *(box["body"] for box in _CODE.finditer(answer.value))]
        plain = map(plain_markdown, parts)
        card_text = max(plain, key=lambda box: (sum(line.listed for line in _lines(box)), len(box)))
        if card_text.startswith(("{", "[{")):  # an answer to another question
            return card_by_rules(source, card, tokens)
        return "" if _is_empty(card_text) else cut_to_tokens(card_text, tokens, count_tokens)

    # --- sources --------------------------------------------------------------------------------

    @property
    def _compiled(self) -> Path:
        assert self.folder is not None
        return self.folder / COMPILED_FOLDER

    def _source(self, name: str) -> str:
        """The text of a source file; empty where it is missing or no text."""
        if self.folder is None:
            return ""
        try:
            return files.load(self.folder / name).text
        except UnreadableFile:
            return ""

    def _overlay_file(self, persona: str | None) -> str:
        """Beside the persona document, under the persona's name; empty for none."""
        document = Path(self.space.settings.documents.persona_file)
        named = persona is not None and _FILE_NAME.match(persona)
        beside = str(document.with_name(f"{persona}.md")) if named else ""
        return "" if beside == str(document) else beside

    def _file_of(self, card: Card) -> str:
        agent, documents = self.space.settings.identity.agent_file, self.space.settings.documents
        written = {"user": documents.user_file, "persona": documents.persona_file}
        return {"soul": SOUL_FILE, "core": agent, "tooling": agent, **written}[card]

    def _tokens(self, card: Card) -> int:
        of_one_card = (
            _TOKENS_OF_ONE_CARD if any(self.space.settings.context.sections["cards"]) else {}
        )
        return (_TOKENS | of_one_card)[card]

    def _mark(self, card: Card, source: str) -> str:
        """Comments do not count: the documents keep their marks in them."""
        return fingerprint(f"{self._tokens(card)}\n{plain_markdown(source)}")


def _first_lines(card: str, size: int) -> str:
    """The lines of a card that fit a part of that size; all of it where there is no such part."""
    lines = card.split("\n")
    while size and len(lines) > 1 and count_tokens("\n".join(lines)) > size - _FENCE:
        lines.pop()
    return "\n".join(lines)
