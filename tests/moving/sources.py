"""Sources of other programs, made by their own libraries where these install."""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Callable, Iterable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mnemic import Memory

# A §4.1–4.6, with the columns that OpenAkita's own storage has beside them.
_OPENAKITA = """
CREATE TABLE memories (
    id TEXT PRIMARY KEY, content TEXT NOT NULL, type TEXT NOT NULL DEFAULT 'FACT',
    priority TEXT NOT NULL DEFAULT 'SHORT_TERM', source TEXT DEFAULT '',
    importance_score REAL DEFAULT 0.5, access_count INTEGER DEFAULT 0, tags TEXT DEFAULT '[]',
    created_at TEXT NOT NULL, updated_at TEXT NOT NULL, expires_at TEXT,
    metadata TEXT DEFAULT '{}', subject TEXT DEFAULT '', predicate TEXT DEFAULT '',
    confidence REAL DEFAULT 0.5, decay_rate REAL DEFAULT 0.1, last_accessed_at TEXT,
    superseded_by TEXT, source_episode_id TEXT, scope TEXT DEFAULT 'global');
CREATE TABLE episodes (
    id TEXT PRIMARY KEY, session_id TEXT NOT NULL, summary TEXT NOT NULL, goal TEXT DEFAULT '',
    outcome TEXT DEFAULT 'completed', started_at TEXT NOT NULL, ended_at TEXT NOT NULL,
    action_nodes TEXT DEFAULT '[]', entities TEXT DEFAULT '[]', tools_used TEXT DEFAULT '[]',
    linked_memory_ids TEXT DEFAULT '[]', tags TEXT DEFAULT '[]', importance_score REAL DEFAULT 0.5,
    access_count INTEGER DEFAULT 0, source TEXT DEFAULT 'session_end');
CREATE TABLE scratchpad (
    user_id TEXT PRIMARY KEY, content TEXT NOT NULL, active_projects TEXT DEFAULT '[]',
    current_focus TEXT DEFAULT '', open_questions TEXT DEFAULT '[]', next_steps TEXT DEFAULT '[]',
    updated_at TEXT NOT NULL);
CREATE TABLE conversation_turns (
    id INTEGER PRIMARY KEY AUTOINCREMENT, session_id TEXT NOT NULL, turn_index INTEGER NOT NULL,
    role TEXT NOT NULL, content TEXT, tool_calls TEXT, tool_results TEXT,
    has_tool_calls BOOLEAN DEFAULT FALSE, timestamp TEXT NOT NULL, token_estimate INTEGER,
    episode_id TEXT, extracted BOOLEAN DEFAULT FALSE, UNIQUE(session_id, turn_index));
CREATE TABLE attachments (
    id TEXT PRIMARY KEY, session_id TEXT NOT NULL DEFAULT '', episode_id TEXT DEFAULT '',
    filename TEXT NOT NULL DEFAULT '', original_filename TEXT DEFAULT '', mime_type TEXT DEFAULT '',
    file_size INTEGER DEFAULT 0, local_path TEXT DEFAULT '', url TEXT DEFAULT '',
    direction TEXT DEFAULT 'inbound', description TEXT DEFAULT '', transcription TEXT DEFAULT '',
    extracted_text TEXT DEFAULT '', tags TEXT DEFAULT '[]', linked_memory_ids TEXT DEFAULT '[]',
    created_at TEXT NOT NULL);
"""
OLD = "2025-03-01T09:30:00"


def openakita_memory(number: int, content: str, **fields: Any) -> dict[str, Any]:
    """A memory as OpenAkita's ``to_dict`` writes it."""
    return {
        "id": f"m{number}",
        "type": "fact",
        "priority": "permanent",
        "content": content,
        "source": "turn_ai",
        "subject": "",
        "predicate": "",
        "tags": [],
        "created_at": OLD,
        "updated_at": "2025-06-01T09:30:00",
        "access_count": 3,
        "importance_score": 0.6,
        "confidence": 0.8,
        "superseded_by": None,
        **fields,
    }


MEMORIES = [
    openakita_memory(1, "用户喜欢用 uv 管理 Python 环境", type="preference", tags=["python"]),
    openakita_memory(
        2, "用户住在北京", subject="用户", predicate="居住地", superseded_by="m3", confidence=1.0
    ),
    openakita_memory(3, "用户住在上海", subject="用户", predicate="居住地", confidence=0.3),
    openakita_memory(4, "commit 前必须先跑测试", type="RULE", priority="LONG_TERM"),
    openakita_memory(5, "pip 会装错 torch 的版本", type="error", priority="short_term"),
    openakita_memory(6, "今天的验证码是六位数", type="context", expires_at="2025-03-02T09:30:00"),
]


def openakita_json(folder: Path) -> Path:
    path = folder / "memories.json"
    path.write_text(json.dumps(MEMORIES, ensure_ascii=False, indent=2), "utf-8")
    return path


def openakita_db(folder: Path, *, wal: bool = False, many: int = 0) -> Path:
    path = folder / "openakita.db"
    with closing(sqlite3.connect(path)) as db:
        db.execute("PRAGMA page_size = 1024")
        if wal:
            db.execute("PRAGMA journal_mode = WAL")
        db.executescript(_OPENAKITA)
        extra = [
            openakita_memory(n, f"第 {n} 条旧记忆 " + "x" * 90) for n in range(100, 100 + many)
        ]
        for one in [*MEMORIES, *extra]:
            _insert(db, "memories", {**one, "tags": json.dumps(one["tags"])})
        call = [{"name": "write_file", "input": {"path": "/tmp/r.pdf"}, "id": "c1"}]
        result = [{"tool_use_id": "c1", "content": "written", "is_error": False}]
        for index, (role, said) in enumerate((("user", "帮我写月报"), ("assistant", "写好了"))):
            turn = {"session_id": "s1", "turn_index": index, "role": role, "content": said}
            if role == "assistant":
                turn |= {"tool_calls": json.dumps(call), "tool_results": json.dumps(result)}
            _insert(db, "conversation_turns", {**turn, "timestamp": f"2025-03-01T09:3{index}:00"})
        story = {"id": "e1", "session_id": "s1", "summary": "写了三月的月报", "goal": "月报"}
        times = {"started_at": OLD, "ended_at": "2025-03-01T10:00:00"}
        _insert(db, "episodes", {**story, **times, "tools_used": '["write_file"]'})
        sent = {"id": "a1", "session_id": "s1", "filename": "r.pdf", "local_path": "/tmp/r.pdf"}
        about = {"direction": "outbound", "description": "三月的月报"}
        _insert(db, "attachments", {**sent, **about, "created_at": OLD})
        pad = {"user_id": "default", "content": "## 当前项目\n- 月报", "updated_at": OLD}
        _insert(db, "scratchpad", pad)
        db.commit()
    return path


def openakita_folder(folder: Path) -> Path:
    """The data folder: the database, the older file beside it, and the history of two sessions."""
    memory = folder / "data" / "memory"
    (memory / "conversation_history").mkdir(parents=True)
    openakita_db(memory)
    # The backup still holds what the database has superseded.
    stale = [{**MEMORIES[1], "superseded_by": None}, openakita_memory(9, "旧文件里独有的记忆")]
    (memory / "memories.json").write_text(json.dumps({"memories": stale}), "utf-8")
    for session in ("s1", "s0"):
        turns: list[dict[str, Any]] = [
            {"role": role, "content": f"{session} {role}", "timestamp": OLD, "tool_calls": []}
            for role in ("user", "assistant")
        ]
        lines(memory / "conversation_history" / f"{session}.jsonl", turns)
    return folder / "data"


def chroma(folder: Path) -> Path:
    """Two collections by the real library: OpenAkita's, and one without anything but texts."""
    import chromadb
    from chromadb.config import Settings

    place = folder / "chromadb"
    quiet = Settings(anonymized_telemetry=False)
    client: Any = chromadb.PersistentClient(str(place), settings=quiet)
    try:
        kept = client.create_collection("memories", metadata={"hnsw:space": "cosine"})
        kept.add(
            ids=["a", "b", "c"],
            embeddings=[[0.1, 0.2], [0.3, 0.4], [1.0, 0.0]],
            documents=["用户对花生过敏", "回答要简短", "过时的一条"],
            metadatas=[
                {"type": "FACT", "priority": "PERMANENT", "importance": 0.9, "tags": "健康,饮食",
                 "created_at": OLD, "page": 3},
                {"type": "rule", "importance": 0.5, "tags": ""},
                {"type": "fact"},
            ],
        )  # fmt: skip
        kept.update(ids=["b"], embeddings=[[0.3, 0.4]], documents=["回答要简短，不用表格"])
        kept.delete(ids=["c"])
        other = client.create_collection("notes")
        other.add(ids=["n1", "n2"], embeddings=[[1.0], [0.5]], documents=["the cat is Rio", None])
    finally:
        client.close()
    return place


def myclaw(folder: Path) -> Path:
    memory = folder / "workspace" / "memory"
    memory.mkdir(parents=True)
    (memory / "MEMORY.md").write_text(
        "# 长期记忆\n\n用户名 yangyang，全栈工程师\n- 活跃项目: myclaw (Go)\n"
        "- 姓名：[待学习]\n---\n",
        "utf-8",
    )
    (memory / "2026-02-10.md").write_text("# 周二\n\n- 修好了网关\n- 部署到测试环境\n", "utf-8")
    (memory / "2026-02-11.md").write_text("# 周三\n\n（暂无）\n", "utf-8")
    (memory / "2026-02-12.md").write_text("上线了 v2\n", "utf-8")
    return folder / "workspace"


def vault(folder: Path) -> Path:
    """Notes as Obsidian keeps them."""
    place = folder / "vault"
    (place / ".obsidian").mkdir(parents=True)
    (place / ".obsidian" / "hidden.md").write_text("a setting of the program", "utf-8")
    (place / "people").mkdir()
    (place / "people" / "李雷.md").write_text(
        "---\ncreated: 2025-03-01\ntags: [朋友, 同事]\n---\n# 李雷\n\n"
        "住在[[杭州|杭州市]]，喜欢喝茶。\n\n"
        "## 工作\n\n- [rule] 开会前先发议程 #会议\n- ~~在甲公司上班~~\n- 在乙公司上班\n  做后端\n",
        "utf-8",
    )
    (place / "2025-04-01.md").write_text(
        "Preference: dark themes\n\n---\n\n![[picture.png]]\n\n- [ ] renew the passport\n- TBD\n",
        "utf-8",
    )
    return place


def memory_lines(folder: Path) -> Path:
    return lines(
        folder / "memories.jsonl",
        [
            {"id": 1, "text": "Rio is a parrot", "kind": "fact", "created_at": OLD},
            {"id": 2, "memory": "prefers tea", "type": "preference", "created_at": 1_740_821_400},
            {"id": 3, "content": "paints the roof", "category": "hobby", "tags": ["house"]},
            {"id": 4, "content": "drives a Golf", "status": "superseded", "updated_at": OLD},
            {"id": 5, "content": "owns a boat", "importance": 0.9, "trust": "external"},
        ],
    )


def csv_memories(folder: Path) -> Path:
    path = folder / "notes.csv"
    path.write_text(
        "\ufeffID;Note;Category;Created;Labels\n1;喜欢喝茶;preference;2025/03/01;饮食,习惯\n"
        '2;"two lines\nof ""text""";fact;2025-03-02;\n3;每周三开会;rule;;\n',
        "utf-8",
    )
    return path


def csv_turns(folder: Path) -> Path:
    path = folder / "chat.csv"
    path.write_text(
        "session,role,content,timestamp\nc1,user,我养了一只叫 Rio 的鹦鹉,2025-03-01T09:30:00\n"
        'c1,assistant,"好的，记住了",2025-03-01T09:30:05\nc2,Human,hi,\n',
        "utf-8",
    )
    return path


@dataclass(frozen=True)
class Case:
    """A source, and what it holds."""

    make: Callable[[Path], Path]
    format: str
    read: dict[str, int]
    recalled: tuple[str, str]  # a question, and what answers it
    rejected: int = 0
    trust: str = "agent"
    current: int = 0  # memories that hold after the import
    pending: int = 0  # rules, identities and traits that wait for the user's word


CASES = {
    "openakita-json": Case(
        openakita_json,
        "openakita",
        {"memory": 6},
        ("用什么管理 Python 环境", "uv"),
        current=3,
        pending=1,
    ),
    "openakita-sqlite": Case(
        openakita_db,
        "openakita",
        {"turn": 2, "episode": 1, "memory": 6, "attachment": 1, "scratchpad": 1},
        ("住在哪里", "上海"),
        current=3,
        pending=1,
    ),
    "openakita-folder": Case(
        openakita_folder,
        "openakita",
        {"turn": 4, "episode": 1, "memory": 7, "attachment": 1, "scratchpad": 1},
        ("旧文件里独有的记忆", "独有"),
        current=4,
        pending=1,
    ),
    "chroma": Case(
        chroma, "chroma", {"memory": 3}, ("对什么过敏", "花生"), rejected=1, current=2, pending=1
    ),
    "myclaw": Case(
        myclaw,
        "myclaw",
        {"memory": 2, "daily event": 2},
        ("用户名是什么", "yangyang"),
        trust="owner",
        current=2,
    ),
    "markdown": Case(
        vault, "markdown", {"memory": 6}, ("开会前要做什么", "议程"), trust="owner", current=5
    ),
    "memories": Case(memory_lines, "memories", {"memory": 5}, ("who is Rio", "parrot"), current=4),
    "csv-memories": Case(
        csv_memories, "csv", {"memory": 3}, ("喜欢喝什么", "茶"), current=2, pending=1
    ),
    "csv-turns": Case(csv_turns, "csv", {"turn": 3}, ("鹦鹉叫什么", "Rio")),
}


def by_text(memories: Iterable[Memory]) -> dict[str, Memory]:
    return {str(memory.text): memory for memory in memories}


def prints(place: Path) -> dict[str, str]:
    """Every file there with a digest of its bytes."""
    files = [place] if place.is_file() else [path for path in place.rglob("*") if path.is_file()]
    return {str(path): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


def lines(path: Path, objects: Iterable[Any]) -> Path:
    said = (one if isinstance(one, str) else json.dumps(one, ensure_ascii=False) for one in objects)
    path.write_text("".join(f"{line}\n" for line in said), "utf-8")
    return path


def _insert(db: sqlite3.Connection, table: str, fields: dict[str, Any]) -> None:
    names, marks = ", ".join(fields), ", ".join("?" * len(fields))
    db.execute(f"INSERT INTO {table} ({names}) VALUES ({marks})", tuple(fields.values()))
