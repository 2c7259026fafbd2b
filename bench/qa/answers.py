"""The file of answers, one a line: a repeated run reads it and asks only what is missing."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from bench.qa.model import Use
from mnemic.errors import InvalidInput

Key = tuple[str, str, str]


@dataclass(frozen=True, slots=True)
class Answered:
    """A question that was answered; ``scores`` is None until it was judged."""

    file: str
    bank: str
    question: str
    category: str
    model: str
    judge: str
    reply: str
    context_tokens: int
    answering: Use
    judging: Use = field(default_factory=Use)
    scores: dict[str, float] | None = None

    @property
    def key(self) -> Key:
        return self.file, self.bank, self.question


class AnswerFile:
    """Answers by question, in a file that is only appended to: the last line of a question counts.

    Answers of other models than ``model`` and ``judge`` are refused, not mixed in.
    """

    def __init__(self, path: Path, model: str, judge: str) -> None:
        self._path = path
        self._answers: dict[Key, Answered] = {}
        if not path.exists():
            return
        text = path.read_text(encoding="utf-8")
        whole = text[: text.rfind("\n") + 1]
        if whole != text:  # a run was ended in the middle of a line
            path.write_text(whole, encoding="utf-8")
        for number, line in enumerate(whole.splitlines(), 1):
            one = _read(line, f"Line {number} of {path}")
            if (one.model, one.judge) != (model, judge):
                raise InvalidInput(
                    f"{path} has answers of {one.model}, judged by {one.judge}, and this run asks"
                    f" {model}, judged by {judge}",
                    remedy="Name another file with --out",
                )
            self._answers[one.key] = one

    def get(self, key: Key) -> Answered | None:
        return self._answers.get(key)

    def add(self, one: Answered) -> None:
        self._answers[one.key] = one
        with self._path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(asdict(one), ensure_ascii=False) + "\n")

    def judged(self, one: Answered, scores: dict[str, float], use: Use) -> None:
        self.add(replace(one, scores=scores, judging=one.judging + use))


def _read(line: str, place: str) -> Answered:
    try:
        fields: dict[str, Any] = json.loads(line)
        fields |= {name: Use(**fields[name]) for name in ("answering", "judging")}
        return Answered(**fields)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise InvalidInput(
            f"{place} is not an answer: {error!r}", remedy="Name another file with --out"
        ) from error
