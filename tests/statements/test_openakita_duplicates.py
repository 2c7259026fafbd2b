"""OpenAkita: duplicates are clustered by shared words, in Chinese too, and judged by the model."""

from __future__ import annotations

import pytest

from tests.conftest import OpenMind
from tests.providers.scripted import Scripted
from tests.statements.model_server import answering, numbered, settings, shown

TWINS = (
    ("用户喜欢喝绿茶和红茶", "用户喜欢喝红茶和绿茶"),
    ("用户住在杭州", "用户目前住在杭州"),
    ("用户在阿里巴巴工作", "用户目前就职于阿里巴巴"),
    ("用户喜欢吃辣", "用户爱吃辣的"),
    ("用户每天早上跑步", "用户每天早晨都跑步"),
    ("用户的猫叫米娅", "用户养的猫名叫米娅"),
    ("用户对花生过敏", "用户有花生过敏"),
    ("用户会说日语", "用户能说日语"),
    ("用户的妹妹在北京读书", "用户的妹妹现在北京上学读书"),
    ("用户喜欢深色主题", "用户偏好深色主题"),
    ("User lives in Porto", "The user currently lives in Porto"),
    ("User drives an old red Volvo", "User drives a red Volvo which is old"),
)
FAR = ("用户周三去爬山", "会议室在三楼", "User plays the cello", "The invoice is due in May")


@pytest.mark.statement("A103")
def test_the_model_judges_clusters_of_shared_words_and_nothing_else(open_mind: OpenMind) -> None:
    with Scripted() as server:

        def same(text: str) -> object:
            pairs = [numbered(text, pair) for pair in TWINS]
            return {"same": [pair for pair in pairs if len(pair) == 2]}

        server.always(answering(same))
        mind = open_mind(preset="openakita", **settings(server, upkeep={"daily": ("dedup",)}))
        for one, other in TWINS:
            mind.remember(one, kind="fact")
            mind.remember(other, kind="fact")
        for alone in FAR:
            mind.remember(alone, kind="fact")
        report = mind.upkeep("daily")
        left = {memory.text for memory in mind.memories(limit=100)}
        assert all(len({*pair} & left) == 1 for pair in TWINS), sorted(left)
        assert left.issuperset(FAR)
        asked = "\n".join(map(shown, server.asked))
        assert not any(alone in asked for alone in FAR), "the model is asked inside clusters only"
        mind.undo_upkeep(report.steps[0].operation)
    assert len(mind.memories(limit=100)) == 2 * len(TWINS) + len(FAR)
