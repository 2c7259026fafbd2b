import mnemic
from mnemic.integrations import GraphStore

with mnemic.open("memory.db", worker="none") as mind:
    store = GraphStore(mind)
    store.put(("ann",), "python", {"text": "Ann uses Python 3.12"})
    kept = store.get(("ann",), "python")
    assert kept
    assert kept.value == {"text": "Ann uses Python 3.12"}
    assert store.get(("bob",), "python") is None
