"""The vocabulary of quoting, in English and Chinese: nouns of text, verbs of working on a text,
verbs of speech, and the words that keep a list the speaker's own. All as sources of patterns.
"""

from __future__ import annotations

_NOUNS_EN = (
    r"(?:e-?mails?|mail|texts?|articles?|documents?|docs?|files?|messages?|letters?"
    r"|(?:web ?)?pages?"
    r"|web ?sites?|transcripts?|transcription|logs?|post(?:s|ing)?|reviews?|paragraphs?|contents?"
    r"|excerpts?|passages?|snippets?|code|reports?|contracts?|chats?|conversations?|threads?"
    r"|tickets?|tweets?|comments?|outputs?|results?|story|stories|speech|drafts?|prompts?|resume"
    r"|cv|lyrics|poems?|sentences?|phrases?|quot(?:e|es|ation|ations)|newsletter|minutes|readme"
    r"|handbook|policy|policies|notices?|ads?|adverts?|voicemail|sms|observations?|attachments?"
    r"|sources?|titles?|url|screenshots?|photos?|captions?|release notes|changelog|spec|manual"
    r"|description|bio|abstract|summary|blurb|wiki|blog|notes\.\w+|fax|memo|press release|flyer"
    r"|leaflet|announcement|statement|essay|chapter|book|script|input|payload|response|reply"
    r"|answer from|resource|invoice|scan|clipping|text message)"
)
_NOUNS_ZH = (
    r"(?:邮件|来信|信件|这封信|文件|文档|文章|内容|原文|正文|文本|文字|段落|(?:这|那)?段话?|话"
    r"|句子?|消息|短信|微信|聊天记录|对话|日志|报告|合同|网页|页面|网站|官网|帖子?|评论|新闻|资料"
    r"|材料|附件|公告|通知|简历|代码|稿子?|译文|歌词|诗|纪要|记录|启事|广告|说明书|手册|搜索结果|结果"
    r"|返回|输出|公众号|推文|留言|书|论文|摘要|作文|故事|台词|字幕|截图|图片|照片|来源|出处|引文|知乎"
    r"|维基|百科|转发|备忘录|通告|传单|条款|协议|声明)"
)
TEXT_NOUN = rf"(?:\b{_NOUNS_EN}\b|{_NOUNS_ZH})"
# What is asked of a text that somebody gives.
_WORK_EN = (
    r"(?:translat(?:e|ing)|summari[sz](?:e|ing)|sum(?:ming)? up|rewrite|rephrase|reword|paraphrase"
    r"|proof-?read|polish|edit|shorten|condense|analy[sz]e|explain|parse|classify|review|extract"
    r"|transcribe|convert|repeat|read|check|look at|go through|have a look at|answer|respond to"
    r"|reply to|critique|fact-?check|spell-?check|simplify|format|outline|turn|tl;?dr|interpret"
    r"|correct|fix|comment on|evaluate|grade|render|see|consider|make of|think (?:of|about))"
)
_WORK_ZH = (
    r"(?:翻译|译成|译为|润色|改写|改成|改得|改一下|改改|总结|概括|归纳|校对|纠正|分析|检查|扩写|缩写|续写"
    r"|仿写|解释|回复|回一下|怎么回|看看|看一下|看下|读一下|读读|整理|提炼|点评|评价|精简|缩短|纠错"
    r"|处理|识别|审阅|审一下)"
)
WORK = rf"(?:\b{_WORK_EN}\b|{_WORK_ZH})"
# How somebody else's words reach the speaker.
_CAME_EN = (
    r"(?:got|received|found|saw|copied|pasted|pasting|sent|forwarded|shared|posted|read|heard"
    r"|attached|downloaded|screenshotted|came across|quoted|quoting|came in)"
)
_CAME_ZH = (
    r"(?:收到|看到|读到|听到|复制|粘贴|摘自|摘录|转自|转发|来自|发来|发给|发了|发的|传来|寄来|转给|附上"
    r"|识别出|贴一下|贴上)"
)
CAME = rf"(?:\b{_CAME_EN}\b|{_CAME_ZH})"
_SPEECH_EN = (
    r"(?:sa(?:id|ys|y)|wr(?:ote|ites)|told (?:me|us|him|her|them)|repl(?:ied|ies)|texted|tweeted"
    r"|messaged|emailed|answered|asked|announce[ds]|stat(?:ed|es)|reads|goes|claims?|claimed"
    r"|insists?|insisted|explain(?:ed|s)|according to|quotes?|commented|shouted|whispered|added)"
)
_SPEECH_ZH = (
    r"(?:说|说道|写道|写着|写的是|写|表示|回复|回我|问|讲|告诉我|原话是?|原话|介绍|指出|提到|宣布|声称|称"
    r"|要求|规定|显示|喊|据.{1,12})"
)
SPEECH = rf"(?:\b{_SPEECH_EN}\b|{_SPEECH_ZH}(?=[：:“「\"]|$))"
SELF_SPEECH = (
    r"(?:\b(?:i|we)(?:'ve|'d| have| had| just| already| also)*"
    r" (?:said|say|told|wrote|mentioned|asked|replied|answered|explained)\b"
    r"|(?<![帮替给请])我们?(?:刚才?|已经?|也|之前|早就|上面|前面)*"
    r"(?:(?:跟|对|和|给|向)[^，。：:]{1,6}?(?:说|讲|提|写)|告诉|(?:说|讲|提|写)(?:过|了|的|：|:|$))"
    r"|(?:上面|前面|刚才|之前)(?:我)?(?:说|讲|提)(?:过|到|了)|如上所述)"
)
FIRST_PERSON = r"(?:\b(?:i|i'm|i've|i'd|i'll|im|me|my|mine|myself|we|we're|our|us)\b|我|咱|本人|俺)"
# Heads of what the speaker lists himself: wishes, facts, reminders.
OWN_HEAD = (
    r"(?:\b(?:remember(?: th(?:is|at|ese))?|note(?: to self| that)?|reminders?|fyi|ps|p\.s\."
    r"|(?:\w+ )?rules?|decisions?|decided|updates?|correction|important|btw|intro|mind|memory"
    r"|agreed|my answer|verdict|set-?up|stack|environment|background|plans?|heads up|to-?dos?|name"
    r"|age|job|location|city|country|birthday|time ?zone|editor|os|deadlines?|facts?|preferences?"
    r"|requirements?|wishes|conditions?|constraints?|goals?|habits?|instructions?|guidelines?"
    r"|points?|things?|about (?:me|us|myself)|keep (?:this )?in mind|schedule|routine|budget"
    r"|allerg(?:y|ies)|kids|children|family|hobbies|likes?|dislikes?|hate|love|want|need|prefer"
    r"|languages?|style|tone|tools?|devices?)\b"
    r"|记住|记一下|记下|记录一下|备注|注意|规则|决定|结论|更正|更新|补充|提醒|重要|约定|要求|原则|姓名|名字"
    r"|职业|生日|所在地|城市|时区|编辑器|系统|截止日期|方案|情况|环境|配置|技术栈|偏好|记得|备忘|另外|关于我"
    r"|安排|几点|事项|习惯|爱好|喜好|目标|预算|条件|需求|孩子|家人|兴趣|忌口|过敏|如下要求)"
)
FILLER = (
    r"(?:ok(?:ay)?|so|well|hi|hey|hello|right|alright|now|also|and|but|anyway|yes|no|thanks|sure"
    r"|here goes|here we go|好的?|那|嗯|对了|是这样的?|你好|哈喽|行|另外|还有|首先|其次|最后|总之)"
)
# Words of standing orders and of claims: what a text that ends in a question must not have, to
# count as the speaker's own request behind a text that was given.
CLAIMS = (
    rf"(?:{FIRST_PERSON}|\b(?:always|never|from now on|remember|whenever|every time|in future"
    r"|rules?|must|do not|don't|user'?s?|owner'?s?)\b|以后|今后|从现在|永远|一律|务必|记住|每次"
    r"|用户|主人"
    r"|规则|必须|不要|不得|禁止|名字)"
)
MAIL_HEADER = (
    r"(?:from|to|cc|bcc|sent|date|subject|reply-to|received|message-id|发件人|收件人|抄送|密送|主题"
    r"|日期|发送时间|时间|寄件者|收件者|主旨|寄件日期|回复给|发送日期)"
)
FORWARDED = (
    r"(?:begin forwarded message|forwarded (?:message|by|mail|from)|original (?:message|mail)|fwd?:"
    r"|fw:|reply above this line|原始邮件|原邮件|转发(?:的)?(?:邮件|消息|信息)?[：:】\]]|转发邮件"
    r"|转发消息|转寄|邮件原文[：:])"
)
ROLE = (
    r"(?:user|assistant|system|human|ai|bot|model|chatgpt|claude|gpt|agent|developer|tool|function"
    r"|用户|助手|系统|机器人|客服|人类|智能体|模型)"
)
# Questions that make sense only of a text that stands there.
JUDGE = (
    r"(?:^\W*(?:thoughts|opinions?|any thoughts|what do you think|your take|true|right|legit|scam"
    r"|real|spam|who (?:sang|wrote|said) (?:this|that|it))\W*$"
    r"|\bis (?:this|it|that) (?:an? )?(?:\w+ )?(?:scam|legit|legitimate|true|real|spam|phishing"
    r"|correct|accurate|right|ok|okay|safe|fair|fake|ai|joke)\b"
    r"|\bwhat(?:'s| is| does| do) (?:this|it|that|the above|these)(?: \w+)?"
    r" (?:mean|say|saying|about)\b"
    r"|什么意思|是真的吗|靠谱吗|是不是真的|你怎么看|通顺吗|有没有(?:错|问题)|有什么问题|对不对|对吗\W*$)"
)
