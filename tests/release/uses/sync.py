import mnemic

said: set[str] = set()
for name in ("laptop", "desktop", "laptop"):
    with mnemic.open(f"{name}/memory.db", worker="none") as mind:
        mind.record(session=name, role="user", text=f"I use Python 3.12 on the {name}")
        mind.sync_folder("shared", passphrase="three green apples")
        said = {turn.text for turn in mind.turns()}
assert said == {f"I use Python 3.12 on the {name}" for name in ("laptop", "desktop")}
