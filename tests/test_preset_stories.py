"""A day and a night of each system: its figures, and the page that quotes it."""

from __future__ import annotations

import logging
import re
import runpy
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGES = ROOT / "docs" / "presets"
Telling = Callable[[str], str]


@pytest.fixture
def told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Iterator[Telling]:
    """What a story prints, which the page of its preset quotes to the letter."""
    log = logging.getLogger("mnemic")
    level = log.level
    monkeypatch.setattr(log, "handlers", [])
    monkeypatch.chdir(tmp_path)

    def tell(name: str) -> str:
        runpy.run_path(str(ROOT / "examples" / f"{name}_day.py"))
        output = capsys.readouterr().out
        page = (PAGES / f"{name}.md").read_text(encoding="utf-8")
        assert f"```text\n{output}```" in page, f"docs/presets/{name}.md quotes another output"
        assert not list(tmp_path.iterdir()), "it leaves nothing behind"
        return output

    yield tell
    log.setLevel(level)


def test_every_preset_has_a_page_and_every_document_a_story() -> None:
    presets = {
        one.stem for one in (ROOT / "src" / "mnemic" / "settings" / "presets").glob("*.toml")
    }
    assert {page.name.partition(".")[0] for page in PAGES.glob("*.md")} == presets
    stories = {one.stem.removesuffix("_day") for one in (ROOT / "examples").glob("*_day.py")}
    assert stories == presets - {"default"}


def seen(output: str, section: str, promise: str) -> list[str]:
    """What stands behind a promise, once for each line that makes it."""
    found = re.findall(rf"(?m)^{section} +{promise}：(.*)$", output)
    assert found, f"{section} {promise}"
    return found


def budgets(output: str, section: str) -> dict[str, int]:
    """The allotment of each part of a prompt; none was exceeded."""
    found = re.findall(rf"(?m)^{section} +(.+)，预算 (\d+)：(.+)$", output)
    assert {fits for _, _, fits in found} == {"没有超"}
    return {name: int(size) for name, size, _ in found}


def test_openakita(told: Telling) -> None:
    output = told("openakita")
    assert seen(output, "A §4.5", "原文[^：]*") == ["13 轮，13 行"]
    assert seen(output, "A §4.1", "更新[^：]*") == ["3.10 → 3.12"]
    assert seen(output, "B §4", "当前任务[^：]*") == [
        "写本周的周报（近期完成：为登录接口选认证方案）"
    ]
    assert budgets(output, "A §8.1") == {
        "guide": 200,
        "core": 1500,
        "scratchpad": 500,
        "合计": 3000,
    }
    assert seen(output, "B §6", "动态记忆不自动注入") == ["0 条"]
    assert seen(output, "A §4.4", "上次[^：]*")[0].endswith("/in/cat.jpg")
    types = re.findall(r"(?m)^B §4 +([A-Z]+) ([A-Z_]+)：(.+)$", output)
    assert ("FACT", "PERMANENT", "我叫小明") in types
    assert ("RULE", "PERMANENT", "所有脚本必须加中文注释") in types
    assert ("SKILL", "PERMANENT", "用 pytest 测试更可靠") in types
    assert ("ERROR", "SHORT_TERM", "教训是先备份") in types
    assert not [content for _, _, content in types if "3.10" in content]
    (size,) = seen(output, "A §7.4-4", "MEMORY.md，最多约 1500 字符")
    assert 500 < int(size.partition("（")[0]) <= 1500
    (core,) = seen(output, "B §6", "Core Memory[^：]*")
    there, listed = re.findall(r"\d+", core)
    assert there == listed != "0"
    assert {"基本信息", "技术栈"} <= {*seen(output, "A §6.3", "USER.md[^：]*")[0].split("、")}
    assert ".compiled_at" in seen(output, "A §10.2", "compiled/")[0]
    assert seen(output, "B §4", "TRANSIENT，1 天后") == ["1 → 0"]
    assert seen(output, "B §4", "ERROR，7 天后") == ["1 → 0"]
    assert seen(output, "B §6", "过期[^：]*") == ["0 条"]
    before, after = seen(output, "B §4", "PERMANENT[^：]*")[0].split(" → ")
    assert before == after != "0"


def test_shiyi(told: Telling) -> None:
    output = told("shiyi")
    decided = {float(n): what for n, what in re.findall(r"置信度 ([\d.]+)：(\w+)", output)}
    assert decided == {
        0.85: "new",
        0.84: "pending",
        0.7: "pending",
        0.6: "pending",
        0.59: "dropped",
    }
    assert len(seen(output, "C §7", "回复末尾附最多 3 条")[0].split("、")) == 3
    assert seen(output, "C §7", "确认 [^：]*") == ["active，User.md 里有：True"]
    assert seen(output, "C §7", "忽略 [^：]*") == ["rejected"]
    assert seen(output, "C §8", "同一个[^：]*") == ["1 条"]
    gate = dict(re.findall(r"(?m)^C §5.3 +(.+)：(.+)$", output))
    assert [text for text, searched in gate.items() if searched == "不检索"] == [
        "为什么天是蓝的？",
        "帮我写首诗",
    ]
    assert seen(output, "C §5.5", "按日期精确查询") == ["2026-02-12 的 3 条"]
    assert "共 2 条" in seen(output, "C §5.5", "一共[^：]*")[0]
    assert "2026-02-14" in seen(output, "C §5.5", "最后一次[^：]*")[0]
    assert budgets(output, "C §5") == {
        "cards": 600,
        "recent": 2000,
        "evidence": 900,
        "4000 减去预留的 500": 3500,
    }
    assert 200 < int(seen(output, "C §6", "User.md[^：]*")[0]) <= 2048
    assert int(seen(output, "C §6", "Project.md[^：]*")[0].split()[0]) <= 100
    assert seen(output, "C §6", "Insights.md[^：]*") == ["10"]


def test_myclaw(told: Telling) -> None:
    output = told("myclaw")
    assert "[memory] extracted 5 facts from 6 messages" in output.splitlines()
    assert "[memory] weekly upkeep: 3 of 3 steps done" in output.splitlines()
    migrated = seen(output, "D §12.2", "每行一条[^：]*")
    assert migrated[0] == "主力: Go 1.24（identity，1.0，_profile）"
    assert len(migrated) == 2
    assert seen(output, "D §6.2", "静默[^：]*") == ["0 条，5 条"]
    categories = re.findall(r"(?m)^D §3.2 +(\w+) ", output)
    assert sorted(categories) == ["config", "debug", "decision", "identity", "solution"]
    assert int(seen(output, "D §6.4", "摘要[^：]*")[0]) <= 200
    gate = [searched for _, searched in re.findall(r"(?m)^D §5.1 +(.+)：(.+)$", output)]
    assert gate == ["检索", "跳过", "跳过"]
    assert seen(output, "D §10.4", "system prompt[^：]*") == ["# Core Memory"]
    core = {line.split()[0] for line in seen(output, "D §5.3", "Tier 1，永驻")}
    found = [line.split()[0] for line in seen(output, "D §5.3", "Tier 2，最多 5 条")]
    assert core == {"identity", "config"}
    assert not core & {*found}
    assert found[0] == "decision"
    assert len(found) <= 5
    assert "myclaw/storage" in seen(output, "D §7.2", "Tier 3 → Tier 2")[0]
    assert seen(output, "D §4.4", "还没压缩的事件") == ["0"]
    assert seen(output, "D §7.3", "10 条以上[^：]*")[0].startswith("10 → 1，")
    assert seen(output, "D §7.3", "旧条目归档，可撤销") == ["10 条"]
    assert "tier 1，1.0，compression" in seen(output, "D §7.3", "画像由模型重写")[0]
    assert seen(output, "D §8.2", "海棠计划[^：]*") == ["0.921", "0.551", "0.051"]
    assert seen(output, "D §8.4", "用过[^：]*") == ["1.000"]
    assert seen(output, "D §12.3", "退回文件方案，.* 进提示词") == ["2/2 行", "2/2 行"]


def test_semibot(told: Telling) -> None:
    output = told("semibot")
    assert seen(output, "E §4.1", r"get_recent\(limit=50\)") == ["50 条"]
    assert seen(output, "E §4.1", r"get_context_window\(8000\)")[0].startswith("60 条")
    assert int(re.findall(r"(\d+) tokens", seen(output, "E §4.1", "预算 200[^：]*")[0])[0]) <= 200
    assert seen(output, "E §4.1", "clear[^：]*") == ["0 条，账本里 60 条"]
    assert seen(output, "E §6.1", "不到 3 条[^：]*") == ["沉淀 0 条"]
    learned = re.findall(r"(?m)^E §3.2 +(\w+) [\d.]+：.*来自会话 周四", output)
    assert sorted(learned) == ["knowledge", "preference", "project", "project", "skill"]
    assert seen(output, "E §11.2", "[^：]*") == ["4 次（knowledge、preference、project、project）"]
    assert seen(output, "E §5.1", "limit=5[^：]*") == ["5 条，memory"]
    (terms,) = re.findall(r"(?m)^E §5.2 +(.+) =：([\d.]+) API", output)
    weighted = [float(a) * float(b) for a, b in re.findall(r"([\d.]+) × ([\d.]+)", terms[0])]
    assert sum(weighted) == pytest.approx(float(terms[1]), abs=0.002)
    assert re.findall(r"([\d.]+) ×", terms[0]) == ["0.6", "0.25", "0.15"]
    assert seen(output, "E §5.1", "被检索到[^：]*") == ["0.50 → 1.00"]
    shares = seen(output, "E §4.3", ".*窗口[^：]*")
    assert shares == ["长期 15%，短期 50%，预留 20%"] * 2
    assert "窗口 128000" in output
    assert "窗口 8192" in output
    assert seen(output, "E §6.1", "相似度[^：]*") == ["5 → 5 条"]
    assert seen(output, "E §10.2", "stats")[0].startswith("总记忆数 5：")
