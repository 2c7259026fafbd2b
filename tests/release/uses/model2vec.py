import os

import mnemic

given = {"provider": "model2vec", "folder": os.environ["MODEL2VEC_FOLDER"]}
with mnemic.open("memory.db", worker="none", embedding=given) as mind:
    mind.record(session="s", role="user", text="puppy")
    mind.drain()
    assert "vector" in mind.recall("dog")[0].why.routes
