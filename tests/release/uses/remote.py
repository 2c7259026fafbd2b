import os

import mnemic

with mnemic.open(os.environ["SERVICE_URL"], token=os.environ["SERVICE_TOKEN"]) as mind:
    mind.record(session="s", role="user", text="I use Python 3.12")
    assert mind.recall("which Python")[0].text == "I use Python 3.12"
