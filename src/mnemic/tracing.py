"""Spans of OpenTelemetry around what takes time. Until ``start``, nothing is imported or traced."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from mnemic.errors import ConfigError, MissingExtra

EXPORTER = "OTEL_TRACES_EXPORTER"
_tracer: Any = None


@contextmanager
def span(
    name: str, carrier: Mapping[str, str] | None = None, **attributes: str | int
) -> Iterator[Any]:
    """A span around a block, below that of ``carrier``; an error is named, not quoted."""
    if _tracer is None:
        yield None
        return
    from opentelemetry.propagate import extract
    from opentelemetry.trace import StatusCode

    with _tracer.start_as_current_span(
        name, None if carrier is None else extract(carrier), attributes=attributes,
        record_exception=False, set_status_on_exception=False,
    ) as opened:  # fmt: skip
        try:
            yield opened
        except Exception as error:
            opened.set_status(StatusCode.ERROR, type(error).__name__)
            raise


def start() -> None:
    """Trace from now on: to the program's provider, else to what OTEL_TRACES_EXPORTER names."""
    global _tracer  # noqa: PLW0603 - one switch for the whole process
    try:
        from importlib.metadata import entry_points

        from opentelemetry import trace
        from opentelemetry.sdk.trace import TracerProvider
        from opentelemetry.sdk.trace.export import BatchSpanProcessor
    except ModuleNotFoundError as error:
        raise MissingExtra.of(error.name or "opentelemetry", "tracing") from error
    name = os.environ.get(EXPORTER, "")
    if name and not isinstance(trace.get_tracer_provider(), TracerProvider):
        exporters = list(entry_points(group="opentelemetry_traces_exporter", name=name))
        if not exporters:
            raise ConfigError(
                f"{EXPORTER}={name}, and no installed package exports so",
                remedy="Use console, or install opentelemetry-exporter-otlp for otlp",
            )
        provider = TracerProvider()
        provider.add_span_processor(BatchSpanProcessor(exporters[0].load()()))
        trace.set_tracer_provider(provider)
    _tracer = trace.get_tracer("mnemic")


def start_from_environment() -> None:
    """Trace where OTEL_TRACES_EXPORTER asks for it."""
    if os.environ.get(EXPORTER, "none") != "none":
        start()


def stop() -> None:
    """Trace no longer, and send what was traced."""
    global _tracer  # noqa: PLW0603
    if _tracer is not None:
        from opentelemetry import trace

        getattr(trace.get_tracer_provider(), "force_flush", bool)()
    _tracer = None
