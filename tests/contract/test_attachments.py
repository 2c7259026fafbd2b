"""Attachments: added, described later, found by place."""

from __future__ import annotations

from dataclasses import replace

import pytest

from mnemic.errors import NotFound
from mnemic.store.contract import Store
from mnemic.types import Attachment, constant
from tests.conftest import NOON
from tests.contract.rows import SPACE, after, attach, attachment


def add(store: Store, *rows: Attachment) -> list[Attachment]:
    with store.write(SPACE) as unit:
        return [attach(unit, row) for row in rows]


def test_an_attachment_comes_back_whole(store: Store) -> None:
    row = attachment(
        "猫.png",
        mime="image/png",
        size=1 << 40,
        url="",
        direction="outbound",
        description="一只猫",
        transcription="miaow",
        extracted_text="CAT",
        tags=("宠物",),
        memories=("m1", "m2"),
    )
    expected = Attachment(
        id=row.id,
        session=constant("s"),
        filename=constant("猫.png"),
        original_filename=constant("猫.png"),
        mime=constant("image/png"),
        size=1 << 40,
        path=constant("/tmp/猫.png"),
        url=constant(""),
        direction="outbound",
        description=constant("一只猫"),
        transcription=constant("miaow"),
        extracted_text=constant("CAT"),
        tags=tuple(map(constant, ("宠物",))),
        memories=tuple(map(constant, ("m1", "m2"))),
        created_at=NOON,
    )
    assert add(store, row) == [expected]
    with store.read(SPACE) as unit:
        assert unit.attachments.by_id([row.id, "nobody"]) == [expected]
        assert unit.attachments.by_path(constant("s"), constant("/tmp/猫.png")) == expected
        assert unit.attachments.by_path(constant("t"), constant("/tmp/猫.png")) is None
        assert unit.attachments.by_path(constant("s"), constant("/tmp/狗.png")) is None


def test_what_is_learned_later_replaces_what_was_known(store: Store) -> None:
    row = attachment()
    add(store, row)
    told = replace(
        row,
        description=constant("a cat on a mat"),
        tags=tuple(map(constant, ("pet",))),
    )
    with store.write(SPACE) as unit:
        changed = unit.attachments.replace(told, constant("cat mat"))
    assert (changed.description, changed.tags) == ("a cat on a mat", ("pet",))
    assert (changed.id, changed.created_at) == (row.id, NOON)
    with store.read(SPACE) as unit:
        assert unit.attachments.by_id([row.id]) == [changed]


def test_what_is_not_there_cannot_be_replaced(store: Store) -> None:
    with pytest.raises(NotFound), store.write(SPACE) as unit:
        unit.attachments.replace(attachment(), constant("cat"))
    assert all(finding.ok for finding in store.check(SPACE, deep=True))


def test_the_latest_come_first(store: Store) -> None:
    add(
        store,
        attachment("one.png"),
        attachment("two.png", session="t", at=after(hours=1)),
        attachment("three.png", direction="outbound", at=after(hours=2)),
    )

    def names(**wanted: object) -> list[str]:
        choice: dict[str, object] = {"session": None, "direction": None, "limit": 10, **wanted}
        with store.read(SPACE) as unit:
            return [a.filename for a in unit.attachments.latest(**choice)]  # type: ignore[arg-type]

    assert names() == ["three.png", "two.png", "one.png"]
    assert names(limit=1) == ["three.png"]
    assert names(session="s") == ["three.png", "one.png"]
    assert names(direction="inbound") == ["two.png", "one.png"]
    assert names(session="t", direction="outbound") == []
