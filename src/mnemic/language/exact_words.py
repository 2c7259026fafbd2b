"""The words exact questions are asked with, in Chinese and in English, as patterns."""

from __future__ import annotations

_BE = r"(?:did|do|does|was|were|is|are|am|have|has|had|will|would|should)"
_WHO = r"(?:i|you|we|he|she|they)"
_COUNTED = "次回遍个条张份篇本位件封只种部家台款场杯顿趟人"  # say nothing of what is counted
# What stands after 几 or 多少 where a time or an amount is asked for, which no count answers.
_AMOUNT = (
    r"(?:[乎何率许经点号月日岁时年天周秒代度钱块元角斤克吨米里升步倍折分百千万亿十]|个?(?:月|小时|星期"
    r"|礼拜|钟头|世纪)|公里|公斤|平|厘|毫|千|兆)"
)
_MEASURES = (
    "节门首道集章页行段句座栋间双对副套瓶盒包箱袋碗盘片支根把颗粒朵棵头匹艘架辆堂幅笔批组项届期轮局"
)
_NOUN = r"(?=[一-龥])(?![了吗呢啊呀吧来])"
_SOME = r"(?<![好这那前后近十百千第没头上])几"
_FILE_ZH = (
    r"(?:文件(?![系夹格名类])|文档|照片|图片|相片|截图|视频|录音|音频|附件|表格|幻灯片|发票|合同"
    r"|简历"
    r"|报告|图(?![书标形])|pdf|ppt|excel|word)"
)
_FILE_EN = (
    r"(?:file|pdf|photo|picture|pic|image|screenshot|document|doc|spreadsheet|slide|presentation"
    r"|video|recording|attachment|invoice|contract|resume|report|zip|csv)s?\b"
    r"(?! (?:format|system|size|type|extension|manager|editor)s?\b)"
)
_SENT = (
    r"(?:sent|shared|uploaded|attached|gave|showed|made|wrote|created|saved|generated|drew|took"
    r"|emailed|posted|got)\b"
)
_LATER = (
    r"(?:week|weekend|month|year|night|time|quarter|summer|winter|spring|fall|autumn|name"
    r"|(?:mon|tues|wednes|thurs|fri|satur|sun)day)"
)
_DAY_ZH = (
    r"(?:什么时候|哪一?天|何时|几月几[号日]|几号|哪一?年|哪一?个月|几月份?|几点钟?|什么日期"
    r"|什么日子"
    r"|星期几|周几|多久(?:以|之)?前|多少天前)(?!都|也)"
)

QUESTION = (
    r"[?？]|\b(?:when|what|where|which|who|whose|how|did|do you)\b"
    r"|什么|哪|谁|多少|几|怎么|吗|呢|何时"
)
BARE_ORDER = (
    r"(?:the |my |our )?(?:very )?(?:last|first|most recent|latest) "
    r"|最后一[次回]|最近一[次回]|上一?[次回]|第一[次回](?!世界)|最早|最初|最新"
)
LAST_TIME = (
    r"\b(?:last|most recent|latest) time (?=\w)(?:that )?"
    rf"|\b{_WHO} last (?!{_LATER}\b)\w|\bmost recently\b|最后一[次回]|最近一[次回]|上一[次回]"
)
FIRST_TIME = (
    rf"\b(?:very )?first time\b|\b{_WHO} first (?!name\b)\w|(?:头|第)一[次回](?!世界)|首次|最早"
    rf"|最初"
)
COUNT = (
    r"\bhow many\b|\bhow often (?=(?:did|have|has|had)\b)|\bthe (?:total )?number of\b"
    rf"|多少(?!{_AMOUNT})(?=[一-龥])|(?:一共|总共|总计)[^，。]{{0,12}}(?:几|多少)"
    rf"|{_SOME}(?!{_AMOUNT})[一-龥](?=[^。！!]*[?？]|.{{0,6}}$)"
)
WHEN = (
    r"\b(?:what|which|what's the|what was the) (?:exact )?(?:day|date|year|month|time|weekday)\b"
    rf"|(?:^|[.!?,;:] |\b(?:and|but|so|exactly|ok|okay) )when (?:exactly )?(?:{_BE}\b)"
    rf"|\bwhen(?:'s|’s)\b"
    r"|\b(?:know|remember|recall|tell me|remind me|sure|forgot|forget|wonder) when\b"
    rf"|\bhow long ago\b|\bsince when\b|{_DAY_ZH}"
)
FILE = (
    rf"\b(?:which|what) {_FILE_EN}"
    rf"|\b(?:the|that|those) (?:[\w-]+ ){{0,3}}{_FILE_EN} (?:(?:that"
    rf"|which) )?{_WHO} (?:just )?{_SENT}"
    r"|\b(?:find|show me|send me|open|where's|where is|where are) (?:the|that|those|my) "
    rf"(?:[\w-]+ ){{0,3}}{_FILE_EN}"
    rf"|哪[一几]?[个张份些段本]?{_FILE_ZH}|那[一几]?[个张份些段本][^，。？?]{{0,8}}?{_FILE_ZH}"
    r"|[我你][^，。？?]{0,6}(?:发|传|给|分享|存|写|做|生成|拍)(?:给你|给我|过"
    r"|了)?的[^，。？?]{0,8}?"
    rf"{_FILE_ZH}"
)
LATEST = (
    r"\blast time\b|\b(?:the|my|our) (?:latest|most recent|newest)\b(?! (?:version|release))"
    rf"|\b(?:the|my|our) last (?!{_LATER}\b)[\w-]+ (?:that )?{_WHO}\b|上[次回](?!课|班)"
    rf"|最新的?(?!版|的版)"
)
EARLIEST = (
    r"\b(?:the|my|our) (?:very first|earliest|oldest)\b"
    rf"|\b(?:the|my|our) first [\w-]+ (?:that )?{_WHO}\b|一开始"
)

# All that asks, wherever it stands: what is left is what is asked about.
ASKING = (
    rf"\b(?:when|what|how long ago) {_BE} (?:the |my |our )?(?:very )?(?:last|first|most recent"
    rf"|latest) time(?: that)?\b"
    r"|\b(?:the |my |our )?(?:very )?(?:last|first|most recent|latest) time(?: that)?\b"
    rf"|(?<=\bi )last\b(?! {_LATER}\b)|(?<=\b(?:we|he) )last\b(?! {_LATER}\b)"
    rf"|(?<=\byou )last\b(?! {_LATER}\b)|(?<=\bthey )last\b(?! {_LATER}\b)"
    rf"|(?<=\bshe )last\b(?! {_LATER}\b)"
    r"|(?<=\bi )first\b|(?<=\bwe )first\b|(?<=\byou )first\b|(?<=\bthey )first\b|\bmost recently\b"
    rf"|\bhow many(?: times)?(?: {_BE}\b)?|\bhow often(?: {_BE}\b)?|\b(?:(?:what is|what's"
    rf"|what was) )?the (?:total )?number of\b"
    rf"|\b(?:on )?(?:what|which|what's the|what was the) (?:exact )?(?:day|date|year|month|time"
    rf"|weekday)\b"
    rf"(?: of the (?:week|month|year))?(?: {_BE}\b)?"
    rf"|\b(?:exactly )?when(?:'s|’s|(?: exactly)? {_BE}\b)?|\bhow long ago(?: {_BE}\b)?"
    rf"|\bsince when(?: {_BE}\b)?"
    r"|\b(?:which|what) files?\b|\b(?:the|my|our) (?:latest|most recent|newest|earliest|oldest"
    r"|very first|first|last)\b"
    rf"|(?:大概|到底|究竟)?(?:是|在)?{_DAY_ZH}(?:的|来着)?|(?:一共|总共|总计)"
    rf"|多少(?:[{_COUNTED}]|[{_MEASURES}]{_NOUN})?"
    rf"|{_SOME}(?!{_AMOUNT})(?:[{_COUNTED}]|[一-龥]{_NOUN})?"
    r"|最后一[次回]|最近一[次回]|上一[次回]|(?:头|第)一[次回](?!世界)|首次|上[次回]|最新的?(?!版)"
    r"|最早|最初|一开始"
    r"|哪[一几]?[个张份些段本]?文件|哪[一几]?[个张份些段本](?=图|照|文|p)|那[一几]?[个张份些段本]"
)
FRAME = (
    r"^(?:(?:hey|hi|ok|okay|so|and|but|well|please|pls|was|were|is|are|did|do|does|have|has"
    r"|had)\b,? ?)+"
    r"|^(?:(?:do|can|could|would) )?you (?:still )?(?:remember|recall|know|tell me|remind me|say"
    r"|find"
    r"|open|show me|send me)\b(?: me\b)?"
    r"|^(?:tell me|remind me|show me|send me|i forgot|i forget|i wonder|any idea|find|open(?= the"
    r"| that| my)|where is"
    r"|where's|where are|what is|what's|what was|what did|who did|where did|which)\b"
    r"|^(?:请问|麻烦|帮我|给我)|^(?:你|您)?(?:还)?(?:记得|记不记得|知道|知不知道|告诉我)"
    r"|^(?:找一?下|找|查一?下|查|发我|看看|打开|把)"
)
TAIL = (
    r"(?:来着|的时候|是|在|吗|呢|吧|啊|呀|了|的|发我|给我|发给我)+$"
    r"| (?:again|at|on|was|is|to me)$"
)

# A topic of these alone says nothing.
EMPTY = frozenset(
    "i it you we he she they me us the a an is are was were did do does that this there to of in on"
    " at for now today have has had 我 你 他 她 它 们 是 了 的 在 有 过 这 那 个 今 天 现 去"
    " 来".split()
)

# A question of these alone, beside a time, asks for whatever happened then.
OF_WHATEVER = frozenset(
    "a about activities activity all an and any anything are at be been busy can chat chatted"
    " could day did discuss discussed discussing do does doing done during else entries entry"
    " event events everything exactly for from gave get give go going got had happen happened"
    " happening have how i in is it keep kept list log logged me memories memory mention mentioned"
    " my note noted notes of off on our out please recap recall record recorded remember said say"
    " saying show so some something spend spent stuff summarise summarize summary talk talked"
    " talking tell that the then there thing things this time to told up us was we went were what"
    " whatever with you".split()
) | frozenset(
    "我你您咱们自己做干了什么啥些都哪事儿情发生过说聊谈讲天当那这有没无吗呢呀啊吧记录得的地忙里在"
    "是跟和与对给告诉提到及内容总结概括回顾一下列出所全部怎样如何活动安排话题日帮请看查找知道还关"
    "于况经历时候间来着想起共把能可以任曾会去要个点件又"
)
