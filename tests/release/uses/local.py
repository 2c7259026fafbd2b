import mnemic

with mnemic.open("memory.db", worker="none", embedding={"provider": "local"}) as mind:
    mind.record(session="s", role="user", text="We adopted a puppy from the shelter")
    mind.record(session="s", role="user", text="我喜欢喝绿茶")
    mind.drain()
    assert "puppy" in mind.recall("which dog do we have")[0].text
    assert "绿茶" in mind.recall("what tea do I drink")[0].text
