"""What is true no longer, as told in English."""

from __future__ import annotations

from recollect.language.extract.english.words import (
    AM,
    DIET,
    HAVE,
    company,
)
from recollect.language.extract.found import Row
from recollect.language.extract.rows import fixed, row
from recollect.language.extract.values import clean, place


def ended() -> tuple[Row, ...]:
    no_more = r"(?:anymore|any more|any longer|these days)"
    no_longer = r"i (?:no longer|don't|do not)"
    return (
        row(
            rf"{AM} (?:no longer|not) (?:on|in|with) the (?P<v>[\w -]{{2,25}}? (?:team|group"
            r"|project))"
            r"(?: anymore| any more)?$",
            "identity",
            "job",
            withdraws=True,
        ),
        row(
            r"(?:i|we) (?:no longer|don't) (?:need|want) (?P<v>[\w' -]{3,40}?)(?: anymore| "
            r"any more)$",
            "fact",
            "needs",
            withdraws=True,
        ),
        row(
            r"(?:i|we) no longer (?:need|want) (?P<v>[\w' -]{3,40})$",
            "fact",
            "needs",
            withdraws=True,
        ),
        row(
            r"(?:i|we) (?:scrapped|shelved|killed) (?:the |our )(?P<v>[\w' -]{3,40})$",
            "fact",
            "has",
            withdraws=True,
        ),
        row(r"i sold (?:the|my|our) (?P<v>[\w' -]{2,30})$", "fact", "has", withdraws=True),
        row(
            r"i no longer (?:live|reside) in (?P<v>.{2,40})$",
            "identity",
            "lives_in",
            place,
            withdraws=True,
        ),
        row(
            rf"i (?:don't|do not) live in (?P<v>.{{2,40}}?) {no_more}$",
            "identity",
            "lives_in",
            place,
            withdraws=True,
        ),
        row(
            rf"(?:{AM} no longer|i no longer work|no longer) (?:at|with) (?P<v>[A-Z]"
            rf"[\w.&' -]{{1,30}})$",
            "identity",
            "employer",
            company,
            withdraws=True,
        ),
        row(
            rf"{HAVE} (?:just |recently |finally )*(?:sold|gave away|got rid of|lost|threw "
            rf"out) my (?P<v>[\w -]{{2,30}})$",
            "fact",
            "has",
            withdraws=True,
        ),
        row(
            rf"(?:{HAVE}|we|we've) (?:just |recently |finally )*(?:cancell?ed|deleted|closed"
            rf"|ended) (?:my|our|the) (?P<v>[\w. -]{{2,30}}?) (?:subscription|account"
            r"|membership|plan|trial)$",
            "fact",
            "uses",
            withdraws=True,
        ),
        row(
            rf"{AM} no longer (?:an?|the) (?P<v>[\w -]{{3,30}})$", "identity", "job", withdraws=True
        ),
        row(
            rf"{HAVE} (?:just |recently |finally )*(?:left|quit) my job at (?P<v>[A-Z]"
            rf"[\w&' -]{{1,30}})$",
            "identity",
            "employer",
            withdraws=True,
        ),
        row(
            rf"{HAVE} (?:just |recently )*unsubscribed from (?P<v>[\w. -]{{2,30}})$",
            "fact",
            "uses",
            withdraws=True,
        ),
        row(
            r"i (?:don't|do not|no longer) have (?:an? |the |my )?(?P<v>[\w -]{2,30}?) "
            r"(?:anymore|any more|any longer)$",
            "fact",
            "has",
            withdraws=True,
        ),
        row(
            r"i no longer have (?:an? |the |my )?(?P<v>[\w -]{2,30})$",
            "fact",
            "has",
            withdraws=True,
        ),
        row(
            rf"(?:{HAVE}|we|we've) (?:just |recently |finally )*(?:got rid of|cancell?ed"
            rf"|dropped|stopped doing|ended|killed) (?:the|our|my) (?P<v>[\w -]{{3,40}})$",
            "fact",
            "has",
            withdraws=True,
        ),
        row(
            r"i broke up with my (?P<v>girlfriend|boyfriend|partner)$",
            "identity",
            "family",
            clean,
            withdraws=True,
        ),
        row(r"i no longer work (?:at|for) (?P<v>.{2,40})$", "identity", "employer", withdraws=True),
        row(
            rf"i (?:don't|do not) work (?:at|for) (?P<v>.{{2,40}}?) {no_more}$",
            "identity",
            "employer",
            withdraws=True,
        ),
        row(
            rf"{HAVE} (?:just |recently |finally )*(?:left|quit|resigned from) (?P<v>(?-i:"
            rf"[A-Z])[\w.&'-]*(?: (?-i:[A-Z])[\w.&'-]*)?)(?: .{{0,30}})?$",
            "identity",
            "employer",
            company,
            withdraws=True,
        ),
        row(
            r"i no longer (?:like|love|enjoy|prefer) (?P<v>.{2,50})$",
            "preference",
            "likes",
            withdraws=True,
        ),
        row(
            r"i (?:don't|do not) (?:like|love|enjoy|prefer) (?P<v>.{2,50}?) (?:anymore|any "
            r"more|any longer)$",
            "preference",
            "likes",
            withdraws=True,
        ),
        row(
            rf"{no_longer} (?:hate|dislike|mind) (?P<v>.{{2,50}}?)(?: {no_more})?$",
            "preference",
            "dislikes",
            withdraws=True,
        ),
        row(rf"{AM} no longer (?:an? )?(?P<v>{DIET})$", "identity", "diet", clean, withdraws=True),
        row(
            rf"{AM} not (?:an? )?(?P<v>{DIET}) {no_more}$",
            "identity",
            "diet",
            clean,
            withdraws=True,
        ),
        row(
            rf"{AM} no longer allergic to (?P<v>.{{2,40}})$", "identity", "allergy", withdraws=True
        ),
        row(
            rf"{HAVE} (?:just |recently )*(?:quit|stopped|given up|gave up) (?P<v>(?:eating"
            rf"|drinking|smoking|playing|learning) ?[\w ]{{0,30}}|smoking|coffee|alcohol"
            r"|sugar|meat)$",
            "fact",
            "habit",
            clean,
            withdraws=True,
        ),
        fixed(
            rf"(?:{AM} no longer married|{AM} not married {no_more})$",
            "identity",
            "marital_status",
            "married",
            withdraws=True,
        ),
    )
