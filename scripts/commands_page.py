"""docs/commands.md and docs/commands.zh.md, written from the command itself.

python -m scripts.commands_page --write docs/commands.md
python -m scripts.commands_page zh --write docs/commands.zh.md
"""

from __future__ import annotations

import sys
from collections.abc import Iterator

import click

from mnemic.cli.base import Helpful, SharedOption, help_formatter, option_records
from mnemic.cli.phrases import Language, phrase, speaking
from mnemic.cli.root import SECTIONS, cli
from scripts.pages import put_out

_WIDTH = 88

_INTRO = """# Commands

<!-- Written by `python -m scripts.commands_page`; a test compares the two. -->

Every command takes these options, before or after its name:

```text
{shared}
```

With `--json` a command prints one JSON document, with the names of the Python values; `worker`
prints one a line. With `--ndjson` and `--csv` a list is one entry a line or row, and anything else
is one; [export.md](export.md) says how CSV is written. Of the three the last one wins. Times
without a zone are in the zone of the machine; `7d` means seven days ago. Output that does not go to
a terminal is neither colored nor cut.

What people read is in English or Chinese, as the setting `memory.language` (`MNEMIC_LANGUAGE`)
says, else the locale (`LC_ALL`, `LC_MESSAGES`, `LANG`). What programs read, exit codes, and the
names of commands and options never change.

A command leaves with 0 when it did its work, 1 when something failed or was found wrong, 2 when it
was called in a wrong way, and 130 after Ctrl-C. What went wrong, and what to do about it, is on
stderr; with one of the three as `{{"error": {{"type", "message", "remedy"}}}}`.
"""


_INTRO_ZH = """# 命令

<!-- 由 `python -m scripts.commands_page zh` 写成，测试会比较两者。 -->

每个命令都接受这些选项，写在命令名之前或之后都可以：

```text
{shared}
```

加 `--json` 时命令输出一个 JSON 文档，字段名与 Python 中的值相同；`worker` 每行一个。
加 `--ndjson` 或 `--csv` 时，列表的每一项是一行，其他内容只有一行；CSV 的写法见
[export.md](export.md)。三者同时给出时，最后一个有效。没有时区的时间按本机时区；`7d` 表示七天前。
不输出到终端时，既不上色也不截断。

给人看的文字随设置 `memory.language`（环境变量 `MNEMIC_LANGUAGE`），否则随区域设置（`LC_ALL`、
`LC_MESSAGES`、`LANG`）；给程序读的输出、退出码、命令和选项的名字从不改变。

命令完成工作时以 0 退出，失败或发现问题时为 1，用法错误时为 2，按 Ctrl-C 后为 130。
出了什么错、该怎么办，写在 stderr；加上述三者之一时为英文的
`{{"error": {{"type", "message", "remedy"}}}}`。
"""
_INTROS: dict[Language, str] = {"en": _INTRO, "zh": _INTRO_ZH}


def markdown(language: Language = "en") -> str:
    """The whole page."""
    with speaking(lambda: language):
        return _page(_INTROS[language])


def _page(intro: str) -> str:
    root = click.Context(cli, info_name="mnemic", **cli.context_settings)
    lines = [intro.format(shared=_shared(root))]
    for title, names in SECTIONS.items():
        lines.append(f"## {phrase(title)}\n")
        for name in names:
            command = cli.get_command(root, name)
            assert isinstance(command, Helpful)
            lines += _command(command, click.Context(command, root, name), 3)
    return "\n".join(lines).rstrip() + "\n"


def _shared(ctx: click.Context) -> str:
    shared = [param for param in cli.get_params(ctx) if isinstance(param, SharedOption)]
    formatter = help_formatter(_WIDTH)
    formatter.write_dl(option_records(ctx, shared))
    return formatter.getvalue().rstrip()


def _command(command: Helpful, ctx: click.Context, level: int) -> Iterator[str]:
    formatter = help_formatter(_WIDTH)
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
    put_out(markdown("zh" if "zh" in sys.argv[1:] else "en"))
