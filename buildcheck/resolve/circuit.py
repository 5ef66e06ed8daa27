"""The wall circuit: its outlet in words or by name, and what is usual where it is."""

from functools import reduce
from itertools import combinations
from typing import Any

from buildcheck.catalog import Catalog, NameUnknownError
from buildcheck.catalog.typical import TYPICAL
from buildcheck.logic.quantity import ZERO, Interval, number_text
from buildcheck.model.build import Build
from buildcheck.model.graph import Subject
from buildcheck.model.money import local, price_in
from buildcheck.model.part import NO_WORD, USER, Source, Sourced
from buildcheck.model.source import leaves
from buildcheck.model.strict import Strict
from buildcheck.resolve.naming import Naming
from buildcheck.resolve.remarks import with_words
from buildcheck.words.facts import Fields, facts_in
from buildcheck.words.keys import value_hint

Facts = dict[str, Sourced]
OURS = NO_WORD._replace(confidence="method")


def circuit(build: Build, naming: Naming) -> Subject:
    """The wall circuit as a subject, with what is usual of it where that is not stated."""
    facts = naming.given(_placed(build.site, naming), ("site",)) if build.site else {}
    own = {n for n, f in facts.items() if f.source is USER}
    facts = _of_outlet(facts, own, naming) if "outlet" in own else facts
    if own & {"voltage", "breaker"} and "outlet" not in own:
        # Not the country's usual outlet, so its sustained limit does not hold either.
        facts = {n: f for n, f in facts.items() if n in own or not n.startswith("continuous")}
    if {"voltage", "breaker"} <= set(facts) and "continuous_current" not in facts:
        facts = _like_outlets(facts, naming)
    if "country" in facts:
        _check_dollars(facts["country"].value, naming)
    elif "voltage" not in facts:
        facts |= _by_currency(naming)
    if "breaker" in own and "voltage" not in facts and (volts := _mains(naming)):
        facts |= {"voltage": Sourced(volts, OURS, "derived", "", "mains of all countries")}
    nothing = Sourced(ZERO, NO_WORD, "assumption", "", "nothing else on the circuit is stated")
    facts = {"other_load": nothing, **facts}
    wide: Facts = {}
    if "outlets" in facts and not own & {"outlet", "voltage", "breaker", "continuous_current"}:
        facts, wide = _at_home(facts, naming)
    is_listed = {"voltage", "breaker"} <= {*facts}
    return Subject("site", "circuit", "wall circuit", facts, ("site",), is_listed, wide=wide)


def _at_home(facts: Facts, naming: Naming) -> tuple[Facts, Facts]:
    """The household outlet of a country as what is usual, and what all its outlets agree on."""
    names = sorted(facts["outlets"].value)
    outlets = [naming.catalog.part(naming.catalog.find("outlet", n)).facts for n in names]
    usual, wide = {}, {}
    for name in [n for n in facts if n == "outlet" or n in outlets[0]]:
        values = [outlet[name].value for outlet in outlets if name in outlet]
        if len(values) == len(outlets) and all(v == facts[name].value for v in values):
            continue
        usual[name] = facts[name]._replace(confidence=TYPICAL)
        if values and all(isinstance(v, Interval) for v in values):
            wide[name] = facts[name]._replace(value=reduce(Interval.hull, values))
    return {**facts, **usual}, wide


def _behind_smaller(facts: Facts, rated: Interval) -> Facts:
    """The sustained current of an outlet behind a stated breaker of at most its rating.

    Where a code asks for it, the same share of the breaker; else no more than the breaker.
    """
    limit, breaker = facts["continuous_current"], facts["breaker"].value
    # Couplers have two ratings, of IEC and of North America: that of the breaker before them.
    rated = breaker if rated.low <= breaker.low <= breaker.high <= rated.high else rated
    share, code = limit.value / rated * breaker, facts.get("continuous_is_code")
    is_code = code is not None and code.value is True
    high = share.high if is_code else min(limit.value.high, breaker.high)
    value = Interval(min(share.low, high), high)
    derived = limit._replace(value=value, confidence="derived", note="for the stated breaker")
    return {"continuous_current": derived}


def _check_dollars(country: str, naming: Naming) -> None:
    """A plain `$` is USD, but for who stands where other dollars are."""
    code = naming.catalog.find("country", country).rpartition("/")[2]
    currency = local("$", code)
    for path, text in leaves(naming.document.data) if currency != "USD" else ():
        price = price_in(text)
        if price and price.currency == "$":
            words: dict[str, Any] = {"amount": price.amount, "currency": currency}
            naming.complain(path, "which-dollar", soft=False, **words)


def _by_currency(naming: Naming) -> Facts:
    """The usual voltage where people pay in the currency of all prices, but for USD."""
    prices = [price for _, text in leaves(naming.document.data) if (price := price_in(text))]
    code = prices[0].currency if len({p.currency for p in prices}) == 1 else None
    found = _mains(naming, code) if code not in (None, "USD") else None
    source = Source(f"mains where prices are in {code}", "", TYPICAL)
    return {"voltage": Sourced(found, source, TYPICAL, "")} if found else {}


def _mains(naming: Naming, currency: str | None = None) -> Interval | None:
    """The voltage of household outlets: of all countries, or where people pay in a currency."""
    catalog, volts = naming.catalog, []
    for country in map(catalog.part, catalog.ids("country")):
        tariff = country.value("electricity_price")
        if currency is None or (tariff is not None and tariff.currency == currency):
            outlet = catalog.find("outlet", country.value("outlet"))
            volts.append(catalog.part(outlet).value("voltage"))
    return reduce(Interval.hull, volts) if volts else None


def _of_outlet(facts: Facts, own: set[str], naming: Naming) -> Facts:
    """Facts of a circuit whose outlet is named, with what that outlet has to carry."""
    outlet = _agree(facts, naming)
    if "breaker" in own and _may_be_before(facts["breaker"], outlet):
        # What is plugged in is held to what the outlet is rated.
        facts = {**facts, "breaker": outlet["breaker"]}
    facts = _by_its_name(facts, naming)
    if "breaker" in own and facts["breaker"].value.high > outlet["breaker"].value.high:
        # Several outlets of a PDU share what the breaker before it carries.
        facts = {n: f for n, f in facts.items() if not n.startswith("continuous")}
    elif "breaker" in own and "continuous_current" in facts:
        facts |= _behind_smaller(facts, outlet["breaker"].value)
    return facts


def _agree(facts: Facts, naming: Naming) -> Facts:
    """The facts of the named outlet, and problems for circuit values that contradict them."""
    outlet = naming.catalog.part(naming.catalog.find("outlet", facts["outlet"].value))
    for name, unit in (("voltage", "V"), ("breaker", "A")):
        rated, given = outlet.facts.get(name), facts.get(name)
        if rated is None or given is None or given.source is not USER:
            continue
        # A smaller breaker may be behind an outlet; one of a PDU may be behind several outlets.
        is_beyond = given.value.high > rated.value.high
        if name == "breaker" and not rated.value.is_exact:
            continue
        is_beyond &= name == "voltage" or not _may_be_before(given, outlet.facts)
        if is_beyond or (name == "voltage" and given.value.low < rated.value.low):
            words = {"rated": number_text(rated.value.high), "given": number_text(given.value.high)}
            words |= {"name": name, "unit": unit, "outlet": outlet.name}
            naming.complain(("site", name), "beyond-outlet", soft=False, **words)
    return outlet.facts


def _may_be_before(breaker: Sourced, outlet: Facts) -> bool:
    """Is a breaker larger than an outlet is rated, and no larger than may be before several?"""
    largest, rated = outlet.get("largest_breaker"), outlet["breaker"].value.high
    return largest is not None and rated < breaker.value.high <= largest.value.high


def _by_its_name(facts: Facts, naming: Naming) -> Facts:
    """The country's outlets, that of the build file among them unless it is another country's.

    Those of a PDU are listed by no country.
    """
    local, named = facts.get("outlets"), facts["outlet"].value
    own = naming.catalog.known("outlet", named)
    of_all = (naming.catalog.part(i).facts.get("outlets") for i in naming.catalog.ids("country"))

    def has(found: Sourced | None) -> bool:
        return found is not None and own in {naming.catalog.known("outlet", n) for n in found.value}

    if local is None or (not has(local) and any(map(has, of_all))):
        return facts
    part, find = naming.catalog.part, naming.catalog.find
    usual = part(find("country", facts["country"].value)).value("outlet")
    there = part(find("outlet", usual)).value("voltage")
    low_line = standards(naming.catalog)["low_line_max"].value.high
    if max(there.high, facts["voltage"].value.high) <= low_line:
        # Where others have the same socket, the mains are those of the country: 100 V in Japan.
        facts = {**facts, "voltage": facts["voltage"]._replace(value=there)}
    if not has(local):
        listed = [part(find("outlet", n)).facts for n in sorted(local.value)]
        facts = facts | _coupler(facts, listed)
    return {**facts, "outlets": local._replace(value=local.value | {named})}


def _coupler(facts: Facts, listed: list[Facts]) -> Facts:
    """What is open of an outlet of a PDU, by all outlets of its country.

    Its voltage is one of theirs; its ratings are those of IEC, the lower ones, where no code asks
    for a share of the breaker.
    """
    found = {"voltage": reduce(Interval.hull, (outlet["voltage"].value for outlet in listed))}
    if not any(o["continuous_is_code"].value for o in listed if "continuous_is_code" in o):
        ratings = (n for n in ("breaker", "continuous_current") if n in facts)
        found |= {n: Interval(*[facts[n].value.low] * 2) for n in ratings}
    return {n: facts[n]._replace(value=v) for n, v in found.items() if facts[n].source is not USER}


def _like_outlets(facts: Facts, naming: Naming) -> Facts:
    """What all known outlets of the given voltage and breaker agree on.

    Where there are none, or they do not agree, the sustained current of the circuit is a range.
    """
    listed = (naming.catalog.part(i).facts for i in naming.catalog.ids("outlet"))
    outlets = [o for o in listed if "voltage" in o and o["breaker"].value.is_exact]
    rating, volts = ("voltage", "breaker"), facts["voltage"].value
    alike = [o for o in outlets if o["breaker"].value == facts["breaker"].value]
    # An outlet that is used at 208 V and at 240 V is used at nothing between.
    ends = [(o["voltage"].value.low, o["voltage"].value.high) for o in alike]
    alike = [o for o, of in zip(alike, ends, strict=True) if {volts.low, volts.high} <= {*of}]
    result = dict(facts)
    for name in ("continuous_current", "continuous_is_code"):
        found = [o[name] for o in alike if name in o]
        if found and len(found) == len(alike) and all(f.value == found[0].value for f in found):
            result[name] = found[0]
    if "continuous_current" not in result:
        advised = _advised(facts, [o for o in outlets if {*rating, "continuous_current"} <= set(o)])
        if advised is not None:
            note = "anything that is advised of known outlets, for their own rating or for this one"
            result["continuous_current"] = Sourced(advised, OURS, "derived", "", note)
    return result


def _advised(facts: Facts, outlets: list[Facts]) -> Interval | None:
    """Advised sustained current of a circuit without a named outlet, as a range; None if unknown.

    Each known outlet advises a share of its rating, and behind the breaker there may be an outlet
    of a smaller one: the next smaller of that voltage that is known.
    """
    breaker, voltage = facts["breaker"].value, facts["voltage"].value
    shares = [o["continuous_current"].value / o["breaker"].value for o in outlets]
    found = [share * breaker for share in shares]
    smaller = [
        o
        for o in outlets
        if voltage.high in (o["voltage"].value.low, o["voltage"].value.high)
        and o["breaker"].value.high <= breaker.low
    ]
    largest = max((o["breaker"].value.high for o in smaller), default=0.0)
    found += [o["continuous_current"].value for o in smaller if o["breaker"].value.high == largest]
    return reduce(Interval.hull, found) if found else None


def standards(catalog: Catalog) -> Facts:
    """The facts of all standards together."""
    standards = (catalog.part(part_id).facts for part_id in catalog.ids("standard"))
    return {name: fact for facts in standards for name, fact in facts.items()}


#: How many letters the code of a country has.
_CODE = 2


def _placed(site: Strict, naming: Naming) -> Strict:
    """A site whose `outlet` or `country` is in words: `US 120V 15A`, `Schuko at home`, `16A`."""
    kind = "outlet" if vars(site)["outlet"] else "country"
    text, at = vars(site)[kind], ("site", kind)
    if text is None or len(naming.catalog.index.called(kind, text)) == 1:
        return site
    fields, rest = facts_in("site", text)
    where, left = _place(rest, naming)
    bare = site.model_construct(**{n: getattr(site, n) for n in site.model_fields_set - {kind}})
    if not where and (left or not fields):
        try:
            where = {kind: naming.catalog.part(naming.catalog.find(kind, text)).name}
            fields, left = {}, left if fields else ""
        except NameUnknownError as error:
            where = _shared(error.ids, site, naming)
            if not (where or fields):
                advice = "Name it, such as Schuko, or write '230V 16A'"
                naming.unknown(kind, text, error, at, advice)
                return bare
    if left:
        naming.aside(left, at, value_hint(("site", "rest"), left))
    return with_words({**fields, **where}, bare, ("site",), naming)


def _shared(outlets: tuple[str, ...], site: Strict, naming: Naming) -> Fields:
    """The one of several outlets that has the stated voltage, else what they share."""
    volts = {i: naming.catalog.part(i).facts["voltage"].value for i in outlets}
    alike = [i for i, v in volts.items() if vars(site)["voltage"] in (None, v)]
    if len(alike) == 1:
        return {"outlet": naming.catalog.part(alike[0]).name}
    return {n: f.value for n, f in (naming.shared(tuple(alike)) if alike else {}).items()}


def _place(text: str, naming: Naming) -> tuple[dict[str, str], str]:
    """The outlet and the country in a text, and what is left of it."""
    where: dict[str, str] = {}
    listed = text.split()
    for kind in ("outlet", "country"):
        spans = combinations(range(len(listed) + 1), 2)
        for start, end in sorted(spans, key=lambda s: s[0] - s[1]):
            name = " ".join(listed[start:end])
            # Codes of countries are words too: `in`, `at`, `no`.
            if (len(name) > _CODE or name.isupper()) and naming.catalog.known(kind, name):
                where[kind] = name
                del listed[start:end]
                break
    return where, " ".join(listed)
