"""The root command: names and one-line help of all commands, which are loaded when used."""

from __future__ import annotations

from importlib import import_module

import click

from mnemic.cli.base import CommandGroup
from mnemic.cli.phrases import help_text, phrase

# section -> command -> (module:function, one line of help)
SECTIONS: dict[str, dict[str, tuple[str, str]]] = {
    "Remember": {
        "record": ("record:record", "Record one turn of a conversation."),
        "import": (
            "import_source:import_source",
            "Import conversations and memories of another program.",
        ),
        "end": ("conversations:end", "Mark a conversation as ended."),
        "add": ("memories:add", "Keep a statement as a memory."),
        "attach": ("attach:attach", "Remember a file."),
    },
    "Recall": {
        "search": ("recall:search", "Search memories first, then turns, episodes and files."),
        "recall": ("recall:recall", "Find evidence for a question."),
        "context": ("context:context", "Show what an agent would see before it answers."),
        "sessions": ("conversations:sessions", "List conversations, the latest first."),
        "turns": ("conversations:turns", "Read turns by session, time, role, tool or state."),
        "episodes": (
            "conversations:episodes",
            "List the episodes of conversations, the latest first.",
        ),
        "attachments": ("attach:attachments", "List files, the latest first."),
        "events": ("health:events", "Show what changed and what failed, or the daily events."),
    },
    "Memories": {
        "memories": (
            "memories:memories",
            "List the memories that hold now, or held at a past time.",
        ),
        "show": ("show:show", "Show a memory, its confidence, and the turns it came from."),
        "history": ("show:history", "Show every version of a memory."),
        "pending": ("pending:pending", "Answer statements that wait for your confirmation."),
        "edit": ("memories:edit", "Change a memory."),
        "archive": ("memories:archive", "Put memories away."),
        "restore": ("memories:restore", "Make archived memories hold again."),
        "delete": ("memories:delete", "Remove memories with all their versions."),
        "forget": ("removal:forget", "Remove something for good."),
        "rollback": ("removal:rollback", "Undo everything that was learnt from one source."),
        "reveal": ("memories:reveal", "Show the secret of a credential."),
        "scratchpad": ("scratchpad:scratchpad", "Show what the agent is working on."),
    },
    "Connect": {
        "chat": ("chat.command:chat", "Talk to a model that remembers."),
        "mcp": ("serve:mcp", "Serve a memory to an MCP host over stdin and stdout."),
        "hook": ("serve:hook", "Serve a coding agent that runs commands at its events."),
        "serve": ("serve:serve", "Serve the memories of a database over HTTP."),
        "token": ("serve:token", "Make, list and revoke tokens of mnemic serve."),
    },
    "Move": {
        "export": ("export:export", "Write a memory as a page, as markdown or as JSON lines."),
    },
    "Maintain": {
        "stats": ("health:stats", "Show the size and the health of a memory."),
        "usage": ("health:usage", "Show the tokens and cost of model calls."),
        "audit": (
            "health:audit",
            "Report duplicate, stale, contradictory, unsupported, secret and orphaned memories.",
        ),
        "doctor": ("health:doctor", "Check a database, and repair what can be."),
        "backup": ("backup:backup", "Copy the database to a file while others use it."),
        "restore-backup": ("backup:restore_backup", "Make the database FILE from a backup."),
        "sync": ("upkeep:sync", "Synchronise the documents with the memory."),
        "upkeep": ("upkeep:upkeep", "Do the daily or weekly work now."),
        "onboard": ("onboard:onboard", "Answer questions about the agent and yourself."),
        "jobs": ("jobs:jobs", "List background work; redrive or discard dead jobs."),
        "worker": ("jobs:worker", "Run background work until stopped."),
        "copy": ("backup:copy", "Copy a memory into another database, or under another name."),
        "config": ("config:config", "Show the settings and where each came from."),
    },
}
COMMANDS = {name: entry for section in SECTIONS.values() for name, entry in section.items()}


class Root(CommandGroup):
    """Loads a command when it is used."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        module, _, function = COMMANDS[cmd_name][0].partition(":")
        command = getattr(import_module(f"mnemic.cli.{module}"), function)
        assert isinstance(command, click.Command)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and args[0] not in COMMANDS and not args[0].startswith("-"):
            from difflib import get_close_matches

            near = get_close_matches(args[0], COMMANDS, n=1)
            unknown = f"There is no command {args[0]!r}."
            raise click.UsageError(f"{unknown} Did you mean {near[0]}?" if near else unknown, ctx)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        for title, commands in SECTIONS.items():
            with formatter.section(phrase(title)):
                formatter.write_dl(
                    [(name, help_text(help_)) for name, (_, help_) in commands.items()]
                )

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        formatter.write_paragraph()
        formatter.write_text(help_text(self.epilog or ""))


def _version(ctx: click.Context, param: click.Parameter, value: bool) -> None:
    if value and not ctx.resilient_parsing:
        from mnemic import __version__

        click.echo(f"mnemic {__version__}")
        ctx.exit()


@click.command(
    cls=Root,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="`mnemic COMMAND --help` explains each.",
)
@click.option(
    "--version", is_flag=True, is_eager=True, expose_value=False, callback=_version,
    help="Show the version and exit.",
)  # fmt: skip
@click.pass_context
def cli(ctx: click.Context) -> None:
    """Long-term memory for LLM agents, in one SQLite file."""
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())
