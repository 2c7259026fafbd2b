"""The TypeScript client: current with the service, and tried in node against a real one."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from mnemic.engine.remote.operations import OPERATIONS
from mnemic.serve.http.openapi import openapi
from scripts.typescript_client import declarations, module
from tests.serve.http.conftest import Running

CLIENT = Path(__file__).parents[3] / "clients" / "typescript"
SCRIPT = """
import { Mnemic, MnemicError } from %s;
const memory = new Mnemic(process.argv[2], { token: process.argv[3], space: "a/b ü" });
const turn = await memory.record({ session: "s/1", role: "user", text: "I like 绿茶 tea" });
const again = { idempotencyKey: "k" };
for (const _ of [1, 2]) {
  await memory.record({ session: "s/1", role: "user", text: "twice" }, again);
}
const kept = await memory.remember({ text: "likes oolong", kind: "preference", tags: ["tea"] });
const edited = await memory.edit({ id: kept.memory.id, text: "likes oolong tea" });
const contents = [];
for await (const one of memory.pages(memory.turns, { session: "s/1", limit: 1 })) {
  contents.push(one.text);
}
const hits = await memory.recall({ query: "tea", limit: 3, of: ["memory"] });
const recent = await memory.recent({ session: "s/1", limit: 1 });
await memory.endSession({ session: "s/1" });
const deleted = await memory.delete({ id: edited.id });
let refused;
try {
  await memory.get({ id: "nobody" });
} catch (error) {
  refused = [error instanceof MnemicError, error.code, error.status, error.remedy !== ""];
}
const elsewhere = (await memory.inSpace("other").stats()).turns;
console.log(JSON.stringify({
  turn: turn.text, contents, hits: hits.map((hit) => hit.text), recent: recent.length,
  deleted: deleted.id === edited.id, refused, elsewhere,
}));
"""


def test_the_files_are_current() -> None:
    document = openapi(OPERATIONS)
    again = "run `python -m scripts.typescript_client clients/typescript`"
    assert (CLIENT / "mnemic.d.ts").read_text("utf-8") == declarations(document), again
    assert (CLIENT / "mnemic.js").read_text("utf-8") == module(document), again


@pytest.mark.skipif(shutil.which("node") is None, reason="needs node")
def test_it_is_tried_in_node(served: Running, tmp_path: Path) -> None:
    script = tmp_path / "talk.mjs"
    script.write_text(SCRIPT % json.dumps((CLIENT / "mnemic.js").as_uri()), "utf-8")
    done = subprocess.run(
        ["node", str(script), served.url, served.admin],
        capture_output=True, text=True, check=False, timeout=60,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == {
        "turn": "I like 绿茶 tea",
        "contents": ["I like 绿茶 tea", "twice"],
        "hits": ["likes oolong tea"],
        "recent": 1,
        "deleted": True,
        "refused": [True, "NotFound", 404, True],
        "elsewhere": 0,
    }
