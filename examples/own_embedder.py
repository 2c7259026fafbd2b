"""An embedding model of one's own: anything with a name, dimensions and embed(texts)."""

from __future__ import annotations

from collections.abc import Sequence

import mnemic

MEANINGS = (("cat", "kitten", "猫"), ("bicycle", "bike", "自行车"), ("tea", "oolong", "茶"))


class MeaningModel:
    name = "three-meanings-1"
    dimensions = len(MEANINGS) + 1

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        return [[*(float(any(word in text for word in words)) for words in MEANINGS), 0.1]
                for text in texts]  # fmt: skip


with mnemic.open(":memory:", worker="none", embedder=MeaningModel()) as mind:
    mind.remember("The user's kitten is called Tofu.", kind="fact")
    mind.remember("用户骑自行车上班。", kind="fact")
    mind.drain()
    for query in ("猫叫什么？", "bike"):
        print(query, "->", mind.recall(query, limit=1)[0].text)
