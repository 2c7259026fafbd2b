"""Spans of OpenTelemetry: a request, the routes of its recall below it, and jobs."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

import pytest
from opentelemetry import trace
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

import mnemic
from mnemic import tracing
from mnemic.engine.remote.client import open_remote
from tests.serve.http.conftest import Running
from tests.torture.killed_server import server
from tests.waiting import wait_for

TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"
_EXPORTED = InMemorySpanExporter()


@pytest.fixture(scope="module", autouse=True)
def _provider() -> None:
    """OpenTelemetry takes one provider for the whole process."""
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(_EXPORTED))
    trace.set_tracer_provider(provider)


def test_a_request_its_recall_and_jobs_are_spans(served: Running) -> None:
    exported = _EXPORTED
    exported.clear()
    served.mind().record(session="s", role="user", text="I like tea")
    assert exported.get_finished_spans() == (), "nothing before it is switched on"
    tracing.start()
    try:
        with served.http(traceparent=f"00-{TRACE}-00f067aa0ba902b7-01") as http:
            http.post("/v1/spaces/default/recall", json={"query": "tea"})
        served.mind().end_session("s")
        served.engine.drain()
    finally:
        tracing.stop()
    spans = {span.name: span for span in exported.get_finished_spans()}
    request, text, rank = (spans[n] for n in ("POST recall", "recall text", "recall rank"))
    assert request.context is not None
    assert f"{request.context.trace_id:x}" == TRACE, "the caller's trace goes on"
    for below in (text, rank):
        assert below.parent is not None
        assert below.parent.span_id == request.context.span_id
    assert any(name.startswith("job ") for name in spans)


class Quoting:
    """An embedder whose error quotes what it was given."""

    name, dimensions = "quoting", 8

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        raise ValueError(f"cannot embed {texts}")


def test_a_span_names_an_error_and_does_not_quote_it(tmp_path: Path) -> None:
    _EXPORTED.clear()
    tracing.start()
    try:
        with mnemic.open(tmp_path / "m.db", worker="none", embedder=Quoting()) as mind:
            mind.record(session="s", role="user", text="My zebrafish is called Quintus")
            mind.drain()
    finally:
        tracing.stop()
    failed = [span for span in _EXPORTED.get_finished_spans() if not span.status.is_unset]
    assert {span.name for span in failed} == {"job embed"}
    assert all(span.status.status_code is trace.StatusCode.ERROR for span in failed)
    assert all(span.status.description for span in failed)
    assert "Quintus" not in "".join(span.to_json() for span in failed)


@pytest.mark.parametrize("workers", [(), ("--workers", "1", "--learners", "1")])
def test_a_service_that_is_told_to_end_sends_its_spans_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, workers: tuple[str, ...]
) -> None:
    monkeypatch.setenv("OTEL_TRACES_EXPORTER", "console")
    with server(tmp_path / "memory.db", *workers) as running:
        with open_remote(running.url, token=running.token) as mind:
            mind.record(session="s", role="user", text="I like tea")
            mind.end_session("s")
            wait_for(lambda: mind.stats().turn_states["extracted"] == 1)
            mind.recall("tea")
        running.process.terminate()
        shown, complained = running.process.communicate(timeout=60)
    assert (running.process.returncode, complained) == (0, "")
    names = set(re.findall('"name": "(.+)"', shown))
    assert {"POST record", "POST recall", "recall text", "recall rank", "job session_end"} <= names
    assert "tea" not in shown


def test_an_exporter_that_is_not_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OTEL_TRACES_EXPORTER", "pigeon")
    monkeypatch.setattr(trace, "get_tracer_provider", object)
    with pytest.raises(mnemic.ConfigError, match="pigeon"):
        tracing.start_from_environment()
