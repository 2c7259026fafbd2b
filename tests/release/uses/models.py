import os

import mnemic

given = {"provider": "openai", "name": "m", "api_key": "test", "base_url": os.environ["MODEL_URL"]}
with mnemic.open("memory.db", worker="none", model=given, extraction={"engine": "model"}) as mind:
    with mind.session("s") as session:
        session.user("The pass over the mountain opens in May.")
        session.assistant("Good to know.")
    mind.drain()
    assert mind.usage(), "no model was asked"
