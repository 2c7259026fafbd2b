"""Decisions, deadlines, appointments and today's state, as told in English."""

from __future__ import annotations

import re

from recollect.language.extract.english.words import AM
from recollect.language.extract.found import USER, Found, Row
from recollect.language.extract.rows import read_row, row
from recollect.language.extract.values import clean, place, statement

_DAY = (
    r"(?:(?:next |this |coming |the )?(?:mon|tues|wednes|thurs|fri|satur|sun)days?"
    r"(?: the \d{1,2}(?:st|nd|rd|th)?)?(?: (?:morning|noon|afternoon|evening"
    r"|night))?|tomorrow|tonight|today"
    r"|(?:the )?end of (?:the |this |next )?(?:day|week|month|quarter|year|sprint"
    r"|january|february|march|april|may|june|july|august|september|october|november"
    r"|december)|in (?:an? |one |two |three |four |a few |\d{1,2} )(?:days?|weeks?"
    r"|months?)|every (?:day|week|morning|month|other week|two weeks)|next (?:week"
    r"|month|quarter|year)|eod|eow"
    r"|(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.? \d{1,2}(?:st|nd"
    r"|rd|th)?(?:,? \d{4})?"
    r"|(?:the )?\d{1,2}(?:st|nd|rd|th)(?: of (?:january|february|march|april|may"
    r"|june|july|august|september|october|november|december))?|\d{1,2} (?:january"
    r"|february|march|april|may|june|july|august|september|october|november"
    r"|december)"
    r"|\d{4}-\d\d-\d\d|\d{1,2}/\d{1,2}(?:/\d{2,4})?|(?:mid-|early |late )?(?:january"
    r"|february|march|april|may|june|july|august|september|october|november"
    r"|december)(?: \d{4})?|q[1-4](?: \d{4})?)"
    r"(?:,? (?:at )?(?:\d{1,2}(?::\d\d)? ?(?:am|pm)|noon|midnight|\d{1,2}:\d\d|at "
    r"\d{1,2}|\d{1,2}))?(?: \d{4})?"
)
_EVENT = (
    r"(?:meeting|interview|appointment|exam|call|flight|surgery|check-?up|standup"
    r"|stand-up|retro|workshop|conference|class|lesson|wedding|party|trip"
    r"|presentation|review|sync|demo|1:1|one-on-one|webinar|concert|move|onboarding"
    r"|therapy|dentist|vet|game|match|race|marathon)"
)
_DONE = (
    r"(?:done|ready|finished|delivered|submitted|shipped|released|completed|live|out"
    r"|merged|handed in|turned in|filed|paid)"
)
_DO = (
    r"(?:ship|submit|deliver|finish|release|hand in|turn in|complete|send|launch"
    r"|file|publish|deploy|merge|pay|renew|wrap up)"
)


def decisions() -> tuple[Row, ...]:
    we = r"(?:.{0,60}?\b)?(?:we|i|the team|our team|my team|team|everyone)"
    also = (
        r"(?:all |finally |just |both |also |now |already |eventually |basically "
        r"|officially |collectively )*"
    )
    return (
        row(
            rf"{we}(?:'ve| have| has)? {also}(?:decided|agreed)(?: (?:to|on|that|not to"
            rf"|against)|:)+ (?P<v>.{{2,120}})$",
            "decision",
            "decision",
            statement,
            subject="project",
        ),
        row(
            rf"{we}(?:'ve| have| has)? {also}(?:decided against|settled on|settled for|chosen"
            r"|chose|opted for|picked|committed to|standardi[sz]ed on|gone with|went with"
            rf"|signed off on|landed on) (?P<v>.{{2,100}})$",
            "decision",
            "decision",
            statement,
            subject="project",
        ),
        row(
            r"(?:ok |okay |so |alright )*(?:we're|we are|i'm|i am|we'll|we will"
            rf"|i'll)? ?{also}(?:going with|go with|sticking with|stick with|standardi"
            rf"[sz]ing on|settling on) (?P<v>.{{2,100}})$",
            "decision",
            "decision",
            statement,
            subject="project",
        ),
        row(
            r"(?:the |our |my )?(?:final )?(?:decision|call|verdict|answer)(?: made| is|:| "
            r"was)+(?: to| that)?:? (?P<v>.{2,120})$",
            "decision",
            "decision",
            statement,
            subject="project",
        ),
        row(
            r"(?:it's (?:settled|decided|official|final)[:,]?|it was decided that|it's "
            r"decided that) (?P<v>.{2,120})$",
            "decision",
            "decision",
            statement,
            subject="project",
        ),
        row(
            r"(?:ok |okay |so |alright )*let's (?:go|stick) with (?P<v>.{2,60})$",
            "decision",
            "decision",
            statement,
            subject="project",
        ),
        row(
            r"(?:we're|we are) (?:dropping|killing|cutting|skipping|shelving|postponing"
            r"|moving) (?P<v>.{2,80})$",
            "decision",
            "decision",
            statement,
            subject="project",
        ),
        row(
            r"(?:we|the team) (?:won't|will not|aren't going to|are not going to|are "
            r"dropping|will drop|killed|cut|shelved|dropped) (?P<v>(?:the |support|going"
            r"|doing|using|supporting ).{2,80})$",
            "decision",
            "decision",
            statement,
            subject="project",
        ),
    )


def deadlines() -> tuple[Row, ...]:
    thing_due = r"(?:(?:my|our|the|this) )?(?P<s>[\w.+#' -]{2,50}?)"
    return (
        read_row(
            r"(?:i|we)(?:'ve)? (?:promised|owe|told) (?:\w+ ){1,3}?(?:an? |the )(?P<s>"
            r"[\w' -]{2,30}?) by "
            rf"(?P<v>{_DAY})(?![\w-]).{{0,40}}$",
            _due,
        ),
        read_row(
            rf"(?:(?:my|our|the) )?(?P<s>[\w.+#' -]{{0,40}}?)\s?(?:deadline|due date|cutoff"
            rf"|deadline date)(?: for (?:(?:my|our|the|this) )?(?P<for>[\w.+#' -]{{2,40}}?))?"
            r"(?:'s| is| was moved to| has moved to| moved to| got pushed to| has been "
            rf"moved to| is now)(?: on| by| set for)? (?P<v>{_DAY})(?![\w-]).{{0,60}}$",
            _due,
        ),
        read_row(
            rf"{thing_due} (?:is|are) due(?: on| by| at| in| back)? (?P<v>{_DAY})(?!"
            rf"[\w-]).{{0,60}}$",
            _due,
        ),
        read_row(
            rf"{thing_due} (?:must|needs? to|has to|have to|should) be {_DONE} (?:by|before"
            rf"|on) (?P<v>{_DAY})(?![\w-]).{{0,60}}$",
            _due,
        ),
        read_row(
            r"(?:i|we)(?:'ve got| have got|'ve| have)? (?:need|have|must|got|gotta)?(?: "
            rf"to)? ?{_DO} (?:(?:my|our|the|this) )?(?P<s>[\w.+#' -]{{2,50}}?) (?:by|before"
            rf"|no later than) (?P<v>{_DAY})(?![\w-]).{{0,60}}$",
            _due,
        ),
        read_row(
            rf"{thing_due} (?:is|are) (?:scheduled|planned|set|slated|booked|expected) (?:for"
            rf"|on|to \w+ on) (?P<v>{_DAY})(?![\w-]).{{0,60}}$",
            _due,
        ),
        read_row(
            r"(?:the |my |our )?(?:client|boss|manager|customer|professor|team|they|editor"
            r"|landlord|bank|company|school|teacher)s? (?:wants?|needs?|expects?) (?:(?:the"
            rf"|our|my|it|a) )?(?P<s>[\w' -]{{2,40}}?) (?:by|before|no later than) "
            rf"(?P<v>{_DAY})(?![\w-]).{{0,60}}$",
            _due,
        ),
        read_row(
            rf"(?:i|we)(?:'ve got|'ve| have got| have| got) until (?P<v>{_DAY}) to \w+ (?:"
            rf"(?:the|our|my|a) )?(?P<s>[\w' -]{{2,40}})$",
            _due,
        ),
        read_row(
            rf"{thing_due} (?:starts?|begins?|kicks off|opens|freezes?|is|happens|comes out"
            rf"|drops|lands)(?: on| at)? (?P<v>{_DAY})(?![\w-]).{{0,40}}$",
            _starts,
        ),
        read_row(
            rf"{AM} (?P<s>off|away|out|out of office|on leave|on vacation|on holiday"
            r"|traveling|travelling|unavailable|ooo|not around|offline)(?: on| from| until| "
            rf"till)? (?P<v>{_DAY})(?: (?:to|until|till|through) {_DAY})?(?![\w-]).{{0,40}}$",
            _plan,
        ),
        read_row(
            rf"{thing_due} (?:ships?|launch(?:es)?|goe?s? live|releases?|expires?|ends|closes"
            rf"|freezes|runs out|is up)(?: on| by| in| at)? (?P<v>{_DAY})(?![\w-]).{{0,60}}$",
            _due,
        ),
        read_row(
            r"(?:(?:my|our|the) )(?P<s>release|launch|demo|go-live|exam|thesis defen[sc]e"
            r"|code freeze|feature freeze)(?: date)?(?:'s| is)(?: on| scheduled for| set for"
            rf"| planned for| now)? (?P<v>{_DAY})(?![\w-]).{{0,60}}$",
            _due,
        ),
    )


def schedule() -> tuple[Row, ...]:
    return (
        read_row(
            rf"(?P<s>(?:[\w'-]+ ){{0,2}}{_EVENT}) (?:on |this |next |at )?(?P<v>{_DAY})(?!"
            rf"[\w-]).{{0,40}}$",
            _plan,
        ),
        read_row(
            rf"(?:we're|we are|{AM}) (?P<s>(?:presenting|speaking|demoing|meeting|performing"
            r"|graduating"
            rf"|getting married|starting|launching)\b[\w' -]{{0,30}}?) (?:on |this |next )?"
            rf"(?P<v>{_DAY})(?![\w-]).{{0,40}}$",
            _plan,
        ),
        read_row(
            r"(?:i|we)(?:'ve got|'ve| have got| have| got)? (?:an? |my |our )(?P<s>(?:"
            rf"[\w'-]+ ){{0,3}}{_EVENT}\b[\w' -]{{0,30}}?) (?:on |this |next |at )?"
            rf"(?P<v>{_DAY})(?![\w-]).{{0,60}}$",
            _plan,
        ),
        read_row(
            rf"(?:(?:my|our|the) )?(?P<s>(?:[\w'-]+ ){{0,3}}{_EVENT}\b[\w' -]{{0,20}}?)(?:'s"
            r"| is| are| starts)(?: on| at| now| set for| scheduled for| every| always)? "
            rf"(?P<v>(?:every )?{_DAY})(?![\w-]).{{0,60}}$",
            _plan,
        ),
        read_row(
            r"(?:i|we) (?:have|hold|do) (?:an? |our |my )?(?P<s>(?:[\w'-]+ "
            rf"){{0,3}}{_EVENT}s?) (?P<v>every (?:{_DAY}|day|week|morning))(?!"
            rf"[\w-]).{{0,60}}$",
            _plan,
        ),
        read_row(
            rf"(?:{AM} (?:flying|traveling|travelling|going|off)|i (?:fly|leave|travel)) "
            rf"(?P<s>(?:out )?(?:to|for) [A-Z][\w ]{{1,20}}?) (?:on |this |next )?"
            rf"(?P<v>{_DAY})(?![\w-]).{{0,60}}$",
            _plan,
        ),
    )


def today() -> tuple[Row, ...]:
    now = (
        r"(?: (?:today|right now|tonight|this (?:morning|afternoon|evening|week|weekend)"
        r"|at the moment|until \w+|for the (?:day|week|weekend)|for (?:a few|two|three) "
        r"days))"
    )
    mood = (
        r"tired|sick|exhausted|busy|not feeling well|in a bad mood|in a good mood|on "
        r"leave|off|off work|on vacation|on holiday|working from home|wfh|traveling"
        r"|travelling|hungover|stressed|feeling \w+|out of office|on call"
    )
    return (
        read_row(
            rf"(?:today )?{AM} (?:in|at|visiting|staying in) (?P<v>[A-Z]"
            rf"[\w '-]{{1,30}}?){now}$",
            _located,
        ),
        read_row(
            rf"today {AM} (?:in|at|visiting|staying in) (?P<v>[A-Z][\w '-]{{1,30}})$", _located
        ),
        read_row(rf"{AM} (?:really |so |a bit |very )?(?P<v>{mood}){now}$", _state),
        read_row(rf"today {AM} (?:really |so |a bit |very )?(?P<v>{mood})$", _state),
        read_row(
            r"i have (?:an? )?(?P<v>(?:bad |terrible )?(?:headache|cold|fever|migraine|cough"
            rf"|sore throat)){now}$",
            _state,
        ),
        read_row(
            r"(?:today )?i have (?:an? )(?P<v>(?:\w+ ){0,3}(?:meeting|interview|appointment"
            r"|exam|call|flight)(?: .{0,40})?)(?<=today)$",
            _planned,
        ),
        read_row(
            r"today i have (?:an? )(?P<v>(?:\w+ ){0,3}(?:meeting|interview|appointment|exam"
            r"|call|flight)(?: at .{0,20})?)$",
            _planned,
        ),
    )


def _due(match: re.Match[str]) -> Found | None:
    subject = clean(match.groupdict().get("for") or match["s"] or "") or "project"
    if subject.lower() in ("it", "this", "that", "they", "these", "new"):
        return None
    moved = re.search(r"moved|pushed|is now", match.group(), re.I)
    return Found("fact", subject.lower(), "deadline", match["v"].strip(), is_update=bool(moved))


def _starts(match: re.Match[str]) -> Found | None:
    """Only what is a plan by its name: that something begins is said of many things."""
    named = re.search(
        r"\b(?:freeze|sprint|beta|release|launch|trial|course|semester|term|class"
        r"|project|migration|conference|season|contract|lease|job|internship"
        r"|registration|sale|vacation|holiday|rollout|go-live|demo|phase)\b",
        match["s"],
        re.I,
    )
    return _due(match) if named else None


def _located(match: re.Match[str]) -> Found | None:
    where = place(match["v"])
    return Found("temp", USER, "location", where, duration="24h") if where else None


def _state(match: re.Match[str]) -> Found:
    return Found("temp", USER, "status", match["v"], duration="24h")


def _plan(match: re.Match[str]) -> Found | None:
    what = clean(match["s"]).lower()
    return Found("event", what, "schedule", match["v"].strip()) if what else None


def _planned(match: re.Match[str]) -> Found:
    return Found("temp", USER, "schedule", match["v"], duration="24h")
