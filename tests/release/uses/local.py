import recollect

with recollect.open("memory.db", worker="none", embedding={"provider": "local"}) as mind:
    mind.record(session="s", role="user", content="We adopted a puppy from the shelter")
    mind.record(session="s", role="user", content="我们去西湖划船了")
    mind.drain()
    assert "puppy" in mind.recall("which dog do we have")[0].text
    assert "西湖" in mind.recall("rowing on a lake")[0].text
