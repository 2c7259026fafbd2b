"""What people say of themselves and their work in English.

Every pattern begins where a clause begins. A group of them is read, and compiled, only where a
clause has one of the words without which none of them can match.
"""

from __future__ import annotations

from recollect.language.extract.english import (
    ended,
    family,
    lives,
    people,
    plans,
    rules,
    setup,
    tastes,
    tools,
)
from recollect.language.extract.found import Group

__all__ = ["GROUPS", "rules"]

_DAYS = "day|tomorrow|tonight|next|end of|eod|eow|th|st|nd|rd|january|february|march|april|may|june"
_DAYS += "|july|august|september|october|november|december|jan |feb |q1|q2|q3|q4|/|-|in "

GROUPS = (
    Group("name|call|i'm|im |i am|here|go by|this is|it's", people.names),
    Group("0|1|2|3|4|5|6|7|8|9", people.ages),
    Group(
        "live|living|from|mov|reloc|resid|based|located|grew|born|home|city|address"
        "|time| in |i'm |im ",
        people.places,
    ),
    Group("i |i'm|im |i've|my ", lives.jobs),
    Group("i |i'm|im |i've|my ", lives.traits),
    Group("my |i |i'm|i've|we |our |name", family.family),
    Group(
        "prefer|like|love|enjoy|adore|fan|favo|hate|stand|bear|detest|loathe|despise|into|fond"
        "|crazy|nuts|mad|insane|wall|obsessed|keen|big on|annoy|bug|irritat|my |for me|any day"
        "|every time|always|please|rather|find|sucker|can't|cannot|drink|beats|best"
        "|pick|choose|take"
        "|comfortable|usual|normally|generally|person|over|sick of|patience|care|only"
        "|go-to|fight me|not a|not into",
        tastes.tastes,
    ),
    Group(
        "no longer|anymore|any more|any longer|these days|left|quit|resign|stop|gave"
        "|given|sold|need"
        "|rid of|lost|threw|cancel|delet|closed|ended|unsubscribed|broke|dropped|killed"
        "|not married",
        ended.ended,
    ),
    Group("port|on |/|~|\\", setup.setup),
    Group(
        "upgrad|updat|bump|downgrad|migrat|mov|went|pinned|roll|revert|lock|switch|convert|chang"
        "|gone|transition|swap|replac|ditch|drop|now|no longer|anymore|any more|any longer|stopped"
        "|quit|given up|gave up|uninstall|abandon|retir|rid of|cancel|remov|done with"
        "|not using|at|on",
        tools.changes,
    ),
    Group(
        "decid|agreed|settl|chose|opted|pick|committed|standard|gone with|went with|go with"
        "|going with|signed off|landed|stick|decision|call|verdict|answer|official|final|we",
        plans.decisions,
    ),
    Group("i |i'm|im |we|our|my |the |is |are |user|it's", tools.tools),
    Group(_DAYS, plans.deadlines),
    Group(_DAYS, plans.schedule),
    Group("i'm|i am|im |i have|today", plans.today),
)
