"""What the OpenAPI document promises, asked for at random: no answer is an error of the server."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from schemathesis.checks import not_a_server_error
from schemathesis.core.result import Ok
from schemathesis.specs.openapi.checks import content_type_conformance, response_schema_conformance

from mnemic.clock import ManualClock
from mnemic.engine.remote.operations import OPERATIONS
from mnemic.serve.http.openapi import openapi
from tests.conftest import NOON
from tests.serve.http.conftest import serving

EXAMPLES = 25 if os.environ.get("MNEMIC_TORTURE") else 1
CHECKS = [not_a_server_error, response_schema_conformance, content_type_conformance]
ENDLESS = {"event_stream"}


def test_no_answer_is_an_error_of_the_server(tmp_path: Path) -> None:
    schema = schemathesis.openapi.from_dict(openapi(OPERATIONS))
    with serving(tmp_path, ManualClock(NOON)) as served:
        mind = served.engine.mind("s")
        mind.record(session="s", role="user", text="I like tea")
        mind.remember("likes tea", kind="preference")
        headers = {"authorization": f"Bearer {served.admin}"}
        asked = 0
        for result in schema.get_all_operations():
            assert isinstance(result, Ok), result
            operation = result.ok()
            if operation.definition.raw["operationId"] in ENDLESS:
                continue

            @settings(
                max_examples=EXAMPLES,
                deadline=None,
                derandomize=True,
                phases=[Phase.generate],
                database=None,
                suppress_health_check=list(HealthCheck),
            )
            @given(case=operation.as_strategy())
            def ask(case: schemathesis.Case[Any]) -> None:
                nonlocal asked
                asked += 1
                case.call_and_validate(base_url=served.url, headers=headers, checks=CHECKS)

            ask()
    assert asked > 70 * EXAMPLES // 2
