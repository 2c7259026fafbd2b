import mnemic

with mnemic.open("memory.db", worker="none") as mind:
    kept = mind.remember("correct-horse-battery", kind="credential", subject="router")
    assert "correct-horse" not in mind.get(kept.id).text
    assert mind.reveal(kept.id) == "correct-horse-battery"
