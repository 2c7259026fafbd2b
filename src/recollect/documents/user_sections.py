"""Where a statement about the user stands on the user's card."""

from __future__ import annotations

import re

from recollect.rules.slots import predicate_of, subject_of
from recollect.types import Kind, Memory

_NEVER: tuple[Kind, ...] = ("trait", "event", "lesson", "skill")
_BY_KIND: dict[Kind, str] = {
    "identity": "basics",
    "preference": "preferences",
    "config": "environment",
}
_ABOUT_USER: dict[Kind, str] = {"fact": "basics", "decision": "projects", "rule": "preferences"}


def user_section(memory: Memory) -> str:
    """The key of a section; empty for what is not about the user."""
    if memory.kind in _NEVER:
        return ""
    what = predicate_of(memory.predicate)
    if subject_of(memory.subject) == "user":
        named = _NAMED.get(what, "")
        if named != "projects" and _ENVIRONMENT.search(memory.value):
            return "environment"
        return named or _BY_KIND.get(memory.kind) or _ABOUT_USER.get(memory.kind, "")
    if memory.kind == "config" and what.endswith(("version", "版本")):
        return "stack"
    return _BY_KIND.get(memory.kind, "")


_ENVIRONMENT = re.compile(
    r"\b(?:mac ?os|windows(?: \d+)?|ubuntu|debian|fedora|arch linux|vs ?code|neovim|vim|emacs"
    r"|pycharm|intellij(?: idea)?|zsh|bash|fish shell|powershell|tmux|iterm2?)\b",
    re.IGNORECASE,
)
_LISTS = {
    "projects": "works on, project, projects, maintains, builds, 项目, 参与, 在做, 维护, 开发",
    "environment": "os, operating system, editor, ide, shell, terminal, browser, machine,"
    " hardware, environment, 操作系统, 编辑器, 终端, 浏览器, 电脑, 环境, 开发环境",
    "stack": "uses, package manager, programming language, framework, database, stack, tech stack,"
    " knows, cloud, version, 技术栈, 框架, 数据库, 包管理器, 编程语言, 掌握",
    "preferences": "likes, dislikes, prefers, avoids, style, 风格, 习惯",
}
_NAMED = {
    predicate_of(name): section for section, names in _LISTS.items() for name in names.split(",")
}
