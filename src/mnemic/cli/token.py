"""mnemic token"""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from mnemic.cli.base import CommandGroup
from mnemic.cli.output import emit, note, say, table
from mnemic.cli.phrases import phrase
from mnemic.cli.state import State, pass_state

if TYPE_CHECKING:
    from mnemic.remote.operations import Scope
    from mnemic.serve.http.tokens import Grant, TokenFile

_SCOPES = ("read", "write", "admin")


def _file(state: State) -> TokenFile:
    from mnemic.entry import database_path
    from mnemic.serve.http.tokens import TokenFile, tokens_of

    return TokenFile(tokens_of(database_path(state.db)))


def _shown(grant: Grant) -> dict[str, object]:
    return {name: value for name, value in asdict(grant).items() if name != "digest"}


@click.group(cls=CommandGroup)
def token() -> None:
    """Make, list and revoke tokens of mnemic serve.

    A token says who may do what in which space. Only hashes are kept, in a file beside the
    database.
    """


@token.command()
@click.argument("name")
@click.option("--scope", type=click.Choice(_SCOPES), default="write", show_default=True,
              help="read; write, which can also read; or admin, which can also erase.")  # fmt: skip
@click.option("--for", "spaces", multiple=True, metavar="SPACE",
              help="A space it is for, or * for every one. [--space, else default]")  # fmt: skip
@pass_state
def add(state: State, name: str, scope: Scope, spaces: tuple[str, ...]) -> None:
    """Make a token. It is shown this once."""
    made, grant = _file(state).add(name, scope, spaces or (state.space_name,))
    if state.json:
        emit({"token": made, **_shown(grant)})
        return
    say(made)
    where = phrase("every space") if grant.everywhere else ", ".join(grant.spaces)
    note(phrase("{id}: {scope} in {spaces}. It is not shown again.",
                id=grant.id, scope=scope, spaces=where))  # fmt: skip


@token.command("list")
@pass_state
def list_(state: State) -> None:
    """List tokens; the tokens themselves are not kept."""
    grants = _file(state).grants()
    if state.json:
        emit([_shown(grant) for grant in grants])
        return
    if not grants:
        note(phrase("There are no tokens. Make one: mnemic token add NAME"))
        return
    table(
        ("id", "name", "scope", "spaces", "made"),
        [(g.id, g.name, g.scope, " ".join(g.spaces), g.created_at[:10]) for g in grants],
    )


@token.command()
@click.argument("id")
@pass_state
def revoke(state: State, id: str) -> None:
    """Take a token back; a running service refuses it at once."""
    grant = _file(state).revoke(id)
    if state.json:
        emit(_shown(grant))
    else:
        say(phrase("Revoked {id} ({name}).", id=grant.id, name=grant.name))
