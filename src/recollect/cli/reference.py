"""docs/commands.md, written from the command itself.

python -m recollect.cli.reference > docs/commands.md
"""

from __future__ import annotations

import sys
from collections.abc import Iterator

import click

from recollect.cli.base import Helpful, SharedOption
from recollect.cli.root import SECTIONS, cli

_WIDTH = 88

_INTRO = """# Commands

<!-- Written by `python -m recollect.cli.reference`; a test compares the two. -->

Every command takes these options, before or after its name:

```text
{shared}
```

With `--json` a command prints one JSON document, with the names of the Python values; `worker`
prints one a line. With `--ndjson` and `--csv` a list is one entry a line or row, and anything else
is one; [export.md](export.md) says how CSV is written. Of the three the last one wins. Times
without a zone are in the zone of the machine; `7d` means seven days ago. Output that does not go to
a terminal is neither coloured nor cut.

A command leaves with 0 when it did its work, 1 when something failed or was found wrong, 2 when it
was called in a wrong way, and 130 after Ctrl-C. What went wrong, and what to do about it, is on
stderr; with one of the three as `{{"error": {{"type", "message", "remedy"}}}}`.
"""


def markdown() -> str:
    """The whole page."""
    root = click.Context(cli, info_name="recollect", **cli.context_settings)
    lines = [_INTRO.format(shared=_shared(root))]
    for title, names in SECTIONS.items():
        lines.append(f"## {title}\n")
        for name in names:
            command = cli.get_command(root, name)
            assert isinstance(command, Helpful)
            lines += _command(command, click.Context(command, root, name), 3)
    return "\n".join(lines).rstrip() + "\n"


def _shared(ctx: click.Context) -> str:
    records = [p.get_help_record(ctx) for p in cli.get_params(ctx) if isinstance(p, SharedOption)]
    formatter = click.HelpFormatter(width=_WIDTH)
    formatter.write_dl([record for record in records if record])
    return formatter.getvalue().rstrip()


def _command(command: Helpful, ctx: click.Context, level: int) -> Iterator[str]:
    formatter = click.HelpFormatter(width=_WIDTH)
    command.format_usage(ctx, formatter)
    command.format_help_text(ctx, formatter)
    command.format_own_options(ctx, formatter)
    yield f"{'#' * level} {ctx.command_path}\n"
    yield f"```text\n{formatter.getvalue().rstrip()}\n```\n"
    if isinstance(command, click.Group):
        for name, below in command.commands.items():
            assert isinstance(below, Helpful)
            yield from _command(below, click.Context(below, ctx, name), level + 1)


if __name__ == "__main__":
    sys.stdout.write(markdown())
