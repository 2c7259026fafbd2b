"""What a match says: statements made out of a pattern's fields and the groups that it found."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from itertools import chain

from mnemic.language.extract.entries import PLACEHOLDER, USER, Entry
from mnemic.language.extract.products import name_of, product, sort_of, split_version, version_of
from mnemic.language.extract.values import Values
from mnemic.language.value_types import fits
from mnemic.rules.slots import value_type
from mnemic.types import Candidate

_NAME = re.compile(r"[A-Za-z][\w.+#-]*(?: (?-i:[A-Z])\w*)?")
_HARDWARE = ("device", "keyboard", "car")


class StatementReader:
    """Makes statements of matches; ``values`` cleans and judges what stands in them."""

    def __init__(self, values: Values) -> None:
        self._values = values

    def read_match(self, entry: Entry, match: re.Match[str]) -> list[Candidate]:
        """The statements of a clause that an entry matches; none where a guard says no."""
        if entry.finds(entry.reject_clause, match.group()):
            return []
        change = entry.change or bool(match.groupdict().get("change"))
        return [
            replace(candidate, is_update=change and not entry.ended, withdraws=entry.ended)
            for candidate in _YIELDS[entry.yields](self, entry, match)
            if fits(value_type(candidate.predicate), candidate.value)
        ]

    def read_request(self, entry: Entry, match: re.Match[str]) -> str:
        """What a request to remember asks to be remembered, as it is written."""
        value = match["value"].strip()
        empty = not any(map(str.isalnum, value))  # "Remember that."
        return "" if empty or entry.finds(entry.reject, value) else value

    def _statement(self, entry: Entry, match: re.Match[str]) -> list[Candidate]:
        groups = match.groupdict()
        group = next((group for group in entry.value_groups if groups.get(group)), "value")
        written = groups.get(group) or ""
        if group != "value":
            written = self._values.clean(written)
        if entry.list != "each" or not written:
            return self._read_value(entry, groups, group, written)
        values = [text for text in entry.compile("{value_separator}").split(written) if text]
        reads = [self._read_value(entry, groups, group, value) for value in values]
        several = list(chain.from_iterable(reads))
        complete = len(several) == len(values) or len(values) == 1
        return several if complete else self._read_value(entry, groups, group, written)

    def _read_value(
        self, entry: Entry, groups: Mapping[str, str | None], group: str, written: str
    ) -> list[Candidate]:
        """A statement whose value was ``written`` in a ``group``."""
        value = self._value(entry, written)
        if written and not value:
            return []
        words: dict[str, str] = {group: value}
        if groups.keys() - words.keys():
            clean = self._values.clean
            words = {name: clean(text) for name, text in groups.items() if text} | words
        texts = (self._fill(entry, template, words) for template in entry.value)
        text = next(filter(None, texts), "")
        subject = self._subject(entry, groups)
        if not text or not subject:
            return []
        slot = self._fill(entry, entry.slot, words, joint="_")
        if entry.sort_slot != "never":
            used = self._product(value, listed=True)
            if used and used.predicate not in ("version", "uses"):
                slot, text = used.predicate, used.value
            elif entry.sort_slot == "only":
                return []
        first = Candidate(entry.kind, "", subject=subject, predicate=slot, value=text)
        first = replace(first, duration=entry.duration, asked=entry.asked)
        return [first, *self._also(entry, first, groups)]

    def _also(
        self, entry: Entry, first: Candidate, groups: Mapping[str, str | None]
    ) -> Iterator[Candidate]:
        """Second statements: "an engineer at Shopify" names a job and an employer."""
        for second in entry.also:
            raw = self._fill(entry, second["value"], groups)
            value = self._values.check(second.get("check", "thing"), raw) if raw else ""
            if not value or entry.finds(second.get("reject", ""), value):
                continue
            about = first.subject
            if "subject" in second:
                about = self._values.clean(self._fill(entry, second["subject"], groups))
            yield replace(first, subject=about, predicate=second["slot"], value=value)

    def _value(self, entry: Entry, raw: str) -> str:
        value = self._values.check(entry.check, entry.without(entry.trim, raw))
        if not value or entry.finds(entry.reject, value):
            return ""
        return "" if entry.require and not entry.finds(entry.require, value) else value

    def _fill(
        self, entry: Entry, template: str, words: Mapping[str, str | None], *, joint: str = " "
    ) -> str:
        """A template with its groups; empty where one of them found nothing."""
        if "{" not in template:
            return template
        if template == "{value}":
            return words.get("value") or ""
        blanks = PLACEHOLDER.findall(template)
        for group, table in blanks:
            text = words.get(group)
            if not text:
                return ""
            if table:
                word = text.lower()
                text = entry.vocabulary.table(table).get(word, word)
            if joint == "_":
                text = "_".join(text.lower().split())
            template = template.replace(f"{{{group}:{table}}}" if table else f"{{{group}}}", text)
        return template

    def _subject(self, entry: Entry, groups: Mapping[str, str | None]) -> str:
        """Whom or what a statement is about; empty where that is only pointed at."""
        about = ""
        for group in ("subject", "object"):
            about = self._values.clean(groups.get(group) or "")
            about = entry.without(entry.subject_trim, about)
            if about:
                break
        if about and entry.finds(entry.subject_reject, about):
            return ""
        about = about or entry.subject
        if entry.subject_form == "product":
            return name_of(about)
        return about.lower() if entry.subject_form == "lower" else about

    def _team(self, entry: Entry, match: re.Match[str]) -> str:
        named = match.groupdict().get("named")
        if named:
            return named
        team = match.groupdict().get("team")
        if not team:
            return USER
        project = entry.compile("{project_words}")
        return "project" if project.search(team) else "team"

    def _product(self, text: str, *, subject: str = USER, listed: bool = False) -> Candidate | None:
        """The product in use, in the slot of its version or of its sort."""
        text = self._values.clean(text)
        pair = None if product(text) else split_version(text)
        if pair:
            return self.version(pair[0], pair[1], subject=subject)
        name = self._values.tool(text, listed=listed)
        slot = sort_of(name) or "uses"
        return (
            Candidate("config", "", subject=subject, predicate=slot, value=name) if name else None
        )

    def version(self, name: str, number: str, *, subject: str = USER) -> Candidate:
        """An operating system is its name and number; of anything else the number changes."""
        if sort_of(name) == "os":
            system = f"{name} {number}"
            return Candidate("config", "", subject=subject, predicate="os", value=system)
        return Candidate("config", "", subject=name, predicate="version", value=number)

    def _products(self, entry: Entry, match: re.Match[str]) -> list[Candidate]:
        """The product named first, and known ones after it: "Linear for work and Notion"."""
        subject = self._team(entry, match)
        listed = entry.known or bool(match.groupdict().get("known"))
        value = entry.without(entry.trim, match["value"])
        single = self._product(value, subject=subject, listed=listed)
        if entry.list == "one":
            return [single] if single else []
        separator = entry.compile("{list_separator}")
        first = single or self._product(separator.split(value)[0], subject=subject, listed=listed)
        if not first and entry.list == "first":
            return []
        purpose = entry.compile("{purpose}.*")
        parts = separator.split(match.group()[match.start("value") - match.start() :])[1:]
        others = (
            self._product(purpose.sub("", text), subject=subject, listed=True) for text in parts
        )
        return list(filter(None, (first, *others)))

    def _upgrade(self, entry: Entry, match: re.Match[str]) -> list[Candidate]:
        """A change of version; the product may stand on either side, or nowhere.

        Where it is not named the statement has no subject: it is found in what was said before.
        """
        groups = match.groupdict()
        old, target = (groups.get("old") or "").strip(), self._values.clean(match["value"])
        name = self._bare_name(entry, groups.get("name") or "")
        if old and not product(name) and (split_version(old) or product(old)):
            name = ""  # "the database from MySQL 5.7 to 8.0"
        named = split_version(target)
        if named:
            return [self.version(*named, subject=self._team(entry, match))]
        number = version_of(target)
        is_name = product(name) or split_version(name) or _NAME.fullmatch(name)
        if not number or (name and not is_name):
            return []
        name = name or self._bare_name(entry, old)
        pair = split_version(name)
        name = name_of(pair[0] if pair else name)
        return [self.version(name, number, subject=self._team(entry, match))]

    def _bare_name(self, entry: Entry, name: str) -> str:
        return entry.compile("{around_names}").sub("", name.strip()).strip()

    def _version(self, entry: Entry, match: re.Match[str]) -> list[Candidate]:
        number, name = version_of(match["value"]), match["name"]
        if not number or not (product(name) or name[0].isupper()):
            return []
        return [self.version(name_of(name), number)]

    def _sort(self, entry: Entry, match: re.Match[str]) -> list[Candidate]:
        """ "My editor is Helix": the slot is named, the product has to fit it."""
        value = self._values.thing(match["value"], 40)
        predicate = entry.vocabulary.table("sorts")[match["of"].lower()]
        if not value or len(value.split()) > 6:
            return []
        pair = split_version(value)
        subject = self._team(entry, match)
        if pair and predicate == "os":
            return [self.version(*pair, subject=subject)]
        hardware = predicate in _HARDWARE
        if hardware and not entry.finds(entry.require, value):
            return []  # "my laptop is slow"
        if not hardware and not self._values.tool(value):
            return []
        return [Candidate("config", "", subject=subject, predicate=predicate, value=name_of(value))]


_YIELDS: Mapping[str, Callable[[StatementReader, Entry, re.Match[str]], list[Candidate]]] = {
    "statement": StatementReader._statement,
    "product": StatementReader._products,
    "upgrade": StatementReader._upgrade,
    "version": StatementReader._version,
    "sort": StatementReader._sort,
}
