"""Our own bank files: one memory a line.

``{"bank", "items": [{"id", "text", "timestamp", "speaker", "session"}],
"questions": [{"id", "query", "gold": [item ids], "category", "avoid": [out-of-date ids],
"answer"}]}``
"""

from __future__ import annotations

from bench.formats.base import Bank, Item, Question, Record, each, text_of


class BankLines:
    name = "bank"
    record = "an object with bank, items and questions"

    def fits(self, record: Record) -> bool:
        return "bank" in record

    def bank(self, record: Record, path: tuple[str, ...]) -> Bank:
        return Bank(
            name=str(record["bank"]),
            items=each("item", record["items"], _item),
            questions=each("question", record["questions"], _question),
        )


def _item(_: int, item: Record) -> Item:
    return Item(
        id=str(item["id"]),
        text=text_of(item["text"]),
        timestamp=item.get("timestamp") or "",
        speaker=item.get("speaker") or "",
        session=item.get("session") or "",
    )


def _question(_: int, question: Record) -> Question:
    return Question(
        id=str(question["id"]),
        query=text_of(question["query"]),
        gold=tuple(map(str, question["gold"])),
        category=question.get("category") or "",
        avoid=tuple(map(str, question.get("avoid") or ())),
        answer=str(question.get("answer") or ""),
    )
