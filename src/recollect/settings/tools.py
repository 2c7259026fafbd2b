"""The tools a model uses: how much it may say at once, and how much it is told."""

from __future__ import annotations

from recollect.settings.section import Section, count, flag


class Tools(Section):
    """The tools that a host gives to its model."""

    answer_pending: bool = flag(
        False,
        "Whether a model may confirm or ignore what waits, in the user's name. Off, it can list and"
        " put off; the user answers by command or in the host.",
    )
    results: int = count(5, "Results of a search when the model does not say how many.", low=1)
    item_chars: int = count(1_500, "Characters of one result; what is longer is cut.", low=1)
    answer_chars: int = count(12_000, "Characters of one answer; results beyond it are left out.")
    trace_bytes: int = count(20_000_000, "Bytes of trace files read in a search, newest first.")
