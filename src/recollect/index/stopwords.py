"""Words and characters too common to tell one text from another."""

from __future__ import annotations

ENGLISH = frozenset(
    """
    a about above after again against all also am an and any are arent as at be because been before
    being below between both but by can cannot could couldnt did didnt do does doesnt doing dont
    down during each few for from further had hadnt has hasnt have havent having he her here hers
    herself him himself his how i if in into is isnt it its itself just let me more most my myself
    no nor not of off on once only or other our ours ourselves out over own same she should
    shouldnt so some such than that the their theirs them themselves then there these they this
    those through to too under until up very was wasnt we were werent what when where which while
    who whom why will with wont would wouldnt you your yours yourself yourselves s t
    """.split()
)
# Words of asking: they say what is wanted of the memory, not what it is about.
ASKING = frozenset(
    """
    suggest suggestion recommend recommendation tell list show remind summarize summary mention
    mentioned say said discuss discussed talk talked describe explain know give provide please help
    ask asked remember recall based comprehensive different many much kind type considering overall
    """.split()
)
ASKING_PAIRS = frozenset(
    "告诉 请问 推荐 提到 说过 列出 知道 记得 哪些 哪个 什么 怎么 怎样 如何 多少 是否 为什".split()
)
CHINESE = frozenset(
    "的了是在我你他她它们这那哪什么怎吗呢吧啊呀哦嗯和与或也都就还又很个有没不到过着得地把被给对从为以及其之而但如果"
)
