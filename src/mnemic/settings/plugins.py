"""Providers of models that other distributions add by name, with an entry point."""

from __future__ import annotations

from mnemic.errors import ConfigError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

CHAT = "mnemic.chat_providers"
EMBEDDING = "mnemic.embedding_providers"


def find_plugins(group: str) -> dict[str, EntryPoint]:
    """The entry points of a group that are installed, by name."""
    from importlib.metadata import entry_points

    return {point.name: point for point in entry_points(group=group)}


def make_from_plugin(group: str, name: str, settings: object) -> object:
    """What the function behind an entry point makes of its settings."""
    point = find_plugins(group).get(name)
    if point is None:
        raise ConfigError(
            f"The provider {name} of {group} is not installed",
            remedy="Install the package that has it, or set another provider",
        )
    package = point.dist.name if point.dist else point.value
    try:
        return point.load()(settings)
    except ConfigError:
        raise  # it says itself what is missing
    except Exception as error:
        raise ConfigError(
            f"The provider {name} of {package} cannot be used: {type(error).__name__}: {error}",
            remedy=f"Update or remove {package}, or set another provider",
        ) from error
