"""Build the docs site in both languages: `python -m scripts.docs_site OUT`, or `make docs`.

Each language is a site of its own, English at the top and Chinese below ``zh/``, made from the
pages in ``docs/`` and the README. It loads nothing from elsewhere; its search works from a file.
A link that leads nowhere fails the build.
"""

from __future__ import annotations

import re
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
LINK = re.compile(r"(!?)\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^)\s]+)\)")
# Chinese has no blanks between words: every character is a term.
SEPARATOR = r"[\s\-_,:!=\[\]()\"`/.，。、：；！？（）“”《》]+|(?=[一-鿿])"
FOREIGN = re.compile(r'<script src="https://unpkg.com/iframe-worker/shim"></script>')
NAV: list[tuple[str, str, tuple[str, ...]]] = [
    ("Start", "开始", ("tutorial", "tour", "howto", "cookbook", "chat", "glossary")),
    ("Use it", "使用", ("recall", "context", "learning", "decay", "upkeep", "forgetting",
                      "inspector",
                      "integrations", "mcp", "claude-code", "patterns", "embeddings", "off")),
    ("Move", "迁移", ("importing", "import_formats", "coming_from", "export", "moving", "sync")),
    ("Run it", "运行", ("serve", "scale", "postgresql", "backup", "encryption", "logging",
                     "upgrading")),
    ("Reference", "参考", ("api", "commands", "settings", "schema")),
    ("Presets", "预设", ("presets/default", "presets/openakita", "presets/shiyi", "presets/myclaw",
                       "presets/semibot")),
    ("Measured", "测量", ("performance", "benchmarks", "comparison")),
    ("Build on it", "扩展", ("architecture", "extending/objects", "extending/provider",
                          "extending/store", "extending/preset", "extending/language",
                          "extending/tool")),
]  # fmt: skip


def main() -> None:
    if len(sys.argv) != 2:
        raise SystemExit("usage: python -m scripts.docs_site OUT")
    out = Path(sys.argv[1])
    shutil.rmtree(out, ignore_errors=True)
    for language in ("en", "zh"):
        build(language, out if language == "en" else out / "zh")
    print(f"Open {out / 'index.html'}, or {out / 'zh' / 'index.html'}")


def build(language: str, out: Path) -> None:
    """The site of one language."""
    from mkdocs.commands.build import build as build_site
    from mkdocs.config import load_config

    with tempfile.TemporaryDirectory() as folder:
        pages = Path(folder) / "pages"
        lay_out(language, pages)
        config = Path(folder) / "mkdocs.yml"
        config.write_text("site_name: Mnemic\n", encoding="utf-8")
        build_site(load_config(str(config), **settings(language, pages, out.absolute())))
    shim = f"<script>{(ROOT / 'scripts/iframe_worker.js').read_text('utf-8')}</script>"
    for page in out.rglob("*.html"):
        text = page.read_text("utf-8")
        page.write_text(FOREIGN.sub(lambda _: shim, text), encoding="utf-8")


def settings(language: str, pages: Path, out: Path) -> dict[str, Any]:
    """What mkdocs is told."""
    other, name = ("zh/", "中文") if language == "en" else ("../", "English")
    return {
        "site_name": "Mnemic",
        "docs_dir": str(pages),
        "site_dir": str(out),
        "strict": True,
        "use_directory_urls": False,
        "validation": {"links": {"anchors": "warn", "not_found": "warn"}},
        "theme": {
            "name": "material",
            "language": language,
            "font": False,
            "features": ["navigation.sections", "navigation.top", "content.code.copy",
                         "search.suggest", "search.highlight", "toc.follow"],
            "palette": [
                {"media": "(prefers-color-scheme: light)", "scheme": "default",
                 "primary": "teal", "toggle": {"icon": "material/weather-night", "name": "Dark"}},
                {"media": "(prefers-color-scheme: dark)", "scheme": "slate",
                 "primary": "teal", "toggle": {"icon": "material/weather-sunny", "name": "Light"}},
            ],
        },
        "plugins": [{"search": {"lang": ["en"], "separator": SEPARATOR}}, "offline"],
        "markdown_extensions": ["admonition", "tables", "attr_list", "pymdownx.superfences",
                                {"toc": {"permalink": True, "slugify": slug}}],
        "extra": {"alternate": [{"name": name, "link": other, "lang": "zh" if other else "en"}],
                  "generator": False},
        "nav": [{"Mnemic": "index.md"}, *(
            {title[language == "zh"]: [f"{page}.md" for page in listed
                                       if (pages / f"{page}.md").exists()]}
            for *title, listed in NAV
        )],
    }  # fmt: skip


def slug(text: str, separator: str) -> str:
    """An anchor as GitHub makes it, which the links of the pages expect."""
    kept = "".join(c for c in text.strip().lower() if c.isalnum() or c in " -_")
    return kept.replace(" ", separator)


def lay_out(language: str, pages: Path) -> None:
    """The pages of one language under their plain names, with links between them."""
    chinese = language == "zh"
    sources = {"index": ROOT / ("README.zh.md" if chinese else "README.md")}
    sources |= {name: ROOT / f"{name}.md" for name in ("CHANGELOG", "CONTRIBUTING")}
    for page in DOCS.rglob("*.md"):
        name = page.relative_to(DOCS).as_posix()
        if name.endswith(".zh.md") == chinese or not page.with_name(f"{page.stem}.zh.md").exists():
            plain = name.removesuffix(".md").removesuffix(".zh")
            if plain != "conformance" and not (name.endswith(".zh.md") and not chinese):
                sources[plain] = page
    places = {source.resolve(): name for name, source in sources.items()}
    for name, source in sources.items():
        target = pages / f"{name}.md"
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(relink(source, name, places), encoding="utf-8")
    for picture in (*DOCS.rglob("*.svg"), *DOCS.rglob("*.png")):
        place = pages / picture.relative_to(DOCS)
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(picture, place)


def relink(source: Path, name: str, places: dict[Path, str]) -> str:
    """A page whose links lead to pages of this site; what is not on it stays as words."""
    depth = "../" * name.count("/")
    english = {Path(str(page).replace(".zh.md", ".md")): place for page, place in places.items()}

    def link(match: re.Match[str]) -> str:
        mark, words, address = match.groups()
        path, hash_, anchor = address.partition("#")
        if "://" in address or not path:
            return match[0]
        target = (source.parent / path).resolve()
        place = places.get(target) or english.get(target)
        if place is not None:
            return f"{mark}[{words}]({depth}{place}.md{hash_}{anchor})"
        if target.suffix in (".svg", ".png") and target.is_relative_to(DOCS):
            return f"{mark}[{words}]({depth}{target.relative_to(DOCS).as_posix()})"
        return words

    lines = source.read_text(encoding="utf-8").splitlines()
    others = (f"[中文]({source.stem}.zh.md)", f"[English]({source.name.replace('.zh', '')})")
    if lines[2:3] and lines[2] in others:  # the site has a switch for that
        del lines[2:4]
    parts = re.split(r"(?ms)(^ *```.*?^ *```$)", "\n".join(lines))
    parts[::2] = [LINK.sub(link, part) for part in parts[::2]]
    return "".join(parts)


if __name__ == "__main__":
    main()
