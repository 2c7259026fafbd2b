"""Rules for the assistant and requests to remember, sentence by sentence, in English."""

from __future__ import annotations

import re

from recollect.language.extract.found import USER, Found
from recollect.language.extract.values import clean

_POLITE = (
    r"(?:(?:please|pls|kindly|and|but|so|also|ok|okay|oh|hey|hi|btw|by the way|one "
    r"more thing|one thing|just|important|note|rule|reminder|well|then)[\s,:!-]+)*"
)
_FROM_NOW = (
    r"(?:from now on|from here on(?: out)?|going forward|from today(?: on)?|in "
    r"(?:the )?future|henceforth|starting (?:now|today)|as a (?:general )?rule"
    r"|in all (?:future )?(?:replies|answers|responses|messages)|for all future \w+"
    r"|from this point on)"
)
_LASTING = re.compile(
    rf"{_POLITE}(?:{_FROM_NOW}[\s,:]+(?P<a>.+)"
    r"|(?P<b>(?:you (?:should|must|can) |make sure (?:you |to |that you )|be sure "
    r"to |i(?:'d like| want| need|'d prefer) you to |try to |remember to |(?:can"
    r"|could|would|will) you (?:please )?|rule(?: for [\w ]{2,20})?: )?(?:always"
    r"|never)\s+(?!mind\b|again\b|had\b|been\b|seen\b|heard\b|thought\b|knew\b|saw\b"
    r"|got\b|did\b|was\b|gonna\b|said\b|felt\b|found\b|a\b|the\b|in\b|going\b|too\b)"
    r"(?!(?!need|embed|feed|speed|seed)\w+ed\b).+)"
    r"|(?P<c>(?:whenever|every time|each time|any time|anytime|when (?:i (?:say|ask"
    r"|paste|send|give|share|mention|type|post|upload)|you(?:'re| are)? (?:write"
    r"|writing|answer|reply|give|generate|suggest|show|create|make|explain|refactor"
    r"|review|edit|touch|use|add|commit|name|quote|list))) .{3,80}, .+)"
    r"|(?P<d>under no circumstances .+|no [\w -]{3,40}?(?:,? please)?,? ever|(?:stop"
    r"|quit) (?!it\b|that\b|this\b|there\b|here\b|the\b|worrying|kidding"
    r"|joking)\w+ing .{3,100}|no more [\w ,'-]{3,60}|(?:don't|do not) call me "
    r".{2,40}|(?:don't|do not) ever .{3,100}|i (?:don't|never) want (?:you to|to "
    r"see) .{3,80})"
    rf"|(?P<e>(?!(?:i|we|he|she|they|it)\b).{{4,120}}? (?:{_FROM_NOW}|every time|at "
    rf"all times|without exception|by default|everywhere, always)(?:, .{{1,80}})?)"
    r"|(?P<f>(?:i(?:'d)? (?:want|like|need|prefer)(?: for)? you to|you (?:should"
    r"|must|need to|have to|are not allowed to|may not|must not|shouldn't)) "
    r".{4,120}))[.!]*$",
    re.I,
)
_FOR_NOW = re.compile(
    rf"{_POLITE}(?:(?:for|during|in) (?:the rest of )?(?:this|the current|today's) "
    r"(?:task|session|project|pr|branch|refactor|refactoring|ticket|conversation"
    r"|chat|sprint|feature|job|work)[\s,:]+(?P<a>.+)"
    r"|(?:for now|today|for today|until (?:i say otherwise|we ship|the release"
    r"|tomorrow|further notice)|this time)[\s,:]+(?P<b>(?:don't|do not|only|please"
    r"|use|avoid|keep|skip|no|answer|reply|never|always|stick)\b.+)"
    r"|(?P<c>(?:don't|do not|avoid|no need to|only|use|keep|skip|stick to|answer"
    r"|reply)\b.{3,120} (?:for this (?:task|session|project|pr|branch|ticket"
    r"|conversation|chat|sprint)|for now|today|until (?:tomorrow|further notice|i "
    r"say otherwise|the release|we ship)))"
    r"|(?P<e>(?:house |ground |golden |my |one )?rules?(?: for [\w ]{2,20})?: "
    r".{4,100})|(?P<d>(?:don't|do not) (?!worry|forget|mind|hesitate|bother|know"
    r"|think|get|be\b|have|want|need|care|see|understand|you|like|believe|remember"
    r"|tell|even|do (?:it|that|this)|stop|give up|laugh|ask me why|feel|panic|let "
    r"me down|wait|just)\w+ (?!(?:it|this|that|these|those|them|me|yet"
    r"|here)\b).{3,120}))[.!]*$",
    re.I,
)
_THIS_ONE = re.compile(
    r"\b(?:this (?:one|time|message|answer|reply|file|function|code|text|sentence"
    r"|email|script|question|paragraph|essay|letter|poem|story|list|table|response)"
    r"|here|the (?:following|above)|below|just once|yet)\b",
    re.I,
)
_REMEMBER = re.compile(
    rf"{_POLITE}(?:(?:can|could|will|would) you )?(?:please )?(?:also )?(?:always )?"
    r"(?:remember|note|keep (?:this |it )?in mind|don't forget|do not forget|bear "
    r"in mind|make a (?:mental )?note|take note|memori[sz]e|save (?:this|that)?"
    r"|write down|jot down|store(?: this)?(?: in (?:your )?memory)?|add (?:this |it "
    r")?to (?:your )?memory|for (?:future|your) reference|for the record)"
    r"(?:(?: this| it)?(?: for (?:me|later|next time|the future|future reference))?)"
    r"(?:[\s,:-]+that\b|\s?[:,-]|(?= (?:my|i|i'm|we|our|the|i've)\b))[\s,:]*"
    r"(?P<v>.+)$",
    re.I,
)
_REMEMBER_TO = re.compile(
    rf"{_POLITE}(?:remember|don't forget|do not forget) to (?P<v>(?!me\b).{{4,120}})$", re.I
)
_NO_REMEMBER = re.compile(r"(?:when|how|what|where|who|why|the time|the day|if|me\b)", re.I)
_OVER = re.compile(
    rf"{_POLITE}(?:you (?:no longer (?:need|have) to|don't (?:need|have) to|can "
    rf"stop) (?P<a>.{{3,100}}?)(?: anymore| any more| any longer)?"
    r"|(?:you can )?(?:forget|drop|cancel|scrap|ignore|remove|lift|never mind"
    r"|disregard) (?:about )?(?:the|that|my|our) (?P<b>.{0,60}?(?:rule|requirement"
    r"|restriction|constraint|deadline|preference|instruction|guideline"
    r"|convention)s?(?: (?:about|on|to|of|for|that) .{1,60})?)"
    r"|the (?P<c>.{0,40}?(?:rule|requirement|restriction|constraint|deadline)(?: "
    r"(?:about|on|to|of|for) .{1,60}?)?) (?:no longer applies|is no longer needed"
    r"|is cancell?ed|is off|is lifted|is gone|is dead|doesn't apply(?: any ?more)?)"
    r"|(?:the|our) (?P<d>[\w ]{2,40}?) (?:is|was|has been|got) (?:cancell?ed|called "
    r"off|scrapped|off|dropped))[.!]*$",
    re.I,
)
_EVERY = re.compile(r"\b(?:always|never|every time|whenever|each time|from now on)\b", re.I)
_CONDITION = re.compile(r"\bif\b(?! i)|\bunless\b(?! i (?:ask|say|tell))", re.I)
_STATED = re.compile(
    r"(?P<s>(?:my |our |the )?[\w' -]{1,40}?)(?P<poss>'s (?P<what>birthday|name"
    r"|email|phone number|address|job|favou?rite \w+) is| is allergic to| lives in| "
    r"works (?:at|for)| likes| loves| hates| prefers| uses| is| are| was| has) "
    r"(?P<v>.{1,120})",
    re.I,
)
_VERBS = {
    "is allergic to": "allergy",
    "lives in": "lives_in",
    "works at": "employer",
    "works for": "employer",
    "likes": "likes",
    "loves": "likes",
    "hates": "dislikes",
    "prefers": "likes",
    "uses": "uses",
}


def remembered(sentence: str) -> str:
    """What somebody asks to be remembered, empty if he asks nothing of the kind."""
    match = _REMEMBER.match(sentence)
    if not match or _NO_REMEMBER.match(match["v"]):
        return ""
    return match["v"].strip()


def rule(sentence: str, *, part: bool = False) -> Found | None:
    """A rule of behaviour, or one for the task; of a ``part`` only what can be nothing else."""
    over = _OVER.match(sentence)
    if over:
        value = clean(next(filter(None, over.groups()), ""))
        if over["d"] and not re.search(
            r"deadline|release|launch|meeting|event|trip|demo", value, re.I
        ):
            return None
        predicate = "deadline" if over["d"] or "deadline" in value.lower() else "rule"
        if predicate == "rule":
            return Found("rule", USER, "rule", value, withdraws=True)
        subject = re.sub(r"\s*deadline.*$", "", value.lower()) or "project"
        return Found("fact", subject, "deadline", value, withdraws=True)
    asked = _REMEMBER_TO.match(sentence)
    if asked and _EVERY.search(asked["v"]):
        return Found("rule", USER, "rule", clean(asked["v"]), duration="permanent", asked=True)
    lasting_rule = _LASTING.match(sentence)
    if lasting_rule and not (part and (lasting_rule["e"] or lasting_rule["f"])):
        value = clean(next(filter(None, lasting_rule.groups()), ""))
        return _unless_pointing(lasting_rule, value, "permanent")
    for_now = _FOR_NOW.match(sentence)
    if for_now:
        value = clean(next(filter(None, for_now.groups()), ""))
        return _unless_pointing(for_now, value, "24h")
    return None


def _unless_pointing(match: re.Match[str], value: str, duration: str) -> Found | None:
    groups = match.groupdict()
    strong = bool(groups.get("a"))
    if not value or len(value) > 200 or (not strong and _THIS_ONE.search(match.group())):
        return None
    if not strong and _CONDITION.search(value):
        return None
    if (
        duration == "permanent"
        and strong
        and re.match(
            r"(?:i(?:'m|'ll| will| am| want| plan| hope|'d)|we(?:'ll| will))\b", value, re.I
        )
    ):
        return None  # a plan of his own
    return Found("rule", USER, "rule", value, duration=duration)


def note(text: str) -> Found:
    """What was asked to be remembered and has no slot of its own."""
    match = _STATED.fullmatch(text)
    if not match:
        return Found("fact", USER, "other", clean(text))
    subject = re.sub(r"^(?:the|my|our) ", "", match["s"].strip(), flags=re.I)
    what = match["what"]
    verb = match["poss"].strip().lower()
    predicate = what.lower().replace(" ", "_") if what else _VERBS.get(verb, "other")
    if subject.lower() in ("i", "we"):
        subject = USER
    return Found("fact", subject, predicate, clean(match["v"]))
