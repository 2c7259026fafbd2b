"""Products by their many spellings, so that a later statement finds the slot of an earlier one."""

from __future__ import annotations

import re
from functools import cache

# predicate: names, each with its other spellings after "="; the first is how it is kept.
_LISTS = {
    "editor": """
        VS Code=vscode=visual studio code=vs-code|Vim|Neovim=nvim=neo vim|Emacs|PyCharm
        IntelliJ IDEA=intellij=idea|WebStorm|GoLand|CLion|Cursor|Sublime Text=sublime|Zed
        Helix|Xcode|Android Studio|Notepad++|Nano|RustRover|Windsurf|Visual Studio|Eclipse
        Jupyter=jupyter notebook|JupyterLab|Kate|TextMate|Doom Emacs|Spacemacs|Trae
    """,
    "shell": "zsh|bash|fish=fish shell|PowerShell=pwsh|nushell=nu shell",
    "terminal": "iTerm2=iterm|Alacritty|kitty|WezTerm|Ghostty|Warp|Windows Terminal|Konsole|tmux",
    "browser": """
        Chrome=google chrome=谷歌浏览器|Firefox=火狐|Safari|Edge=microsoft edge|Brave|Arc
        Opera|Vivaldi|Chromium
    """,
    "os": """
        macOS=mac os=osx=os x|Windows=win=win10=win11|Ubuntu|Debian|Fedora|Arch Linux=arch
        NixOS|CentOS|Linux Mint=mint|openSUSE|Linux|FreeBSD|Manjaro|Pop!_OS|Rocky Linux
        Kali Linux=kali|WSL2=wsl|统信=统信uos|Alpine Linux=alpine|Gentoo|Red Hat=rhel
    """,
    "package_manager": """
        pip|uv|Poetry|conda=miniconda=anaconda|npm|pnpm|Yarn|Bun|Homebrew=brew|Cargo|pipenv
        PDM|mamba|Maven|Gradle|apt|dnf|pacman|pixi|rye
    """,
    "database": """
        PostgreSQL=postgres=pg=psql|MySQL|SQLite|MongoDB=mongo|MariaDB|Oracle
        SQL Server=mssql|ClickHouse|DuckDB|TiDB|Cassandra|DynamoDB|CockroachDB|Neo4j|达梦
        OceanBase
    """,
    "programming_language": """
        Python=py=python3|Go=golang|Rust|Java=jdk|JavaScript=js|TypeScript=ts|C++=cpp
        C#=csharp|Kotlin|Swift|Ruby|PHP|Scala|Elixir|Haskell|Julia|Lua|Perl|Zig|Dart|OCaml
        Clojure|Erlang
    """,
    "notes_app": """
        Notion|Obsidian|Logseq|Evernote=印象笔记|OneNote|Bear|语雀|Roam|Joplin|flomo=浮墨
    """,
    "chat_app": """
        Slack|Discord|Telegram|WhatsApp|Signal|微信=wechat|飞书=feishu=lark|钉钉=dingtalk
        企业微信|Microsoft Teams=teams
    """,
    "cloud": """
        AWS=amazon web services|GCP=google cloud|Azure|阿里云=aliyun|腾讯云|华为云
        Cloudflare|DigitalOcean|Vercel|Fly.io|Hetzner|Heroku|Netlify
    """,
    "": """
        Node.js=node=nodejs|React=reactjs=react.js|Vue=vuejs=vue.js|Angular|Svelte
        Next.js=nextjs|Nuxt=nuxtjs|Django|Flask|FastAPI|Spring Boot=springboot|Spring
        Rails=ruby on rails|Laravel|Express|Redis|Kafka|RabbitMQ|Elasticsearch=es|nginx
        Docker|Docker Compose|Podman|Kubernetes=k8s|Terraform|Ansible|Git|GitHub|GitLab
        Gitee|Jenkins|GitHub Actions|CircleCI|PyTorch=torch|TensorFlow|NumPy|pandas|Polars
        CUDA|GCC|Clang|CMake|Ruff|Black|mypy|pytest|Jest|Vitest|Playwright|Cypress|ESLint
        Prettier|Biome|Vite|webpack|Tailwind=tailwindcss=tailwind css|Bootstrap|Deno
        .NET=dotnet=.net core|Unity|Unreal=unreal engine|Godot|Blender|Figma|Sketch
        Photoshop|Excel|Jira|Linear|Trello|Asana|Airflow|Spark|Flink|dbt|Snowflake|BigQuery
        Grafana|Prometheus|Sentry|Supabase|Firebase|Prisma|SQLAlchemy|pydantic|LangChain
        Ollama|vLLM|Claude=claude code|ChatGPT|GPT-4|Gemini|Copilot|Android|iOS|iPadOS
        HarmonyOS=鸿蒙|OpenSSL|Helm|Istio|gRPC|GraphQL|Celery|Streamlit|Gradio|httpx
        Obsidian Sync|Dropbox|Zoom|腾讯会议|Postman|Bruno|Wireshark|LaTeX|Typst|Overleaf
        Zotero|pre-commit|Bazel|Nix|Flutter|React Native|Electron|Tauri|htmx|Alpine.js|Astro
        Hugo|Jekyll|WordPress|Nextcloud|Kotlin Multiplatform|MinIO|Milvus|Qdrant|Chroma
        ChromaDB|Pinecone|Weaviate|Hadoop|Hive|Dubbo|MyBatis|Nacos|Pinia|Vuex|Redux|Zustand
        element plus|Ant Design|uni-app|Taro|Loguru|structlog
    """,
}
# Everyday words as well: a product only where what is said leaves no doubt.
_ORDINARY = frozenset(
    "go rust swift ruby dart c r edge arc brave opera cursor zed fish kitty warp bear signal slack"
    " notion linear black express mint arch nano bun cargo yarn apt idea java eclipse helix kate"
    " teams spring spark hive unity react prettier git julia perl roam chroma oracle sketch lark"
    " sublime node electron astro linux windows win ts js py es pg nu poetry conda".split()
)
_VERSION = r"v?\d{1,4}(?:\.\d{1,6}){0,3}(?:[-.]?(?:alpha|beta|rc|lts|preview)\.?\d{0,4})?"
_VERSIONED = re.compile(
    rf"(?P<name>[A-Za-z.][A-Za-z.+#!_-]{{0,30}}(?: [A-Za-z][A-Za-z.+#_-]{{1,20}})?|"
    rf"[A-Za-z]*[\u4e00-\u9fff]{{2,6}})"
    rf"\s?(?:version\s|版本\s?)?(?P<version>{_VERSION})(?![\w.]*\w)",
    re.I,
)
_DOTTED = re.compile(r"(?:v\d|\d+\.)", re.I)
_BARE_VERSION = re.compile(rf"(?:(?:version|版本)\s?)?(?P<version>{_VERSION})\s?(?:版本?)?", re.I)


@cache
def _index() -> dict[str, tuple[str, str]]:
    """Spelling in lower case -> the name kept, and the predicate of its sort."""
    found: dict[str, tuple[str, str]] = {}
    for sort, listed in _LISTS.items():
        for line in listed.splitlines():
            for entry in filter(str.strip, line.split("|")):
                name, *others = (part.strip() for part in entry.split("="))
                for spelling in (name, *others):
                    found.setdefault(spelling.lower(), (name, sort))
    return found


def product(text: str) -> tuple[str, str] | None:
    """The name kept and the sort of a known product, the sort empty where it has none."""
    return _index().get(text.strip().lower())


def ordinary(text: str) -> bool:
    """Whether the name of a product is an everyday word too."""
    return text.strip().lower() in _ORDINARY


def canonical(text: str) -> str:
    """The name by which a product is kept; unknown ones as they are written."""
    known = product(text)
    return known[0] if known else text.strip()


def sort_of(text: str) -> str:
    known = product(text)
    return known[1] if known else ""


def versioned(text: str) -> tuple[str, str] | None:
    """The product and the version that a text consists of: "node 20" is Node.js and 20."""
    match = _VERSIONED.fullmatch(text.strip())
    if not match:
        return None
    name, version = match["name"].strip(), match["version"]
    if not product(name) and not _DOTTED.match(version):
        return None  # "room 20" is no version
    return canonical(name), version.lower().removeprefix("v")


def bare_version(text: str) -> str:
    """The version a text consists of, with no product beside it."""
    match = _BARE_VERSION.fullmatch(text.strip())
    return match["version"].lower().removeprefix("v") if match else ""


def find_product(text: str) -> str:
    """The last known product that a text names, unless it is an everyday word."""
    words = re.findall(r"[A-Za-z.][A-Za-z.+#]*|[\u4e00-\u9fff]{2,4}", text[-400:])
    for word in reversed(words):
        known = product(word.rstrip("."))
        if known and not (ordinary(word) and word.islower()):
            return known[0]
    return ""
