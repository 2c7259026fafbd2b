"""Tools and versions in use, and changes of them, as told in English."""

from __future__ import annotations

import re

from recollect.language.extract.english.words import AM, HAVE, VERY
from recollect.language.extract.found import USER, Found, Row
from recollect.language.extract.products import (
    bare_version,
    canonical,
    product,
    versioned,
)
from recollect.language.extract.rows import (
    choice,
    read_row,
    upgraded,
    version,
)
from recollect.language.extract.values import thing, tool

_WE = r"(?:we|our (?:team|company|project|app|backend|frontend|stack|codebase|startup))"
_PROJECT = (
    r"(?:my|our|this|the) (?:current |main |side )?(?:project|app|repo|codebase"
    r"|backend|frontend|service|stack|server|api)"
)
_SORTS = {
    "editor": "editor",
    "code editor": "editor",
    "ide": "editor",
    "text editor": "editor",
    "shell": "shell",
    "terminal": "terminal",
    "terminal emulator": "terminal",
    "browser": "browser",
    "web browser": "browser",
    "os": "os",
    "operating system": "os",
    "system": "os",
    "database": "database",
    "db": "database",
    "package manager": "package_manager",
    "laptop": "device",
    "computer": "device",
    "phone": "device",
    "machine": "device",
    "keyboard": "keyboard",
    "car": "car",
    "framework": "framework",
    "note app": "notes_app",
    "notes app": "notes_app",
    "programming language": "programming_language",
    "main language": "programming_language",
    "linter": "linter",
    "formatter": "formatter",
    "test runner": "test_runner",
    "cloud provider": "cloud",
    "ci": "ci",
}
_SORT = "|".join(sorted(_SORTS, key=len, reverse=True))
_AND = re.compile(r"\s*(?:,|\+|&|\band\b|\bplus\b|\bwith\b)\s*(?:the )?", re.I)
_FOR = re.compile(r"\s(?:for|as|to|on|in|with)\s", re.I)


def changes() -> tuple[Row, ...]:
    who = rf"(?:(?P<we>{_WE})(?:'ve| have| has)?|{HAVE}|just|finally)"
    soon = r"(?:just |recently |finally |now |already |all |fully )*"
    return (
        read_row(
            rf"{who} {soon}(?:upgraded|updated|bumped|downgraded|migrated|moved|went|pinned"
            rf"|rolled back|reverted|locked)(?P<name> [\w.+# ]{{1,40}}?)?(?: from (?P<old>"
            rf"[\w.+# ]{{1,30}}?))? to (?:version )?(?P<v>(?:[A-Za-z.][\w.+#-]* ){{0,2}}v?\d"
            rf"[\d.]{{0,12}}(?: lts)?)(?![\w.]*\w).*$",
            _upgraded,
        ),
        read_row(
            r"(?P<name>[\w.+#]{2,20}(?: \w{2,12})?) (?:is|has been|was|got) (?:now )?"
            r"(?:upgraded|updated|bumped|downgraded|pinned|rolled back|still|at|on|up to)"
            r"(?: (?:to|on|at))? (?:version )?(?P<v>v?\d[\d.]{0,12})(?![\w.]*\w).*$",
            _upgraded,
        ),
        read_row(
            rf"{who} {soon}(?:switched|moved|migrated|converted|changed|gone back|went back"
            rf"|transitioned|swapped)(?: over| back)?(?: my [\w ]{{2,20}}?| our "
            rf"[\w ]{{2,20}}?| everything)?(?: from (?P<old>[\w.+#' -]{{2,30}}?))? to "
            rf"(?:using )?(?P<v>[\w.+#' -]{{2,40}}?)(?: (?:for|as|last|this|over|in|because"
            rf"|a few|after|and|at|on) .{{2,50}})?$",
            _moved_to,
        ),
        read_row(
            rf"{who} {soon}(?:replaced|swapped|ditched|dropped) (?P<old>[\w.+#' -]{{2,30}}?) "
            rf"(?:with|for|in favou?r of) (?P<v>[\w.+#' -]{{2,40}})$",
            _switched,
        ),
        read_row(
            rf"(?:now (?P<we>we)|now i|i now|{AM} now|(?P<we2>we)(?:'re| are)? now) (?:use"
            rf"|using|on|run|running) (?P<v>[\w.+#' -]{{2,40}}?)(?: instead(?: of .{{2,30}})?"
            rf"| (?:for|as) .{{2,40}})?$",
            _switched,
        ),
        read_row(
            rf"(?:(?P<we>{_WE})|i) {soon}(?:no longer|don't|do not|doesn't) use (?P<v>"
            rf"[\w.+#' -]{{2,40}}?)(?P<more> (?:anymore|any more|any longer))?(?: "
            rf".{{0,30}})?$",
            _dropped,
        ),
        read_row(
            rf"(?:(?P<we>{_WE})(?:'ve| have| has)?|{HAVE}) {soon}(?:stopped using|quit using"
            r"|given up on|gave up on|uninstalled|ditched|dropped|abandoned|retired|got rid "
            rf"of|cancell?ed|removed) (?:our |my |the )?(?P<v>[\w.+#' -]{{2,40}})$",
            _gone,
        ),
        read_row(
            rf"{AM} (?:no longer using|no longer on|done with|not using) (?P<v>"
            rf"[\w.+#' -]{{2,40}}?)(?: anymore| any more| either)?$",
            _gone,
        ),
        read_row(
            r"(?P<we>we're|we are) (?:no longer (?:using|supporting|on)|retiring|getting "
            r"rid of|moving off) (?P<v>[\w.+#' -]{2,40}?)(?: support)?$",
            _gone,
        ),
    )


def tools() -> tuple[Row, ...]:
    rest = (
        r"(?: (?:for|as|to|with|at|on|in|when|because|every|instead|across|since|but|and"
        r"|from|here|everywhere|internally|though|until)\b.{0,90})?"
    )
    return (
        read_row(
            r"(?:(?:our|my|the|fyi our) [\w ]{2,20}? is|it's|it is)(?: still| now)? "
            r"(?P<v>[A-Za-z.][\w.+# ]{1,20} v?\d[\d.]{0,8})(?: (?:still|now|at the "
            r"moment).{0,30})?$",
            _using,
        ),
        read_row(
            rf"(?:{AM}|(?P<we>we're|we are)) (?:still )?running (?:this|it|everything|that"
            r"|them) on "
            r"(?P<v>[A-Za-z.][\w.+# ]{1,20}? ?v?\d?[\d.]{0,8})(?: .{0,40})?$",
            _using,
        ),
        read_row(
            rf"(?:(?P<we>{_WE})|i) {VERY}(?:uses?|work with|rely on|relies on|deploy (?:to"
            rf"|on)|develop on) (?P<v>[\w.+#' -]{{2,40}}?){rest}$",
            _used,
        ),
        read_row(
            rf"(?:(?P<we>we're|we are)|{AM}) {VERY}(?:using|running|on) (?P<v>"
            rf"[\w.+#' -]{{2,40}}?){rest}$",
            _using,
        ),
        read_row(
            rf"(?:{AM}|(?P<we>we're|we are)) {VERY}(?:stuck (?:on|with|at)|at|still on|on) "
            rf"(?P<v>[\w.+# -]{{2,40}}?){rest}$",
            _using,
        ),
        read_row(
            rf"(?:(?P<we>we)|i) {VERY}(?:do|keep|write|run|manage|track|host|build|test|store"
            r"|take|put|deploy) (?:all |everything|most of )?(?:of )?(?:my |our |the )?"
            rf"[\w ]{{0,20}}? ?(?:in|on|with|through|via|using) (?P<v>"
            rf"[\w.+#' -]{{2,40}}?){rest}$",
            _with,
        ),
        read_row(
            r"(?:my|our) (?:main |primary |daily |current )*(?:daily driver|go-to|stack"
            r"|setup|ci|build tool|cloud|work machine|main machine|tool of choice|weapon of "
            rf"choice) (?:is|runs on|is on) (?:an? |the |all )?(?P<v>.{{2,60}}?){rest}$",
            _daily,
        ),
        read_row(
            rf"{AM} (?:an? )?(?:long[- ]?time |big |hardcore |die-hard )?(?P<v>"
            rf"[\w.+#-]{{2,20}}(?: code)?) (?:user|person|guy|girl|shop|convert)(?: here)?$",
            _using,
        ),
        read_row(r"(?P<v>[\w.+#-]{2,20}(?: code)?) user here$", _using),
        read_row(r"(?:we're|we are) an? (?P<v>[\w.+#-]{2,20}) shop$", _using),
        read_row(
            rf"(?P<v>[A-Za-z][\w.+# -]{{1,30}}?) is (?:my|our) (?:main |default |preferred "
            rf"|go-to |daily )*(?:{_SORT}|tool|go-to|stack)(?: of choice)?(?: .{{0,30}})?$",
            _using,
        ),
        read_row(
            r"(?P<v>[A-Za-z][\w.+# -]{1,30}?) (?:is|are) what (?:i|(?P<we>we)) (?:use|run"
            r"|work with|have)(?: .{0,30})?$",
            _using,
        ),
        read_row(
            r"it's (?P<v>[A-Za-z][\w.+# ]{1,20} \d[\d.]{0,8}) on (?:my|our) (?:machine"
            r"|laptop|server|side|end|box)$",
            _using,
        ),
        read_row(
            r"my (?:laptop|machine|computer|server|phone|work machine|box) (?:has|came "
            r"with) (?P<v>[A-Za-z][\w.+# ]{1,20} \d[\d.]{0,8})(?: .{0,30})?$",
            _using,
        ),
        read_row(
            r"(?:i|(?P<we>we)|i've|we've) (?:just |recently |finally )*(?:installed|set up"
            r"|got) (?P<v>[A-Za-z][\w.+# ]{1,20} \d[\d.]{0,8})(?: .{0,30})?$",
            _using,
        ),
        read_row(
            r"(?P<we>(?:our|the|my) (?:\w+ )?(?:tests|builds?|services?|deploys?|deployments?|docs"
            r"|pipelines?|frontend|backend|data|site|website|blog|jobs)) (?:run|runs|is|are"
            r"|live|lives|sits?)(?: \w+)? (?:on|in|with|using|through) (?P<v>"
            rf"[\w.+#' -]{{2,30}}?){rest}$",
            _using,
        ),
        read_row(
            r"(?P<v>[A-Za-z][\w.+#' -]{1,40}?) is (?:my|our) (?:whole |entire |main "
            r"|current )*(?:setup|stack|toolchain|combo|workflow)$",
            _using,
        ),
        read_row(
            r"i (?:pay|bank|shop|invest|journal|read|listen|cook|travel|commute) (?:with|on"
            r"|in|by|using|through) (?P<v>[A-Z][\w.+#'-]{1,20})(?: .{0,20})?$",
            _used,
        ),
        read_row(
            rf"i {VERY}(?:code|program|write code|develop|write) (?:mostly |mainly "
            rf"|primarily )?in (?P<v>[\w.+# ]{{1,20}}?){rest}$",
            _using,
        ),
        read_row(
            rf"(?:all |most of )?(?P<we>our [\w ]{{2,25}}?|the whole \w+|everything) (?:is"
            r"|are) (?:written|built|coded|deployed|hosted|running) (?:in|with|on|using) "
            rf"(?P<v>[\w.+# -]{{2,40}}?){rest}$",
            _using,
        ),
        read_row(
            rf"(?P<v>[A-Za-z][\w.+# -]{{1,30}}?) is still (?:my|our) (?:main |default "
            rf"|preferred |go-to |daily )*(?:{_SORT}|tool|go-to|stack)$",
            _using,
        ),
        read_row(
            r"(?:my|our|the) (?:minimum |min |oldest |target |current )*(?:supported "
            r"|required )?(?P<name>[A-Za-z][\w.+#]{1,20})(?: version)? is (?:still |now )?"
            r"(?P<v>v?\d[\d.]{0,12})(?: now)?$",
            _version_of,
        ),
        read_row(
            r"(?:(?:my|our|the) )?(?P<we>prod|production|staging|dev|ci|server|backend"
            r"|frontend|cluster|api|work laptop|laptop)(?: server| environment| box)? (?:is"
            r"|runs|stays) (?:still |now )?(?:on|at|running)? ?(?P<v>"
            rf"[\w.+# -]{{2,40}}?){rest}$",
            _using,
        ),
        read_row(
            rf"(?P<we>{_PROJECT}) (?:uses|runs on|is on|is running|is built with|is built on"
            r"|is written in|targets|requires|needs|is using) (?P<v>"
            rf"[\w.+# -]{{2,40}}?){rest}$",
            _used,
        ),
        read_row(
            r"my (?:main |primary |default |preferred |go-to |daily |work |current )*"
            rf"(?P<of>{_SORT})(?: of choice)?(?:'s| is| runs)(?: now)? (?:an? |the )?"
            rf"(?P<v>.{{2,40}})$",
            _of_sort,
        ),
        read_row(
            r"my (?:main |work |current |dev )*(?:machine|laptop|computer|server|desktop"
            r"|box) (?:runs|is running|is on) (?P<v>[\w.+# -]{2,40})$",
            _using,
        ),
        read_row(
            r"(?:(?:my|our|the) )?(?:current |installed )?(?P<name>[\w.+#]{1,20}) version"
            r"(?:'s| is| in use is)(?: now)? (?P<v>v?\d[\w.]{0,15})$",
            _version_of,
        ),
        read_row(
            r"(?:my|our|the) (?:server|app|project|machine|laptop|backend|ci|cluster"
            r"|production|prod)(?: environment| server)? (?:runs|is running|is on|uses) "
            r"(?P<v>[\w.+# -]{2,40})$",
            _using,
        ),
    )


def _team(match: re.Match[str]) -> str:
    groups = match.groupdict()
    said = (groups.get("we") or groups.get("we2") or "").lower()
    if not said:
        return USER
    return (
        "project"
        if re.search(r"project|app|repo|codebase|backend|frontend|stack|service|server|api", said)
        else "team"
    )


def _upgraded(match: re.Match[str]) -> Found | None:
    name = (match["name"] or "").strip()
    old = match.groupdict().get("old") or ""
    pair = versioned(old) if old else None
    return upgraded(name or (pair[0] if pair else old), match["v"], subject=_team(match))


def _switched(match: re.Match[str]) -> Found | list[Found] | None:
    found = choice(match["v"], subject=_team(match), update=True)
    old = match.groupdict().get("old")
    if not found and old and product(old):  # "from Slack to something we built"
        found = None
    return found


def _moved_to(match: re.Match[str]) -> Found | None:
    """To move is said of people as well, so only to a product that is known."""
    known = "moved" in match.group().lower()
    return choice(match["v"], subject=_team(match), update=True, known=known)


def _with(match: re.Match[str]) -> list[Found] | None:
    named = match["v"].strip()
    known = not (named[:1].isupper() and len(named.split()) == 1)
    return _listed(match, known=known)


def _dropped(match: re.Match[str]) -> Found | None:
    if "no longer" not in match.group().lower() and not match["more"]:
        return None
    return _gone(match)


def _gone(match: re.Match[str]) -> Found | None:
    return choice(match["v"], subject=_team(match), withdraws=True)


def _used(match: re.Match[str]) -> list[Found] | None:
    return _listed(match, known=False)


def _listed(match: re.Match[str], *, known: bool) -> list[Found] | None:
    """The product named first, and known ones after it: "Linear for tickets, Notion for docs"."""
    subject = _team(match)
    parts = _AND.split(match.group()[match.start("v") - match.start() :])
    single = choice(match["v"], subject=subject, known=known)
    first = single or choice(_AND.split(match["v"])[0], subject=subject, known=known)
    if not first:
        return None
    more = (_FOR.split(part, maxsplit=1)[0] for part in parts[1:])
    others = [choice(part, subject=subject, known=True) for part in more]
    return [first, *(one for one in others if one)]


def _using(match: re.Match[str]) -> list[Found] | None:
    return _listed(match, known=True)


def _of_sort(match: re.Match[str]) -> Found | None:
    value = thing(match["v"], 40)
    predicate = _SORTS[match["of"].lower()]
    if not value or len(value.split()) > 6:
        return None
    pair = versioned(value)
    if pair and predicate == "os":
        return version(*pair)
    if predicate in ("device", "keyboard", "car") and not re.search(r"[A-Z0-9]", value):
        return None  # "my laptop is slow"
    if predicate not in ("device", "keyboard", "car") and not tool(value):
        return None
    return Found("config", USER, predicate, canonical(value))


def _version_of(match: re.Match[str]) -> Found | None:
    number = bare_version(match["v"])
    if not number or not (product(match["name"]) or match["name"][0].isupper()):
        return None
    return version(canonical(match["name"]), number)


def _daily(match: re.Match[str]) -> list[Found] | None:
    """What a machine is and runs, as far as its parts are known products."""
    parts = re.split(
        r"\s*(?:,|\+|\band\b|\bwith\b|\brunning\b|/)\s*",
        match.group("v") + " " + match.group()[match.end("v") :],
    )
    found = [choice(re.sub(r"\s+on it$", "", part), subject=USER, known=True) for part in parts]
    return [one for one in found if one] or None
