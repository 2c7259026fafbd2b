"""Some tests of minds, through the HTTP client; CONTRIBUTING.md has the command for all."""

from __future__ import annotations

import pytest

from tests.test_memories import *  # noqa: F403
from tests.test_one_memory import test_a_kind_of_ones_own  # noqa: F401
from tests.test_record import (  # noqa: F401
    test_a_source_that_fails_keeps_the_batches_before,
    test_many_threads_may_record_at_once,
)
from tests.test_sessions import *  # noqa: F403


@pytest.fixture(autouse=True)
def _through_the_client(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RECOLLECT_TEST_STORE", "http")
