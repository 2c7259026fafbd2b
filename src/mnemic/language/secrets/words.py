"""Words that tell a value from a description: "my password is sunshine", "my password is expired".

After "the password is" a sentence goes on with a state, a place, a number of characters or a
clause; a password stands there as a word that none of these lists has.
"""

from __future__ import annotations

import re

# A value does not start with one of them, and ends before one.
FUNCTION = frozenset(
    "a an the this that these those my your his her its our their mine yours hers ours theirs"
    " i you he she it we they me him us them who whom whose what which when where why how whether"
    " not no never always often only just also even still yet already now then again today tomorrow"
    " yesterday tonight soon later once twice here there very too so quite rather pretty really"
    " is are was were be been being am do does did done has have had having will would can could"
    " shall should may might must need needs ought in on at by for from of off to into onto with"
    " without within under over above below between behind beside near about against after before"
    " during since until till through across along around out up down as like than per via and or"
    " but nor if because though although while unless except and/or both either neither each every"
    " all any some none more most less least much many few several such same other another own one"
    " two three four five six seven eight nine ten zero something anything nothing everything"
    " someone anyone nobody somebody everyone somewhere nowhere currently please thanks maybe"
    " perhaps probably definitely actually basically apparently different similar using based don't"
    " doesn't isn't wasn't can't won't didn't it's that's i'm you're they're there's let's let"
    " almost nearly way far kind sort part half".split()
)
# Instructions that stand where a value would: "password: ask Maria".
VERBS = frozenset(
    "see ask contact check use try enter type choose pick create click visit refer look call email"
    " change reset forgot forget remember keep store send tell give get set make add remove update"
    " rotate generate hash encrypt verify confirm match matches works work fails fail failed needs"
    " requires require includes include contains contain consists equals means starts begins ends"
    " goes comes lives stands sits hides follows expires changes happens has".split()
)
STATES = frozenset(
    "required optional mandatory wrong right correct incorrect invalid valid expired weak strong"
    " secure insecure safe safer safest unsafe long longer short shorter complex simple easy hard"
    " difficult random secret private public confidential unique unknown known visible hidden empty"
    " blank missing present absent available unavailable ready active inactive enabled disabled"
    " good"
    " better best bad worse worst great fine okay ok terrible awful stupid silly dumb lame annoying"
    " ridiculous funny nice perfect obvious guessable predictable memorable strange weird odd new"
    " old older newer current temporary permanent default initial final main primary identical"
    " equal"
    " plain plaintext clear cleartext case-sensitive sensitive insensitive numeric alphanumeric"
    " alphabetic static dynamic cryptic generic basic standard normal usual special personal shared"
    " common universal global local remote internal external sent kept lost found shown stolen"
    " written given chosen broken made built taken gone held read put bound leaked saved set reset"
    " stuck stale dead true false yes no none null nil void undefined nan todo tbd unset n/a na"
    " pending due overdue free full open closed locked unlocked low medium high moderate fair"
    " necessary needed essential important crucial critical vital key text string numbers letters"
    " digits characters chars protected encrypted hashed salted masked censored required-field"
    " garbage rubbish nonsense useless pointless impossible possible likely unlikely sure unclear"
    " confusing different up down sorted solved fixed done over back online offline".split()
)
# What a compound with "password" or a sentence about passwords is made of.
SUBJECTS = frozenset(
    "reset policy policies manager managers protected protection field fields prompt hash hashes"
    " hashing strength rule rules recovery change changes generator fatigue hygiene sharing box"
    " input inputs length login logins list file files reuse security vault dialog screen page"
    " problem problems issue issues help tips leak leaks breach cracking spraying rotation"
    " requirement requirements auth authentication encryption hint hints column form forms"
    " validation entry storage expiry expiration complexity attack guessing resets keeper app apps"
    " character characters letter letters digit digits symbol symbols word words number numbers"
    " email mail account accounts user users username database server name names type types"
    " value values parameter param argument option setting settings label placeholder attribute"
    " property variable error errors message check checker checks test tests link url database"
    " minutes minute hours hour days day months month years year times time attempts attempt tries"
    " long business mistake idea thing stuff way question questions nightmare joke mess pain"
    " disaster"
    " hack method function class object instance model schema table row json yaml xml html api key"
    " token cookie session options flag flags arguments support entries prompts parameters".split()
)
# Types, algorithms and names of variables, in code and in settings.
TECHNICAL = frozenset(
    "str string text bytes byte any secretstr char varchar nvarchar object number int integer bool"
    " boolean none null nil undefined true false void required optional nullable readonly sensitive"
    " bcrypt scrypt argon2 argon2id argon2i pbkdf2 md5 sha1 sha256 sha512 sha hmac aes aes256 rsa"
    " base64 hex utf8 ascii unicode crypt plaintext plain hashed encrypted hidden masked redacted"
    " value val data raw input arg param new old pw pass passwd password pwd hash result user name"
    " cred creds credential credentials response request body form field self this cls env environ"
    " vault secret secrets token key prompt stdin stdout stderr file auto generated default random"
    " passwort kennwort contraseña contrasena clave senha wachtwoord motdepasse parola lösenord"
    " passord salasana haslo hasło пароль 密码 密碼 パスワード 비밀번호 口令 localhost unset empty"
    " confirm confirmation repeat again changeme foo bar baz".split()
)
# What may follow a value in the same sentence.
OPENERS = frozenset(
    "and but so if when because for in btw please ok okay thanks thank just dont don't do can could"
    " let i i'm i'll i've you we he she it it's that's this which since by without with as on at"
    " from until unless while though although or today yesterday tonight now again last lol haha"
    " :) :d ;) fyi".split()
)
_STATE_ENDINGS = re.compile(
    r"(?:[a-z]{3,}(?<!e)ed|[a-z]{4,}(?<!str)(?<!spr)ing|[a-z]{3,}(?:ous|ful|less|able|ible)"
    r"|[a-z]{4,}ive|[a-z]{2,}(?<!f)ly)$"
)
_NOUNS_ENDING_SO = frozenset(
    "darling morning evening wedding pudding starling duckling dumpling viking lightning family"
    " lily molly holly emily kelly sally billy bully jelly belly beverly italy july monopoly"
    " vegetable table cable marble olive hundred".split()
)


def is_state(word: str) -> bool:
    """Whether a word (in lower case) says how something is, instead of being its value."""
    return word in STATES or (
        _STATE_ENDINGS.match(word) is not None and word not in _NOUNS_ENDING_SO
    )


# Chinese characters that a value does not hold, words that it does not start with, and words of
# sentences about passwords.
_HAN_NEVER = re.compile(
    "[的了吗呢么谁哪怎被嘛啥们]|不(?:能|是|对|要|会|可|同|够|变|行|了|一)|没有|可以|需要|必须"
    "|应该|如果|什麼|多少"
    "|必填|选填|类型|字段|字符|数字|字母|随机|默认|自动|统一|加密|解密|明文|密文|隐私|安全|错误"
    "|正确|过期"
    "|公开|保密|强度|中等|图片|生日|手机号|身份证|姓名|名字|拼音|一样|相同|关键|基础|防线|开头"
    "|结尾|组合"
    "|生成|分配|设置|成功|失败|复杂|简单|密码|口令|验证|哈希|无效|有效|短信|邮件|邮箱|管理|问题"
    "|部分"
    "|系统|公司|工具|方式|方法|手段|东西|位数|大写|小写|特殊|符号|为空|空白|机密|初始|临时|永久"
    "|以前|原来"
)
_HAN_FIRST = re.compile(
    "[不没在由从可要需必会能应和与或我你您他她它这那有无是为把让给请如因所但而就都还也再又很太更最非已"
    "用以跟对别各每某几真假好坏旧新老]|一[个本种样串组段次]|个人|大家|早起|真诚|自己|怎|多"
)


def reads_as_han_value(phrase: str) -> bool:
    """Whether Chinese characters after 密码是 are the password and not a sentence about it."""
    return (
        2 <= len(phrase) <= 12
        and _HAN_FIRST.match(phrase) is None
        and _HAN_NEVER.search(phrase) is None
        and phrase[-1] not in "项值串型空错对位个次天年月里上中下内外处用存改换发锁吧啊"
    )
