import os

import mnemic

with mnemic.open(os.environ["POSTGRES_URL"], worker="none") as mind:
    mind.record(session="s", role="user", text="I use Python 3.12")
    assert mind.recall("which Python")[0].text == "I use Python 3.12"
