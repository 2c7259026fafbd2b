"""What must not be learnt: questions, hypotheses, play, examples, orders about a given text."""

from __future__ import annotations

import re

_ORDER_EN = (
    r"(?:translate|summari[sz]e|rewrite|rephrase|paraphrase|proofread|polish|edit"
    r"|correct|fix|analy[sz]e|explain|parse"
    r"|classify|review|complete|continue|write|draft|compose|generate|create|make up"
    r"|convert|repeat|type|print|say"
    r"|give me|tell me|show me|render|format|transcribe|extract|check)"
)
_PAYLOAD = re.compile(
    rf"(?:(?:please|pls|can you|could you|help me|now|ok|hey|hi)[\s,]+)*{_ORDER_EN}\b[^.!?]*(?::|$)"
    r"|.{0,30}(?:翻译|译成|润色|改写|总结|概括|校对|纠正|分析|改一下|改成|检查|扩写"
    r"|缩写|续写|仿写|解释|写一|写个|写篇"
    r"|造句|例句|起草|朗读|生成|语法).{0,30}[：:]",
    re.I,
)
_PLAY = re.compile(
    r"\b(?:(?:print|output|echo|repeat|type|say|return) (?:exactly|verbatim|this"
    r"|the following|back)|pretend|imagine|you(?:'re| are) (?:the|an?|my) (?!best"
    r"|great|life|genius|right|good|star|legend|angel|amazing|awesome|real)|poem"
    r"|verse|haiku|my character|our campaign|d&d|role[- ]?play(?:ing)?|let's play"
    r"|in this (?:story|scenario|game)|act as|you are now"
    r"|suppose|assume|let's say|say you|hypothetically|in character|fictional|lyrics"
    r"|song goes|the (?:quote|poem|story|book|article"
    r"|email|letter|message|tweet|post) (?:says|reads|goes|is|starts|begins))\b"
    r"|\b(?:write|draft|compose) (?:me )?(?:an?|the|my) (?:\w+ ){0,4}(?:story|bio"
    r"|biography|email|letter|poem|song|dialogue|essay"
    r"|script|intro|introduction|profile|scene|monologue|speech|test|persona|character|novel)\b"
    r"|\b(?:here is|here's|below is|this is|i got|i received|i found|see) (?:an?|the"
    r"|my|this|what)?\s?(?:\w+ ){0,4}(?:email|letter|message|article|text"
    r"|transcript|log|review|story|example|sample|quote|paragraph|passage|snippet"
    r"|draft|lyrics|comment|post|output|ticket)\b[^.]*:"
    r"|你(?:现在|来)?(?:是|当|演)(?!不|我的|什么|谁|怎|说|在|对|最|否).{1,8}"
    r"[，,]\s?我(?:是|当|演)|这首(?:诗|歌)|诗(?:写|里)|作文|念白|扮演|角色扮演|假装"
    r"|假设|假定|想象一下|设想|剧本|台词|歌词|小说里|故事里|编(?:一?个|段)|模拟|写"
    r"(?:一?[篇个段封首份]|[篇个段封首份])"
    r"|(?:原样|照着?|逐字)(?:输出|打印|重复|念|抄)|以下是.{0,20}[：:]|下面是.{0,20}"
    r"[：:]|(?:邮件|文章|原文|信里|帖子|新闻|评论|聊天记录|书里|电影里)(?:里|中|上)?"
    r"(?:说|写|是|：)|第一人称",
    re.I,
)
_NOT_MEANT = re.compile(
    r"\b(?:suppose|what if|as if|as though|for example|for instance|e\.g\.|such as "
    r"when|wish|were i|had i"
    r"|assuming|provided that|in case|just kidding|jk|what could (?:possibly )?go "
    r"wrong|oh (?:great|joy|wonderful|lovely|sure|yeah|fantastic|perfect)|yeah,? "
    r"right|just what i needed|because that always|lol|haha|joking|kidding|in my "
    r"dream|i dreamt|i dreamed|once upon a time|according to"
    r"|says|said|told me|claims?|claimed|asked me|mentioned)(?![\w'])"
    r"|🙄|🤡|(?<=\s)/s$|呵呵|能出什么事|求之不得|我谢谢|可真行|真是太好了|太好了"
    r"[，,]?我|太棒了[，,]?我|据.{1,6}[说称讲]|.{1,3}说(?:他|她|自己)|比如|例如|譬如"
    r"|举个例子|打个比方|好比|就好了|多好|但愿|开玩笑|哈哈|逗你|骗你"
    r"|梦见|梦到|做梦|听说|据说|他说|她说|人家说|有人说|朋友说|同事说|老板说|妈妈?说"
    r"|爸爸?说|(?:他|她|朋友|同事|老板|客户|医生|妈|爸)(?:告诉|问)我|网上说|书上说"
    r"|说我|说自己|以为",
    re.I,
)
_CONDITION = re.compile(
    r"(?<![\w'])(?:if|unless)(?![\w'])(?! i (?:ask|say|tell))|如果|假如|假若|(?<!"
    r"[主只])要是|倘若|若是|万一|的话(?!题)",
    re.I,
)
_UNSURE = re.compile(
    r"\b(?:maybe|perhaps|probably|possibly|might|(?-i:may)|could|would (?!rather)"
    r"|not sure|i guess|i suppose|thinking (?:of|about)|considering"
    r"|planning|plan to|going to|gonna|want(?:ed)? to|hope|hoping|i'd (?!rather)"
    r"|we'd|almost|nearly|supposed to|about to|not yet|someday|one day)\b"
    r"|可能|也许|大概|或许|说不定|好像|似乎|不确定|没准|考虑|打算|计划|准备|想要"
    r"|想去|希望|差点|快要|将来|有朝一日|总有一天|犹豫|纠结",
    re.I,
)
_PAST = re.compile(
    r"\b(?:used to|once|back when|when i was|as a (?:kid|child|teenager)|in the past"
    r"|years ago|previously|formerly|before that"
    r"|in my (?:previous|last|old)|last (?:year|month|week|summer|winter)|ago|at "
    r"the time|back then|in (?:19|20)\d\d)\b"
    r"|以前|曾经|过去|\bbefore\b(?=[ \u4e00-\u9fff]*我)|那时候|小时候|当年|那时"
    r"|那会儿|早年|之前|上学时|大学时|年轻时|的时候|去年|前年|上个月|原来|原先|从前",
    re.I,
)
_WH = r"(?:what|when|where|who|whom|whose|which|why|how)(?:'s|'re|'d)?"
_AUXILIARY = (
    r"(?:do|does|did|is|are|was|were|am|can|could|should|would|will|shall|have|has"
    r"|had|may|might|isn't|aren't|don't|doesn't"
    r"|didn't|won't|can't|couldn't|shouldn't|wouldn't|haven't|hasn't)"
)
_ASKS_EN = re.compile(
    rf"(?:(?:and|but|so|or|ok|hey|hi|then|also|well|btw|please)[\s,]+)*(?:{_WH}\b(?! "
    r"(?:matters|i (?:need|want|like|love|mean)))"
    rf"|{_AUXILIARY} (?:i|you|we|they|he|she|it|there|my|our|your|this|that|the|any"
    r"|anyone|these|those)\b"
    r"|any (?:idea|suggestion|recommendation|tip|thought)s?\b|guess (?:what|where|who|how)"
    r"|(?:tell|remind|ask|show) me (?:what|when|where|who|which|why|how|if|about)\b"
    r"|do you|let me know)",
    re.I,
)
_ASKS_ZH = re.compile(
    r"吗|呢$|什么(?!都|也)|(?<!没)啥(?!都|也)|怎么(?!都|也|样都)|咋|为何|为什么|谁"
    r"(?!都|也)|多少|多久|多大|多远|几个|几次|几点|几号|几岁|哪(?!怕|都)|是否|有没有"
    r"|是不是|能不能|会不会|要不要|对不对|好不好|如何|何时|猜猜|请问|可不可以|行不行"
    r"|知道.{0,6}不|么$"
)
_SUBORDINATE = re.compile(r"(?:when|whenever|where|what|how|who) (?:you|i|we|it|the|my)\b", re.I)
_CONCLUDES = re.compile(r"(?:so|then|那么?|所以)\b|所以|那", re.I)
_ASK_MARK = re.compile(r"[?？]")
_TAGS = re.compile(
    r"(?:right|correct|yes|no|ok|okay|yeah|huh|eh|isn't it|don't i|aren't i|am i "
    r"right|is that right|remember|didn't i"
    r"|you know|got it|does that make sense|make sense)\??$"
    r"|(?:对吧|对吗|是吧|是吗|是不是|对不对|没错吧|记得吗|你知道吗|知道吗|好吗|行吗"
    r"|可以吗|懂吗|明白吗|记住了吗|好不好|行不行)$",
    re.I,
)
_AGREE = re.compile(
    r"(?:ok|okay|got it|make sense|does that make sense|好吗|行吗|可以吗|懂吗|明白吗"
    r"|记住了吗|好不好|行不行)\??$",
    re.I,
)
_IMPERATIVE = re.compile(
    r"(?:please |pls )?(?:write|translate|make|build|create|generate|refactor|fix"
    r"|explain|summari[sz]e|rewrite|implement|convert"
    r"|add|remove|rename|draft|draw|design|run|debug|test|deploy|install|show|list"
    r"|find|search|look|check|compare)\b"
    r"|(?:请|麻烦)?(?:你)?(?:帮我|给我|帮忙|替我)(?!记|留意)",
    re.I,
)


def opens_play(sentence: str) -> bool:
    """Whether what follows is a given text or make-believe, to the end of the message."""
    given = _PAYLOAD.match(sentence)
    payload = given is not None and given.group().endswith((":", "："))
    return payload or bool(_PLAY.search(sentence))


def not_meant(sentence: str) -> bool:
    """Whether a sentence is a hypothesis, a wish, a joke, an example, or says what others say."""
    return bool(_NOT_MEANT.search(sentence))


def conditional(clause: str) -> bool:
    """Whether a clause sets a condition, on which what follows it depends."""
    return bool(_CONDITION.search(clause))


def unsure(clause: str) -> bool:
    return bool(_UNSURE.search(clause))


def past(clause: str) -> bool:
    return bool(_PAST.search(clause))


def orders(clause: str) -> bool:
    """Whether a clause asks for one piece of work, so that how to do it is no lasting wish."""
    return bool(_IMPERATIVE.match(clause))


def told(text: str, clauses: tuple[str, ...]) -> tuple[str, ...]:
    """The clauses of a sentence that state something.

    In "I live in Rome, where can I eat?" the first one does; in "I live in Rome, right?" none.
    """
    marked = bool(_ASK_MARK.search(text[-3:]))
    last = clauses[-1] if clauses else ""
    if marked and _AGREE.match(last) and len(clauses) > 1:
        return clauses[:-1]
    if _TAGS.match(last) and (marked or not last.isascii()):
        return ()
    stated = tuple(
        clause
        for clause in clauses
        if not (asks(clause) and (marked or clause is last or not _SUBORDINATE.match(clause)))
    )
    if not marked:
        return stated
    if len(stated) == len(clauses) and _CONCLUDES.match(last):
        return stated[:-1]
    return stated if stated and stated[-1] != last else ()


def asks(clause: str) -> bool:
    return bool(_ASKS_EN.match(clause) or _ASKS_ZH.search(clause))
