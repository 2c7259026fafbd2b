"""The words the gate listens for, in Chinese and in English, all in lower case.

They are plain words, not patterns: finding them needs nothing compiled and is as fast as can be.
"""

from __future__ import annotations


def _words(text: str) -> tuple[str, ...]:
    """Words parted by bars and line ends, the longest first so that it is the one reported."""
    words = {word.strip() for line in text.splitlines() for word in line.split("|")}
    return tuple(sorted(filter(None, words), key=lambda word: (-len(word), word)))


def _english(text: str) -> tuple[str, ...]:
    """The same, each between spaces, to be looked for in words between spaces."""
    return tuple(f" {word} " for word in _words(text))


_WEEKDAYS = "monday|tuesday|wednesday|thursday|friday|saturday|sunday".split("|")
_MONTHS = (
    "january|february|march|april|may|june|july|august|september|october|november|december"
).split("|")
_PEOPLE = (
    "妈|爸|爷爷|奶奶|老婆|老公|妻子|丈夫|儿子|女儿|孩子|老板|同事|朋友|室友|男友|女友|家".split("|")
)
_THINGS = "公司|团队|电脑|手机|服务器|项目|博客|网站|仓库|车|猫|狗|生日|邮箱|地址|电话".split("|")

# What refers to the one who speaks, to the two together, or to what was said.
PRONOUNS = _words(
    """
    我的|我之前|我以前|我上次|我说过|我提过|我讲过|我跟你|我和你|我告诉过|我给你|我发给|我发过
    我发的|我传给|我传的|我叫|我们|咱们|咱俩|你记得|你还记得|记得|记不记得|你说过|你之前|你忘了
    你答应|你推荐过|你建议过|你给我的|提醒我|回忆|那张|那份|那篇|那次|那封|那位|那家|那本|那台
    那笔|那条
    """
    + "|".join(f"我{word}" for word in _PEOPLE + _THINGS)
)
PRONOUNS_EN = _english("""
    my|mine|we|we're|we've|we'd|we'll|our|ours|i've|remember|recall|remind|forgot|did i|do i
    have i|had i|i said|i told|i mentioned|i asked|i sent|i gave|i shared|i uploaded|i saved
    i wrote|i made|i used|i chose|i picked|i decided|i set|i was|i had|you said|you told
    you mentioned|you suggested|you recommended|you promised|you wrote|you gave|you made
    you showed|you forgot
""")
TIMES = _words("""
    上次|上回|上一次|之前|以前|先前|刚才|刚刚|昨天|昨晚|昨日|昨夜|前天|前几天|前两天|那天|上周
    上星期|上个星期|上礼拜|上个礼拜|上月|上个月|上个季度|去年|前年|最近|近期|历史|当时|当初|曾经
    那时|早些时候|老规矩|照旧|老样子|往常
""")
TIMES_EN = _english(
    """
    yesterday|earlier|previously|previous|recently|lately|the other day|back then|back when
    used to|as usual|as always|history|so far|a while ago|long ago|days ago|day ago|weeks ago
    week ago|months ago|month ago|years ago|year ago|hours ago|hour ago|minutes ago|past few
    last few|past couple|last couple|past week|past month|past year|last time|last week
    last weekend|last month|last year|last night|last quarter|last summer|last spring|last fall
    last autumn|last winter|last session|last conversation|last meeting
    """
    + "|".join(f"last {word}" for word in _WEEKDAYS + _MONTHS)
)
TASTES = _words("""
    喜欢|偏好|偏爱|讨厌|不爱|爱吃|爱喝|过敏|忌口|习惯|设置|设定|配置|密码|口令|账号|账户|帐号|密钥
    默认|推荐
""")
TASTES_EN = _english("""
    prefer|prefers|preferred|preference|preferences|favorite|favourite|favorites|favourites|i like
    i love|i hate|i dislike|likes|dislikes|setting|settings|setup|config|configs|configure
    configured|configuration|password|passwords|passphrase|credential|credentials|api key|api keys
    default|defaults|usual|usually|habit|habits|allergic|allergy|allergies|username|recommend
    recommendation|recommendations
""")
DAYS_EN = _english("|".join(_WEEKDAYS))
MONTHS_EN = _english("|".join([*_MONTHS, *(name[:3] for name in _MONTHS), "sept"]))

QUESTIONS = _words("""
    什么|啥|怎么|咋|为何|谁|多少|多久|多大|几个|几次|几点|几号|几天|几月|几岁|几年|几台|几位|几时
    吗|呢|是否|有没有|是不是|能不能|会不会|要不要|对不对|好不好|如何|何时|哪个|哪些|哪里|哪儿|哪天
    哪一|哪年|哪位|哪种|哪家|哪张|哪份|哪台|哪边|哪款|哪条|哪部|哪本|几分|几周|几人
""")
# Of these, those that ask for a figure, a date, a place or a name.
FIELDS = _words("""
    谁|多少|多久|多大|几个|几次|几点|几号|几天|几月|几岁|几年|几台|几位|几时|何时|什么时候|哪个|哪些
    哪里|哪儿|哪天|哪一|哪年|哪位|哪种|哪家|哪张|哪份|哪台|哪边|哪款|哪条|哪部|哪本|几分|几周|几人
""")
FIELDS_EN = _english("""
    who|whose|whom|when|where|which|how many|how much|how often|how long|how old|how far|what day
    what date|what time|what year|what month
""")
ASKING = frozenset("what when where who whom whose which why how".split())
AUXILIARIES = frozenset(
    "did do does is are was were can could should would will have has am isn't aren't didn't"
    " don't doesn't haven't hasn't wasn't can't couldn't".split()
)
SUBJECTS = frozenset("i you we they he she it there".split())
ALL_SUBJECTS = SUBJECTS | frozenset("my our your this that these those the any anyone".split())
INDIRECT = tuple(
    f" {lead} {question_word} "
    for lead in (
        "know",
        "remind me",
        "tell me",
        "wonder",
        "wondering",
        "sure",
        "idea",
        "figure out",
    )
    for question_word in sorted(ASKING)
)

EXTENSIONS = (
    "py pyi js mjs ts tsx jsx java go rs rb php c cc cpp h hpp cs kt swift scala sh bash zsh"
    " ps1 bat sql md txt rst csv tsv jsonl json yaml yml toml ini cfg conf env xml html htm"
    " css scss less vue svelte ipynb pdf docx doc xlsx xls pptx ppt png jpeg jpg gif svg webp"
    " bmp mp3 wav m4a mp4 mov avi mkv zip tar gz tgz rar 7z log db sqlite parquet lock psd"
    " epub apk exe dmg iso"
).split()
NOT_FILES = frozenset(
    "node.js vue.js next.js react.js three.js d3.js express.js nuxt.js angular.js ember.js"
    " chart.js p5.js discord.js alpine.js".split()
)
BARE_FILES = ("readme", "makefile", "dockerfile", ".gitignore", ".env")

ORDERS = _words("""
    写|翻译|译成|总结|概括|归纳|生成|创建|新建|实现|解释|讲解|介绍|润色|改写|改成|修改|优化|重构
    运行|跑一下|执行|打开|关闭|停止|删除|删掉|列出|列一|列个|画|设计|做个|做一|计算|算一下|算下
    转换|转成|格式化|检查|修复|修一下|加个|加一|加上|添加|换成|替换|补全|补充|调试|测试|部署|安装
    编写|起草|草拟|拟个|拟一|校对|缩短|扩写|压缩|分析|比较|对比|排序|合并|拆分|重命名|导出|保存
    发送|提交|推送|讲个|讲一|说个|唱|输出|复制|清空|整理|重写|编个|编一|出个|出一|出道|取个|起个
    把|将
""")
LOOKUPS = _words("问|找|查|看|告诉|回忆|提醒|搜|想|教")
ORDERS_EN = frozenset(
    "write translate summarize summarize generate create make build implement explain"
    " describe fix refactor optimize optimize rewrite rephrase paraphrase polish proofread"
    " edit convert format run execute open close stop delete remove list draw design calculate"
    " compute check add replace rename debug test deploy install draft compose shorten expand"
    " compress analyze analyze compare sort merge split export save send commit push print"
    " output define solve clean improve simplify turn change update move copy insert append"
    " download start restart render plot reformat correct extract count reverse act pretend"
    " imagine review complete finish use sing give put set rebuild read convert".split()
)
# Of these, those that say what is to be explained as a question.
EXPLAINING = frozenset("解释 讲解 介绍 列出 总结 概括 归纳".split())
# Those that are nouns as well, and the words that show that they are verbs.
NOUNS_EN = frozenset(
    "build fix format run open close stop list design check debug test deploy draft sort merge"
    " split export save commit push print output change update move copy download start restart"
    " plot extract count reverse act review use set read install".split()
)
OBJECTS_EN = frozenset(
    "a an the this that these those it its them me us my our your his her their him some any all"
    " each every both one two three four five ten to everything".split()
)
STORIES_EN = ("tell me a ", "tell me an ", "tell me another ", "show me a ", "show me an ")
HANDLERS = _words("""
    翻译|译成|润色|改写|校对|总结|概括|扩写|缩写|translate|summarize|summarize|proofread|polish
    paraphrase|rephrase|rewrite|correct
""")

_NODS = _words("""
    好|好的|好啊|好呀|好吧|好嘞|好滴|行|行吧|行啊|可以|可以的|可以了|嗯|哦|噢|喔|对|对的|是|是的
    没错|没问题|没事|继续|请继续|继续吧|确认|确定|同意|收到|明白|明白了|知道了|了解|了解了|懂了
    谢谢|谢谢你|谢谢您|谢了|多谢|感谢|非常感谢|辛苦了|辛苦|不用|不用了|不是|不要|不客气|算了|再见
    拜拜|你好|您好|早上好|下午好|晚上好|早|晚安|哈|嘿|呵|太好了|太棒了|真棒|完美|不错|很好|非常好
    厉害|赞|开始|开始吧|下一步|下一个|停|停止|取消|重试|再试一次|再来一次|再来一个|就这样|先这样
    那就这样|搞定|完成|完成了|没有了|没什么了|没什么|吧|了|啦|啊|呀|的|就这么办|按你说的做|听你的
    记住了|记下了|已记下|记下来了|noted|没有|暂时没有|不需要|不必了|随便|都行|都可以|ok|okay|k|kk|yes|yep|yeah|yup|no|nope|nah|sure
    sure thing|thanks|thank you|thx|ty|cheers|great|good|nice|cool|perfect|awesome|excellent
    amazing|got it|i see|understood|right|correct|exactly|agreed|done|continue|go on|go ahead
    proceed|next|next one|confirm|confirmed|approve|approved|sounds good|looks good|lgtm|fine
    all good|never mind|nevermind|no problem|np|hi|hello|hey|there|bye|goodbye|good morning
    good night|good evening|good afternoon|ha|haha|hahaha|lol|wow|please|stop|cancel|retry
    try again|carry on|keep going|will do|makes sense|of course|absolutely|definitely|very much
    so much|a lot|that's all|that's it|for now|you too|welcome|you're welcome|that works
    works for me|it works|very good|well done|good job|great job|nice work|love it|then|oh|ah
    no worries|no thanks|not now|maybe later|yes please|that's fine|that's right|and
""")
NODS = {
    first: tuple(word for word in _NODS if word[0] == first)
    for first in {word[0] for word in _NODS}
}
