"""Who said it."""

from __future__ import annotations

import pytest

from mnemic.rules.speakers import trust_of
from mnemic.types import ROLES, TRUSTS, Role, Trust


@pytest.mark.parametrize(
    ("role", "trust"),
    [("user", "owner"), ("assistant", "agent"), ("tool", "tool"), ("system", "agent")],
)
def test_each_role_has_its_trust(role: Role, trust: Trust) -> None:
    assert trust_of(role) == trust


def test_no_role_is_forgotten_and_only_the_user_is_the_owner() -> None:
    assert {trust_of(role) for role in ROLES} <= set(TRUSTS)
    assert [role for role in ROLES if trust_of(role) == "owner"] == ["user"]
