import os

import mnemic

given = {"provider": "folder", "folder": os.environ["ONNX_FOLDER"]}
with mnemic.open("memory.db", worker="none", embedding=given) as mind:
    mind.record(session="s", role="user", text="puppy")
    mind.drain()
    assert "vector" in mind.recall("dog")[0].why.routes
