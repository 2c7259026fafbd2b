"""PINs, door and alarm codes, one-time codes: short digits that what stands around them gives away.

"Code" alone names nothing ("the code is 404", "error code 4521"): it has to be the code of a lock
or of a check of who somebody is.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

Span = tuple[str, int, int]
NUMBER_WORD_HINTS = (" pin", " code")  # what a number in words may follow
HINTS = (
    *("code", "pin", "otp", "cvv", "cvc", "combo", "combination", "lock", "keypad", "2fa", "punch"),
    "authenticator",
)
_NUMBER_WORD = "(?:zero|oh|one|two|three|four|five|six|seven|eight|nine|double|triple)"
_NUMBER_WORDS = re.compile(rf"[ :](?:{_NUMBER_WORD}[ -]){{2}}{_NUMBER_WORD}", re.A)
_SOON = 80
_UNIT = (
    r"(?![0-9A-Za-z]|[.:,/][0-9]|-[0-9A-Za-z])(?![ ]?(?:%|characters?|chars?|digits?|lines?"
    r"|days?|times?|bytes?|bits?|points?|people"
    r"|euros?|eur|usd|dollars?|bucks|years?|hours?|minutes?|seconds?|km|mm|cm|ms|ports?|pins?)\b)"
)
_VALUE = (
    rf"(?P<value>[#*]?(?:G-)?(?:[0-9]{{3,10}}|[0-9]{{3}}[ -][0-9]{{3}}|[0-9]{{4}}-[0-9]{{4}}"
    rf"|[0-9]{{1,2}}(?:[- ][0-9]{{1,2}}){{2,5}}|[A-Z0-9]{{4}}(?:-[A-Z0-9]{{4}}){{1,5}}"
    rf"|{_NUMBER_WORD}(?:[ -]{_NUMBER_WORD}){{2,7}})[#*]?){_UNIT}"
)
_LOCKS = (
    r"(?:front[ -]?|back[ -]?|side[ -]?|main[ -]?)?(?:door|gate|entry|entrance|access|lock"
    r"|lockbox|unlock|garage|safe|keypad"
    r"|building|vault|locker|disarm|alarm|apartment|flat|elevator|storage(?:[ ]unit)?|gym|office"
    r"|shed|padlock|phone"
    r"|tablet|ipad|laptop|suitcase|bike|house|server[ ]room)"
)
_CHECKS = (
    r"(?:verification|confirmation|one[- ]time|login|log-in|sign[- ]?in|security|auth"
    r"|authentication|authenticator"
    r"|2fa|mfa|two[- ]factor|otp|sms|backup|recovery|activation)"
)
_LINK = (
    r"(?:['’]s|[ ](?:is|was|are|changed[ ]to|has[ ]changed[ ]to|will[ ]be|now[ ]is))?(?:[ ]"
    r"(?:now|still|just|currently|always))?"
    r"[:=]?[ ]{0,2}[\"'`“]?"
)
_OF = r"(?:[ ](?:for|to|of|on|at|they|from)[ ][^\n.:;=?0-9]{1,30}?)?"
_FRAMES = tuple(
    re.compile(pattern, re.I | re.A)
    for pattern in (
        # "the gate code at the office is 4471", "2FA code 663 120", "my PIN is 4821"
        rf"\b(?:{_LOCKS}|{_CHECKS})[ ](?:pin[ ])?codes?{_OF}{_LINK}{_VALUE}",
        rf"\bcode[ ](?:for|to)[ ](?:the[ ]|my[ ]|our[ ])?"
        rf"(?:\w{{1,12}}[ ]){{0,2}}?{_LOCKS}{_LINK}{_VALUE}",
        rf"(?<!gpio )(?<!header )\bpin(?:[ ](?:code|number))?{_OF}{_LINK}"
        rf"(?![0-9]{{1,3}}\b){_VALUE}",
        rf"\b(?:otps?|cvv2?|cvc2?|one[- ]time[ ]pass(?:word|code))(?:[ ]code)?{_OF}{_LINK}{_VALUE}",
        # "the combination to the safe is 12-34-56", "bike lock is 8-3-1-9", "keypad 4466"
        rf"\b(?:keypad|lockbox|padlock|combination|combo|passcode|(?:bike|door|suitcase"
        rf"|gym)[ ]lock){_OF}{_LINK}{_VALUE}",
        # "use 0451 to unlock my phone", "Enter 774120 as the security code"
        rf"\b(?:use|enter|punch[ ]in|key[ ]in|type(?:[ ]in)?|press|dial|input)[ ]"
        rf"(?:code[ ])?{_VALUE}[ ](?:to|at|on|for|into|as)[ ]"
        rf"[^.\n]{{0,24}}?\b(?:unlock|open|verify|log[ ]?in|sign[ ]?in|disarm|keypad|{_LOCKS}"
        rf"|{_CHECKS}[ ]code)\b",
        rf"\bunlocks?[ ](?:[a-z]{{1,8}}[ ]){{0,2}}with[ ]{_VALUE}",
        rf"\b{_LOCKS}[^.\n]{{0,24}}?[ ]use[ ](?:the[ ])?code[ ]{_VALUE}",
        rf"\bauthenticator(?:[ ]app)?[ ](?:shows|says|gives|has)[ ]{_VALUE}",
        # "290184 is your confirmation code", "5821 as the verification code"
        rf"(?<![0-9A-Za-z]){_VALUE}[ ](?:is|as)[ ](?:your|the|my|a)[ ]"
        rf"(?:[A-Za-z0-9]{{1,16}}[ ]){{0,2}}?"
        rf"(?:{_CHECKS}|{_LOCKS})[ ](?:code|pin)",
    )
)
# In a message about a lock or a check, "the code is" is enough.
_PLAIN = re.compile(
    rf"\b(?:the|your|new|entry)[ ]code(?:[ ]for[ ]\w{{1,16}}(?:[ ]\w{{1,16}})?)?{_LINK}{_VALUE}",
    re.I | re.A,
)
_ABOUT = re.compile(
    r"\b(?:unlock|keypad|lockbox|disarm|armed|verif(?:y|ication)|2fa|otp|do(?: not|n't) share|"
    r"(?:front|back|side) door|door|gate|garage)\b",
    re.I,
)
_MORE = re.compile(rf"(?:,|[ ]and|[ ]or|,[ ]and)[ ]{_VALUE}", re.A)


def spells_digits(folded: str, at: int) -> bool:
    """Whether digits are spelt out soon after this place of a text in lower case."""
    return _NUMBER_WORDS.search(folded, at, at + _SOON) is not None


def codes_in_number_words(text: str) -> Iterator[Span]:
    """Codes whose digits are spelt out soon after their name."""
    folded = text.lower()
    for hint in NUMBER_WORD_HINTS:
        at = folded.find(hint)
        while at >= 0:
            if spells_digits(folded, at):
                yield from spoken_codes(text)
                return
            at = folded.find(hint, at + 1)


def spoken_codes(text: str) -> Iterator[Span]:
    """Short codes that open something."""
    for frame in _FRAMES:
        for match in frame.finditer(text):
            yield "code", *match.span("value")
            if more := _MORE.match(text, match.end("value")):
                yield "code", *more.span("value")
    for match in _PLAIN.finditer(text):
        if _ABOUT.search(text, max(0, match.start() - 120), match.end() + 120):
            yield "code", *match.span("value")
