"""Found secrets and wrongly taken messages of one half.

``python -m tests.rules.secrets_spoken.measure dev``;
the option ``--misses`` prints what went wrong. It is not for ``held_out`` while rules are written.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable

from mnemic.language.secrets.finder import find_secrets
from mnemic.language.secrets.randomness import Bounds
from tests.rules.secrets_spoken.samples import File, Half, Message, messages

try:
    EVERY = Bounds(personal_numbers=("card", "iban", "identity_card", "passport"))
except TypeError:  # an engine without that setting, measured for comparison
    EVERY = Bounds()


def is_found(message: Message) -> bool:
    """Whether no letter or digit of a secret is left."""
    places = {
        at for found in find_secrets(message.text, EVERY) for at in range(found.start, found.end)
    }
    return all(
        at in places or not message.text[at].isalnum()
        for start, end in message.secrets
        for at in range(start, end)
    )


def is_taken(message: Message) -> bool:
    return bool(find_secrets(message.text, EVERY))


FILES: tuple[tuple[File, Callable[[Message], bool]], ...] = (
    ("secrets", is_found),
    ("vendor_secrets", is_found),
    ("cue_secrets", is_found),
    ("shown_secrets", is_found),
    ("harmless", is_taken),
    ("vendor_harmless", is_taken),
    ("cue_harmless", is_taken),
    ("shown_harmless", is_taken),
)


def main(half: Half, *, misses: bool) -> None:
    for file, good in FILES:
        told = messages(file, half)
        total, hits = (
            Counter(m.category for m in told),
            Counter(m.category for m in told if good(m)),
        )
        print(
            f"{half} {file}: {hits.total()} of {total.total()} = {hits.total() / total.total():.3f}"
        )
        print("   " + ", ".join(f"{name} {hits[name]}/{total[name]}" for name in total))
        if misses:
            for message in told:
                if good(message) != (good is is_found):
                    print(
                        "  ",
                        message.category,
                        "|",
                        repr(message.text)[:170],
                        [message.text[f.start : f.end] for f in find_secrets(message.text, EVERY)],
                    )


if __name__ == "__main__":
    main(sys.argv[1], misses="--misses" in sys.argv)  # type: ignore[arg-type]
