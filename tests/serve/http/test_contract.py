"""Some tests of minds, through the HTTP client; CONTRIBUTING.md has the command for all."""

from __future__ import annotations

import pytest

from tests.test_memories import (  # noqa: F401
    TestVersions,
    test_a_memory_is_kept_whole,
    test_a_memory_that_is_not_there_has_no_history,
    test_an_archived_memory_is_not_recalled_until_it_is_restored,
    test_an_expired_memory_does_not_come_back,
    test_every_kind_can_be_kept_and_listed,
    test_only_what_holds_is_archived_and_only_what_was_archived_restored,
    test_what_models_cost_is_recorded_and_reported,
)
from tests.test_one_memory import test_a_kind_of_ones_own  # noqa: F401
from tests.test_record import (  # noqa: F401
    test_a_source_that_fails_keeps_the_batches_before,
    test_many_threads_may_record_at_once,
)
from tests.test_sessions import *  # noqa: F403


@pytest.fixture(autouse=True)
def _through_the_client(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MNEMIC_TEST_STORE", "http")
