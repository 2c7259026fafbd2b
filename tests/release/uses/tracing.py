import mnemic
from mnemic import tracing

tracing.start()

from opentelemetry import trace  # noqa: E402
from opentelemetry.sdk.trace import TracerProvider  # noqa: E402
from opentelemetry.sdk.trace.export import SimpleSpanProcessor  # noqa: E402
from opentelemetry.sdk.trace.export.in_memory_span_exporter import (  # noqa: E402
    InMemorySpanExporter,
)

spans = InMemorySpanExporter()
provider = TracerProvider()
provider.add_span_processor(SimpleSpanProcessor(spans))
trace.set_tracer_provider(provider)
with mnemic.open("memory.db", worker="none") as mind:
    mind.record(session="s", role="user", text="I use Python 3.12")
    assert mind.recall("Which Python do I use?")
assert any("recall" in span.name for span in spans.get_finished_spans())
