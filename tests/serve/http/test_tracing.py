"""Spans of OpenTelemetry: a request, the routes of its recall below it, and jobs."""

from __future__ import annotations

import pytest
from opentelemetry import trace
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

import mnemic
from mnemic import tracing
from tests.serve.http.conftest import Running

TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"


def test_a_request_its_recall_and_jobs_are_spans(served: Running) -> None:
    exported = InMemorySpanExporter()
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exported))
    trace.set_tracer_provider(provider)
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


def test_an_exporter_that_is_not_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OTEL_TRACES_EXPORTER", "pigeon")
    monkeypatch.setattr(trace, "get_tracer_provider", object)
    with pytest.raises(mnemic.ConfigError, match="pigeon"):
        tracing.start_from_environment()
