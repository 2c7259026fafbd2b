"""Settings: every number, name and switch of the engine, in five layers.

    built-in defaults   the class bodies of this package
    preset              presets/<name>.toml
    file                a TOML or JSON file the caller names
    environment         MNEMIC_JOBS__MAX_ATTEMPTS=5
    arguments           mnemic.open(..., jobs={"max_attempts": 5})

There is one source of truth for each value. The built-in defaults *are* the ``default`` preset,
so tuning one is a change in one place and ``Settings()`` needs no file. The preset of a document
writes out every figure that document states, also where ours is the same today, so that tuning
ours can never move a document's; what a document is silent about it takes from ours.

Durations are ``timedelta`` everywhere; None means never. A plain number is seconds.
"""

from mnemic.settings.layers import PRESETS, find_file, load, load_beside
from mnemic.settings.tree import Settings
from mnemic.settings.values import Condition, Secret, Size, Span, Table, ValueOrigin

__all__ = [
    "PRESETS",
    "Condition",
    "Secret",
    "Settings",
    "Size",
    "Span",
    "Table",
    "ValueOrigin",
    "find_file",
    "load",
    "load_beside",
]
