"""Each row of a list → an entry of the section it belongs to, or a comment.

What the catalogue knows becomes entries, and what words describe. All else is kept at its place:
parts to be chosen by hand with the names nearest to them, parts that no rule looks at, and lines
that cannot be read. Nothing of the list is left out.
"""

import re
from dataclasses import replace

import buildcheck.importers.part_list.mentions as texts
from buildcheck.importers.part_list.asking import ORDER, Asking, Place, section_said
from buildcheck.importers.part_list.lines import DESCRIBED, joined
from buildcheck.importers.part_list.looks import apart, works
from buildcheck.importers.part_list.markup import printable
from buildcheck.importers.part_list.quote import mismatch, stated_price, states_term
from buildcheck.importers.part_list.rows import (
    Entry,
    Imported,
    Line,
    PartList,
    Row,
    Unresolved,
    limit,
    most,
)
from buildcheck.importers.part_list.sayings import (
    DECISIVE,
    as_many,
    kind_of,
    may_be_part,
    mentions,
    no_further_parts,
    of_one,
    riser_row,
    servers_in,
    settings_of,
)
from buildcheck.importers.part_list.spoken import is_spoken, noted, take_sentences, without_part
from buildcheck.model.build import SECTION_KIND
from buildcheck.model.graph import by_key
from buildcheck.model.values import LONGEST
from buildcheck.model.vocabulary import listed, vocabulary, worded
from buildcheck.words import keys
from buildcheck.words.around import without, without_psus
from buildcheck.words.facts import facts_in

#: Sections whose unknown parts stay in force, and those that a machine fits around.
_FITTING = DECISIVE | {"risers", "case", "add_in_cards"}
_PLAIN, _SAID = ("risers", "nvlink"), vocabulary("part-lists")["writing"]


class Placing:
    """The sections as far as rows have been put into them."""

    def __init__(self, asking: Asking) -> None:
        self._asking, self._date, self._gpus = asking, "", list[Row]()
        self.made = Imported()
        self.sections: dict[str, list[Entry]] = {section: [] for section in ("server", *ORDER)}
        #: Rows of no section, each with what has to be done about it.
        self.others: list[tuple[Row, list[str]]] = []
        self._held: dict[tuple[str, str, str], Entry] = {}

    @property
    def entries(self) -> list[Entry]:
        """The entries of all sections."""
        return [entry for entries in self.sections.values() for entry in entries]

    def take(self, parts: PartList) -> Imported:
        """Place all rows, and of the kept lines those that name a part."""
        asking = self._asking
        take_sentences(parts, asking)
        self._date, self.made.settings = parts.date[:10], settings_of(parts, asking)
        taken = {line for lines in self.made.settings.values() for line, _ in lines}
        # The rows first: of a long text not all is asked for.
        placed = [at for row in parts.rows if row.at not in taken for at in apart(row, asking)]
        is_server = bool(servers_in([*parts.kept, *(at.row.at for at in placed)], asking))
        whole = no_further_parts(placed, parts, is_server=is_server)
        placed = [at for at in placed if at not in whole]
        parts.notes += [at.row.at for at in whole]
        self._gpus = [at.row for at in placed if at.section == "gpus"]
        placed, many = of_one([as_many(at, self._gpus) for at in placed])
        self.made.settings |= {"machines": many} if many else {}
        typed = {at.answer.part_id for at in placed}
        # A line may name a part, and say how it is used.
        guesses = [row for row in parts.guesses if not is_spoken(row, asking)]
        guess_at = ((row, asking.place(row)) for row in guesses)
        rows = (row for row, at in guess_at if row.at not in taken or at.is_part or at.is_sure)
        places_of = [apart(row, asking) for row in rows]
        others, guessed = [at for places in places_of for at in places], list[Place]()
        for places in places_of:
            sure = [g for at in places if (g := self._guess(at, typed))]
            # Next to a part a GPU is one, whatever its name.
            gpus = [at for at in places if at.section == "gpus" and not at.answer.part_id]
            sure += [at for at in gpus if sure and at not in sure]
            guessed += [as_many(at, self._gpus) for at in sure]
        placed, named = self._spoken(parts, placed, guessed)
        named += self._lacking(parts, placed, [*guessed, *named], others)
        self.made.in_text = [at.row for at in named if at.by_name or at.is_server]
        self._gpus += [at.row for at in named if at.section == "gpus"]
        named = self._with_risers(parts.kept, named, taken | {g.row.at for g in guessed})
        guessed += named
        for at in noted(sorted([*placed, *guessed], key=lambda p: p.row.line), self.made):
            self._put(at)
        self._close(parts, guessed, taken | {g.row.at for g in guessed})
        return self.made

    def _spoken(
        self, parts: PartList, placed: list[Place], guessed: list[Place]
    ) -> tuple[list[Place], list[Place]]:
        """The parts placed, and those that sentences name of sections that have none so far."""
        found = {at.section for at in (*placed, *guessed)}
        is_open = not found & {"motherboard", "case"}
        servers = servers_in(parts.kept, self._asking)[:1] if is_open else []
        whole = [at for at in (*placed, *guessed, *servers) if at.is_server]
        # Which has its own board, and may say what PSUs it has.
        own = {"motherboard": whole, "psus": [n for n in whole if without_psus(n.row.name)[1]]}
        found |= {section for section, servers_with in own.items() if servers_with}
        # What a row of another kind says is of that.
        open_to = [at for at in placed if at.is_server or not at.row.section]
        lines = {*parts.kept, *(at.row.at for at in open_to if not at.is_described)}
        lines -= {at.row.at for at in guessed if at.is_part and not at.is_server}
        named = texts.named(texts.SPOKEN - found, sorted(lines), self._asking)
        rows = {at.row.at for at in open_to}
        for n, one in enumerate(named):
            if one.row.at in rows:
                # What a row costs is said once.
                named[n] = replace(one, row=replace(one.row, price=None))
            placed = [without_part(at, one.section, self._asking) for at in placed]
            # What it stands next to is set without it, but for what blows at it.
            row = one.row
            for said in (said for key, said in self.made.settings.items() if key != "cooling"):
                said[:] = [(at, without(v, row.name) if at == row.at else v) for at, v in said]
        return placed, [*servers, *named]

    def _with_risers(self, kept: list[Line], named: list[Place], taken: set[Line]) -> list[Place]:
        """The parts that lines name, and the risers that lines and their clauses tell of."""
        of, clauses = {at.row.at for at in named}, keys.phrase("clauses")
        on_risers = _SAID["on_risers"]
        risers, outside = list[Place](), set[Line]()
        for line in (line for line in kept if line not in taken):
            here = [row for row in self._gpus if row.at == line]
            said = [line.text]
            if line in of:
                said = [t for c in re.split(clauses, line.text) for t in re.split(on_risers, c)]
            found = (riser_row(Line(line.line, text), here or self._gpus) for text in said)
            rows = [row for row in found if row]
            risers += [self._asking.placed(row, "risers") for row in rows]
            are_docks = any(texts.OUTSIDE.search(row.raw) for row in rows)
            if are_docks and sum(r.count for r in rows) == sum(r.count for r in here):
                outside.add(line)
        for n, at in enumerate(named):
            is_told = at.row.at in outside or "riser" in at.row.settings
            if risers and at.by_name and at.section == "gpus" and is_told:
                # It is outside, on one that is listed apart.
                settings = at.row.settings | {"riser": True}
                named[n] = replace(at, row=replace(at.row, settings=settings))
        return [*named, *risers]

    def _lacking(
        self, parts: PartList, placed: list[Place], guessed: list[Place], others: list[Place]
    ) -> list[Place]:
        """What one line alone can be, whatever its name; and a GPU that a text adds."""
        found = {"motherboard" if at.is_server else at.section for at in (*placed, *guessed)}
        said = by_key((section_said(at.row), at.row) for at in others)
        alone = (s for s in sorted(DECISIVE - found) if len(said.get(s, ())) == 1)
        lacking = [self._asking.placed(said[section][0], section) for section in alone]
        return [*lacking, *texts.one_more([*placed, *guessed, *lacking], parts.kept, self._asking)]

    def _close(self, parts: PartList, guessed: list[Place], taken: set[Line]) -> None:
        """Note what was not taken, and all that is known only in the end."""
        asked = {unknown.row.at for unknown in self.made.unresolved}
        for section, entries in self.sections.items():
            fault = worded("too-many-of-kind", most=most(section))[0]
            more = (entry.rows[0] for entry in limit(section, entries))
            rows = (replace(row, fault=fault) for row in more if row.at not in asked)
            self.made.unresolved += map(Unresolved, rows)
        lines = (n for n in (*parts.kept, *parts.titled) if n not in taken)
        if "workload" not in self.made.settings and (work := works(lines)):
            self.made.settings |= {"workload": work[:1]}
            taken.add(work[0][0])
        # A quote lists what it names without a price too, each once.
        lines_of = {row.line for row in parts.rows if row.price}
        parts.rows += [g.row for g in guessed if not (g.row.price or g.row.line in lines_of)]
        made = self.made
        sites = [line for line, _ in made.settings.get("site", ())]
        parts.rows = [row for row in parts.rows if row.price or row.at not in sites]
        made.kept = [line for line in parts.kept if line not in taken]
        made.unread = self._unread(parts)
        made.unresolved.sort(key=lambda u: u.row.line)
        made.mismatch, made.aside = mismatch(parts), [row for row, _ in self.others]
        made.entries = sum(not entry.left_out for entry in self.entries)

    def _unread(self, parts: PartList) -> list[Line]:
        """The lines that may name parts: a second CPU or motherboard could be the one meant."""
        named = {word for row in parts.rows for word in re.findall(r"\w+", row.name.lower())}
        lacks, unread = not self.sections["psus"], self.made.unread
        lines = (n for n in self.made.kept if n in unread or may_be_part(n, lacks_psu=lacks))
        entries = (e for s in DECISIVE for e in self.sections.get(s, ()))
        only = [row.at for e in entries if "only-one" in e.why for row in e.rows]
        return [*(n for n in lines if not mentions(n, named)), *only]

    def _guess(self, at: Place, typed: set[str]) -> Place | None:
        """A kept line as a part; None if it is not sure to be one, or the list has it already."""
        row = at.row
        is_bridge = at.section == "nvlink" and (at.said.fields or at.is_described)
        is_drive = at.section == "storage" and "capacity" in at.said.fields
        is_worded = at.is_described and at.section in DESCRIBED
        if at.is_server or is_bridge or is_worded or (is_drive and not at.answer.is_known):
            return at
        if at.answer.part_id:
            return None if at.answer.part_id in typed else at
        is_text = at.section not in ("memory", *_FITTING) or re.search(r"\b[a-z]{2}", at.said.rest)
        if (at.said.fields and not is_text) or at.is_sure:
            return at
        has_digit = any(map(str.isdigit, row.name))
        if at.several or at.answer.ambiguous or at.by_name:
            return at if has_digit else None
        is_term = states_term(row.raw) or keys.charge_of(row.raw.strip())
        is_site = not facts_in("site", row.raw.strip(" .!")).rest
        says = re.search(r"\w", re.sub(keys.phrase("harmless"), "", row.raw)) and not is_site
        is_part = says and has_digit and keys.said_by(row.raw) != keys.NONE and not is_term
        if is_part and row.at not in self.made.unread:
            self.made.unread.append(row.at)
        return None

    def _put(self, at: Place) -> None:
        """Make an entry of a row, or keep it for a comment."""
        row, section, answer, facts = at.row, at.section, at.answer, at.facts
        if section not in self.sections or keys.value_hint((section, "piece"), row.name):
            self._set_aside(at)
            return
        is_riser = facts and section == "risers"
        if is_riser and (row.price or re.search(r"(?i)\bgpus? ?#?\d", row.name)):
            # It names the GPUs on them, or a quote has it under its name.
            facts = {"part": printable(row.name), **facts}
        # No part of the catalogue is an SXM module, whatever name it comes near.
        is_module = bool(keys.value_hint((section, "part"), row.name))
        is_known = answer.part_id or at.is_worded or at.is_server or at.is_described
        is_open = not (facts or is_known or is_module)
        if facts:
            # What its words say beyond them may change it, but for the model of a drive.
            row = replace(row, note=joined(row.note, at.said.rest * (section in _PLAIN)))
            self.made.by_text.append(row)
        if row.fault or is_open:
            unknown = Unresolved(row, SECTION_KIND[section], answer.near, answer.ambiguous)
            self.made.unresolved.append(unknown)
        price = stated_price(row, self._date)
        if row.price and row.price.amount > 0 and not (price or row.owned):
            self.made.unpriced.append(row)
        key = (section, answer.part_id or row.name, price)
        if (held := self._held.get(key)) and held.takes(row):
            held.rows.append(row)
            return
        is_own = at.is_server and answer.part != answer.part_id
        part = (not is_own and answer.part) or printable(row.name)
        what = ("several" if answer.ambiguous else "unknown") if answer.asked else "not-asked"
        why = [row.fault] * bool(row.fault) + ["by-name"] * at.by_name
        why += [f"{what}-by-text"] if facts else [what] if is_open else []
        stays = is_known or facts or answer.ambiguous or section in _FITTING
        left_out = bool(not stays or not 0 < len(part) <= LONGEST or row.fault)
        near = answer.near if is_open else ()
        self._held[key] = Entry("" if facts else part, [row], facts, price, why, near, left_out)
        self.sections["server" if at.is_server else section].append(self._held[key])

    def _set_aside(self, at: Place) -> None:
        """Keep a row of no section, and say so if the machine needs to have it looked at."""
        row = at.row
        if at.several:
            kinds = tuple(SECTION_KIND[s] for s in at.several)
            near = tuple(
                f"{SECTION_KIND[s]}: {' | '.join([a.part_id] if a.part_id else a.near[:3])}"
                for s, a in at.several.items()
            )
            unknown = Unresolved(row, kinds[0], near, ambiguous=True, kinds=kinds)
            self.made.unresolved.append(unknown)
            self.others.append((row, ["kinds", *near]))
            return
        is_said = keys.is_said(row.section)
        why = [] if at.asked or is_said else ["not-asked"]
        looks = "" if is_said else kind_of(row.name)
        if looks:
            why.append(f"looks like a {looks}, not in the catalogue")
        is_machine = {*re.findall(r"\w+", row.name.lower())} & {*listed(vocabulary()["machines"])}
        is_unnamed = not (row.section or is_machine or keys.is_charge(row.name))
        if looks or row.fault or (is_unnamed and at.section == keys.ANY):
            self.made.unresolved.append(Unresolved(row, looks))
        why += [row.fault] if row.fault else []
        self.others.append((row, why))
