"""Spans of OpenTelemetry around what takes time. Until ``start``, nothing is imported or traced."""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import AbstractContextManager, nullcontext
from typing import Any

from mnemic.errors import ConfigError, MissingExtra

EXPORTER = "OTEL_TRACES_EXPORTER"
_NOTHING: AbstractContextManager[Any] = nullcontext()
_tracer: Any = None


def span(
    name: str, carrier: Mapping[str, str] | None = None, **attributes: str | int
) -> AbstractContextManager[Any]:
    """A span around a block; ``carrier`` are headers that may name the span above it."""
    if _tracer is None:
        return _NOTHING
    from opentelemetry.propagate import extract

    context = None if carrier is None else extract(carrier)
    opened: AbstractContextManager[Any] = _tracer.start_as_current_span(
        name, context=context, attributes=attributes
    )
    return opened


def start() -> None:
    """Trace from now on: to the provider that the program has set, else to the exporter that
    OTEL_TRACES_EXPORTER names (console, or one of an installed package).
    """
    global _tracer  # noqa: PLW0603 - one switch for the whole process
    try:
        from importlib.metadata import entry_points

        from opentelemetry import trace
        from opentelemetry.sdk.trace import TracerProvider
        from opentelemetry.sdk.trace.export import BatchSpanProcessor
    except ModuleNotFoundError as error:
        raise MissingExtra(
            f"{error.name} is not installed", remedy='Install it: pip install "mnemic[tracing]"'
        ) from error
    name = os.environ.get(EXPORTER, "")
    if name and not isinstance(trace.get_tracer_provider(), TracerProvider):
        found = list(entry_points(group="opentelemetry_traces_exporter", name=name))
        if not found:
            raise ConfigError(
                f"{EXPORTER}={name}, and no installed package exports so",
                remedy="Use console, or install opentelemetry-exporter-otlp for otlp",
            )
        provider = TracerProvider()
        provider.add_span_processor(BatchSpanProcessor(found[0].load()()))
        trace.set_tracer_provider(provider)
    _tracer = trace.get_tracer("mnemic")


def start_from_environment() -> None:
    """Trace where OTEL_TRACES_EXPORTER asks for it."""
    if os.environ.get(EXPORTER, "none") != "none":
        start()


def stop() -> None:
    """Trace no longer."""
    global _tracer  # noqa: PLW0603
    _tracer = None
