"""What names look like: patterns of what is written in a way of its own, and lists of words."""

from __future__ import annotations

_EXTENSION = (
    "py|pyi|js|mjs|ts|tsx|jsx|java|go|rs|rb|php|c|cc|cpp|h|hpp|cs|kt|swift|sh|ps1|bat|sql|md|txt"
    "|rst"
    "|csv|tsv|jsonl?|ya?ml|toml|ini|cfg|conf|xml|html?|css|scss|vue|ipynb|pdf|docx?|xlsx?|pptx?|png"
    "|jpe?g|gif|svg|webp|mp3|wav|m4a|mp4|mov|mkv|zip|tar|gz|tgz|rar|7z|log|db|sqlite|parquet|epub"
    "|apk"
)
_LEFT, _RIGHT = r"(?<![A-Za-z0-9_])", r"(?![A-Za-z0-9_])"
_HAN = "\u4e00-\u9fff"

# Tried in this order at each place.
THINGS = {
    "url": r"(?:https?://|www\.)[^\s<>\"'`，。；！？）】》」”]{3,2000}",
    "quoted": (
        r"《[^《》\n]{1,60}》|「[^「」\n]{1,60}」|『[^『』\n]{1,60}』|“[^“”\n]{1,60}”"
        r"|(?<!\w)\"[^\"\n]{1,60}\"(?!\w)|`[^`\n]{1,80}`"
    ),
    "email": r"(?<![\w.+-])[A-Za-z0-9._+-]{1,64}@[A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{1,63}){1,4}",
    "handle": (
        r"(?<![\w.])@(?:[A-Za-z_][A-Za-z0-9_.-]{0,37}[A-Za-z0-9_]"
        rf"|[{_HAN}]{{2,4}}(?![{_HAN}]))"
    ),
    "path": (
        r"(?<![A-Za-z0-9_/.~:])(?:~|\.{1,2})?(?:/[\w.@-]{1,64}){2,12}|(?<![\w/.])~/[\w.-]{1,64}"
        r"|(?<![A-Za-z])[A-Za-z]:\\[^\s\"'<>|，。]{1,200}"
    ),
    "file": (
        r"(?<![A-Za-z0-9_./-])(?:[A-Za-z0-9_.-]{1,64}/){0,8}[A-Za-z0-9_-][A-Za-z0-9_.-]{0,63}"
        rf"\.(?:{_EXTENSION}){_RIGHT}(?!\.\w)"
        rf"|(?<![{_HAN}A-Za-z0-9_])[{_HAN}][{_HAN}0-9_-]{{0,20}}\.(?:{_EXTENSION}){_RIGHT}"
    ),
    "product": (
        rf"{_LEFT}[A-Z][A-Za-z+#]{{1,20}}[ -]v?\d{{1,4}}(?:\.\d{{1,4}}){{1,3}}{_RIGHT}"
        rf"|{_LEFT}[A-Z][A-Za-z]{{1,15}}-\d{{1,6}}(?:\.\d{{1,3}})?[a-z]?{_RIGHT}"
    ),
    "version": (
        rf"(?<![A-Za-z0-9_.])(?:v\d{{1,4}}(?:\.\d{{1,6}}){{1,3}}|\d{{1,4}}(?:\.\d{{1,6}}){{2,3}})"
        rf"(?:[-.]?(?:alpha|beta|rc|dev|post)\.?\d{{0,4}})?{_RIGHT}(?!\.\d)"
    ),
    "identifier": (
        rf"{_LEFT}(?:[A-Za-z][A-Za-z0-9]{{0,40}}(?:_[A-Za-z0-9]{{1,40}}){{1,8}}"
        r"|[a-z]{2,20}(?:[A-Z][a-z0-9]{1,30}){1,8}|(?:[A-Z][a-z0-9]{1,30}){2,8}"
        r"|[a-z]{1,3}[A-Z][a-z]{2,20}"
        r"|[A-Z][a-z]{1,20}[A-Z]{1,4}|[A-Z]{2,8}[a-z]{2,20}"
        r"|[A-Za-z_]\w{0,40}(?:\.[A-Za-z_]\w{0,40}){0,4}(?=\(\)))"
        rf"{_RIGHT}(?:\(\))?"
    ),
    "acronym": rf"{_LEFT}(?:[A-Z]{{2,8}}\d{{0,4}}|[A-Z]\d{{2,5}}){_RIGHT}",
}
NOT_THINGS = frozenset(
    "ok am pm faq todo fyi asap btw lol omg etc ps vs id it us tv no yes so hi node.js"
    " vue.js next.js react.js three.js d3.js express.js".split()
)

NAMES = (
    r"(?<![A-Za-z0-9_@/.'’-])[A-Z][a-zà-öø-ÿ]{1,30}(?:['’-][A-Za-z][a-z]{0,20}){0,2}"
    r"(?: (?:(?:of|de|da|del|van|von|der|den|la|le|the|al|bin) ){0,2}"
    r"[A-Z][a-zà-öø-ÿ]{1,30}(?:['’-][A-Za-z][a-z]{0,20}){0,2}){0,5}(?![A-Za-z0-9_])"
)
PARTICLES = frozenset("of de da del van von der den la le the al bin".split())
# What is written with a capital but is no name: words that begin sentences, days, months.
COMMON = frozenset(
    "a about after again all also although always am an and another any anyone are as ask"
    " at be because been before between both but by call can could dear did didn't do does"
    " doesn't don't during each either even ever every everyone everything find first for"
    " from give go good got great had has have having he hello help her here hers hey hi his"
    " how however i i'd i'll i'm i've if in into is isn't it it's its just keep know last"
    " later let let's like look make many may maybe me more most much my need never next no"
    " nobody none not nothing now of off ok okay on once one only or other our ours out over"
    " people perhaps please really remember remind same say see send several she should show"
    " since so some someone something sometimes soon sorry still such sure take tell than"
    " thank thanks that that's the their them then there there's these they they're thing"
    " this those though through thus to today together tomorrow tonight too translate try"
    " two under until up us use very wait want was we we'd we'll we're we've welcome well"
    " were what what's when where where's whether which while who who's whom whose why will"
    " with without won't would write yeah yes yesterday yet you you'd you'll you're you've"
    " your yours mr mrs ms dr prof monday tuesday wednesday thursday friday saturday sunday"
    " january february march april june july august september october november december jan"
    " feb mar apr jun jul aug sep sept oct nov dec mon tue wed thu fri sat sun".split()
)

SURNAMES = (
    "赵钱孙李周吴郑王冯陈褚卫蒋沈韩杨朱秦许何吕张孔曹严华金魏陶姜谢邹窦章苏潘葛范彭鲁韦马"
    "苗方俞袁柳鲍唐费薛雷贺倪汤罗郝毕邬傅卞康伍余顾孟黄萧尹姚邵汪祁毛戴宋庞熊纪舒屈董梁杜"
    "阮蓝季贾江童颜郭梅林钟徐邱骆高夏蔡田樊胡凌霍万柯卢莫房丁邓洪包石崔龚程裴陆荣曾侯宁龙"
    "叶黎白蒲赖卓欧肖刘吉闫涂"
)
_SURNAME = f"[{SURNAMES}]"
_END = rf"(?=$|[^{_HAN}A-Za-z0-9]|[的是在和跟与说去来了呢吗吧也都有要会给把被就很还又叫让问写做发])"
TITLES = (
    "老师|经理|医生|教授|先生|女士|小姐|博士|师傅|同学|律师|阿姨|叔叔|主任"
    "|总(?![结体计共是部监之会])"
)
CHINESE_NAMES = (
    # I am called, her name is: then any name will do.
    rf"(?:名字|小名|外号|昵称)(?:叫|是)做?([{_HAN}]{{2,4}})(?=$|[^{_HAN}])",
    rf"(?:[我你他她它]|[猫狗儿女弟妹哥姐子友师]|同事|项目"
    rf"|公司)(?:的名字)?叫做?(?![什啥我你他她它做]|外卖|车|醒)([{_HAN}]{{2,4}})"
    rf"(?=$|[^{_HAN}])",
    rf"(?:我|[他她]|名|同事|朋友|老板|客户|人)叫做?({_SURNAME}[{_HAN}]{{1,2}}?){_END}",
    # With, for, and a surname, then a word that ends a name.
    rf"(?:[和跟与给找问约见]|同事|朋友|老板|客户|同学|室友)({_SURNAME}[{_HAN}]{{1,2}}?)"
    rf"(?=$|[^{_HAN}A-Za-z0-9]|一起|[的说聊去来在讨吃开见要有发约商谈做])",
    rf"({_SURNAME}(?:(?!的)[{_HAN}]){{0,2}}?(?:{TITLES}))",
    rf"(?<![{_HAN}])([老小阿](?![高方程白毛金龙马万]){_SURNAME}){_END}",
    rf"[和跟与给找问约见]([老小阿](?![高方程白毛金龙万]){_SURNAME}){_END}",
)
NOT_NAMES = frozenset(
    "黄金 高兴 马上 方便 周末 周一 周二 周三 周四 周五 周六 周日 金融 白天 万一 江苏 江西"
    " 石油 高中 方案 方法 方面 方向 程序 程度 安装 华为 毛病 康复 高级 高效 白色 黄色 蓝色"
    " 金额 金钱 钱包 钱财 许多 何时 何人 严重 严格 苏州 温度 田野 林业 石头 包括 包装 包子"
    " 龙虾 叶子 白菜 毛巾 高铁 高考 马路 江湖 房子 房间 夏天 金属 周期 周围 周年 时间 余额"
    " 余下 计划 宁愿 章节 范围 纪念 纪律 季度 曾经 连接 万分 顾客 顾虑 夏季 雷达 汤圆 梅花"
    " 童年 童话 颜色 颜值 贺卡 费用 费率 水平 单位 任务 成功 常见 安全 路径 平台 文件 黑白"
    " 高低 高度 白酒 洪水 石墨 荣誉 荣幸 舒服 舒适 屈服 伍佰 陆地 侯车 包裹 包含 高山 田地".split()
)
