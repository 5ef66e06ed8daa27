"""A wish → for each role of the machine the options that may fill it, the best first.

What an option is worth is in the order of the wish: first what it is to be best at, then
money, in hundredths. Nothing here says whether options go together; that is the law's.
"""

import math
from collections.abc import Iterator
from dataclasses import replace
from functools import cached_property
from typing import Any

from buildcheck.catalog import Catalog
from buildcheck.configure.search.classes import Classes, PartClass
from buildcheck.configure.search.floors import Floors, is_offered
from buildcheck.configure.search.law import Ground
from buildcheck.configure.search.space import Option, option_of
from buildcheck.configure.wish.model import CaseWish, GpuWish
from buildcheck.configure.wish.wish import Wish
from buildcheck.configure.wish.words import Vocabulary, WishMeaning
from buildcheck.logic.quantity import Interval, exact, number_text
from buildcheck.model.build import SECTION_KIND
from buildcheck.model.graph import Subject
from buildcheck.model.part import USER, Part, Sourced
from buildcheck.model.strict import Strict
from buildcheck.rulebook.proposals import proposals


class Lists:
    """The options of every role that a wish leaves open."""

    def __init__(self, wish: Wish, catalog: Catalog, classes: Classes, ground: Ground) -> None:
        self.wish, self.catalog, self.classes, self.ground = wish, catalog, classes, ground
        self._offers = proposals()
        self._words = words = Vocabulary(catalog)
        self._avoid = [words.avoided(word) for word in wish.avoid]
        self._platforms = [words.platform(word) for word in wish.platform]

    def of(self, role: str) -> list[Option]:
        """The options of one role by price; one where it is given."""
        if role in self.ground.given:
            own = Option(role, given=self.ground.given[role])
            return [own, *self._held(own)] if role == "gpus" else [own]
        options = self._cards if role == "gpus" else list(getattr(self, f"_{role}")())
        return sorted(options, key=lambda o: (o.price, o.order))

    def _sorts(self, role: str, avoid: tuple[WishMeaning, ...] = ()) -> Iterator[PartClass]:
        """The classes of a kind without the members that are to be avoided."""
        words, sorts = (*self._avoid, *avoid), self.classes.of(SECTION_KIND[role]).classes
        for sort in sorts if words else ():
            parts = (
                Part(m.part, self.catalog.index.name(m.part), sort.facts) for m in sort.members
            )
            avoided = {p.id for p in parts if any(self._words.is_avoided(p, w) for w in words)}
            if left := [m for m in sort.members if m.part not in avoided]:
                yield sort.only(left)
        yield from () if words else sorts

    def _named(self, role: str, wish: Strict | None) -> Iterator[PartClass]:
        """The classes of a part that is wished for by name; all without a name."""
        if not (wish and wish.part):
            asked = {*wish.model_fields_set} if wish else set()
            # Who has a CPU, or names one, asks for its socket.
            if (
                self._platforms
                or "cpu" in self.ground.given
                or (self.wish.cpu and self.wish.cpu.part)
            ):
                asked.add("socket")
            yield from (s for s in self._sorts(role) if is_offered(role, s, asked))
            return
        wanted = self.catalog.find(SECTION_KIND[role], wish.part)
        yield from (mine for sort in self._sorts(role) if (mine := _only(sort, wanted)))

    @cached_property
    def _cards(self) -> list[Option]:
        first, *others = [list(self._cards_of(wish)) for wish in self.wish.gpus or (None,)]
        for second in others:
            first = [
                Option("gpus", (*one.units, *other.units), one.price + other.price)
                for one in first
                for other in second
            ]
        return first

    @cached_property
    def _floors(self) -> Floors:
        given = self.ground.given.get("gpus", ())
        return Floors([Option("gpus", given=given)] if given else self._cards, self._most_expensive)

    def _most_expensive(self, cards: Option) -> int:
        """Price of the most expensive of some GPUs; given ones cost what others of the chip do."""
        return max([unit.sort.price for unit in cards.units] or map(self._price, cards.given))

    def _price(self, gpu: Subject) -> int:
        """What the cheapest GPU of its chip costs; nothing if none has a price."""
        chip, of = self.classes.chip(gpu.part, gpu.value("chip")), self.classes
        alike = (s for s in of.of("gpu").classes if of.chip(s.part, s.value("chip")) == chip)
        return min((sort.price for sort in alike), default=0)

    # Cards

    def _cards_of(self, wish: GpuWish | None) -> Iterator[Option]:
        avoid = tuple(self._words.avoided(word) for word in wish.avoid) if wish else ()
        chip = part = None
        kept = (("adapter", wish.adapter, wish.adapter),) if wish and wish.adapter else ()
        if wish and wish.part:
            found = self.catalog.find("gpu", wish.part)
            is_chip = "chip" not in self.catalog.part(found).facts
            chip, part = (found, None) if is_chip else (None, found)
        sorts = [*self._sorts("gpus", avoid)]
        work = self.ground.subjects["workload"].value("kind")
        usual = [s for s in sorts if is_offered("gpus", s, work=work)]
        for sort in sorts if part or chip else usual or sorts:
            mine, cooling = _only(sort, part) if part else sort, sort.value("cooling")
            if (
                mine is None
                or (chip and self.classes.chip(sort.part, sort.value("chip")) != chip)
                or (self.wish.quiet and cooling in self._offers.loud_coolers)
                or (wish and wish.cooling and cooling not in wish.cooling)
            ):
                continue
            for number in self._numbers(sort, wish):
                yield from self._limited(mine, number, kept)

    def _numbers(self, sort: PartClass, wish: GpuWish | None) -> Iterator[int]:
        """How many cards of a class meet a wish; by price alone, the fewest that do."""
        if wish is None:
            yield from range(1, self._offers.most_cards + 1)
            return
        memory: Interval | None = sort.value("memory")
        low, high = int(wish.number.low), int(wish.number.high)
        if wish.memory_each and (memory is None or not within(memory, wish.memory_each)):
            return
        most = high if wish.count else min(high, self._offers.most_cards)
        if wish.memory_total is None:
            yield from range(low, most + 1)
        if wish.memory_total is None or memory is None or memory.low <= 0:
            return
        least = max(low, math.ceil(wish.memory_total.low / memory.low))
        # Where price is all that counts, more cards than that only cost more.
        number = least if self.wish.best.model_fields_set == {"price"} else most
        for cards in range(least, number + 1):
            if cards <= most and cards * memory.high <= wish.memory_total.high:
                yield cards

    def _limited(
        self, sort: PartClass, number: int, kept: tuple[tuple[str, Any, Any], ...]
    ) -> Iterator[Option]:
        """`number` cards at their default limit and at lower ones, with the settings of all."""
        yield option_of("gpus", sort, number, kept)
        power: Interval | None = sort.value("board_power")
        for order, held in self._steps(power.low) if power and power.is_exact else ():
            option = option_of("gpus", sort, number, (*kept, *held))
            option.order = order
            yield option

    def _held(self, own: Option) -> Iterator[Option]:
        """Given GPUs without a limit at lower ones, if the wish says so: each at the same share."""
        powers = [g.value("board_power") for g in own.given if g.value("power_limit") is None]
        if len(powers) < len(own.given) or not self.wish.power_limits.model_fields_set:
            return
        for steps in zip(*[self._steps(p.low) for p in powers if p], strict=True):
            option = Option("gpus", order=steps[0][0])
            for gpu, (_, held) in zip(own.given, steps, strict=False):
                facts = {n: Sourced(value, USER, USER.confidence, "") for n, _, value in held}
                option.given += (replace(gpu, facts={**gpu.facts, **facts}),)
                option.settings[gpu.path[1]] = {n: text for n, text, _ in held}
            if len(option.given) == len(own.given):
                yield option

    def _steps(self, power: float) -> Iterator[tuple[int, tuple[tuple[str, Any, Any], ...]]]:
        """Limits below a default in W that the wish allows, the highest first, in their order."""
        limits, step = self.wish.power_limits, self._offers.limit_step
        shares = self._offers.limit_shares if limits.allowed else ()
        for order, share in enumerate(shares, 1):
            if share >= (limits.least or shares[-1]) - 1e-9:
                watts = math.floor(power * share / step) * step
                text = f"{number_text(watts)} W"
                yield order, (("power_limit", text, exact(watts)), ("limit_at_boot", True, True))

    # The rest

    def _motherboard(self) -> Iterator[Option]:
        wish = self.wish.board
        forms = wish.form_factor if wish else ()
        for sort in self._named("motherboard", wish):
            is_form = not forms or sort.value("form_factor") in forms
            if is_form and self._is_platform(sort):
                yield option_of("motherboard", sort)

    def _is_platform(self, sort: PartClass) -> bool:
        if not self._platforms:
            return True
        socket, cpus = sort.value("socket"), self.classes.of("cpu").classes
        makers = {cpu.part.split("/")[1] for cpu in cpus if cpu.value("socket") == socket}
        return any(v == socket if of == "socket" else v in makers for of, v in self._platforms)

    def _cpu(self) -> Iterator[Option]:
        wish = self.wish.cpu
        for sort in self._named("cpu", wish):
            if self._is_platform(sort) and (
                _reaches(sort, "cores", wish.cores) and _reaches(sort, "threads", wish.threads)
                if wish
                else self._floors.allows_cpu(sort)
            ):
                yield option_of("cpu", sort)

    def _memory(self) -> list[Option]:
        wish, kits = self.wish.memory, list[Option]()
        for sort in self._named("memory", wish):
            module, kit = sort.value("module"), sort.value("kit_modules")
            for number in self._offers.kits:
                size = module and module * (kit or exact(1.0)) * exact(float(number))
                if not (wish and wish.total) or (size and within(size, wish.total)):
                    kits.append(option_of("memory", sort, number))
        return kits if wish else self._floors.enough_memory(kits)

    def _psus(self) -> Iterator[Option]:
        wish = self.wish.psus
        for sort in self._named("psus", wish):
            if not (wish.part or self._floors.feeds(sort)):
                continue
            for number in range(int(wish.count.low), int(wish.count.high) + 1):
                yield option_of("psus", sort, number)

    def _case(self) -> Iterator[Option]:
        wish = self.wish.case or CaseWish.model_construct()
        for sort in self._named("case", self.wish.case):
            is_kind = not wish.kind or sort.value("kind") in wish.kind
            if is_kind and _reaches(sort, "expansion_slots", wish.expansion_slots):
                yield option_of("case", sort)

    def _cpu_cooler(self) -> Iterator[Option]:
        least = self._floors.cooler_price(self.classes.of("cooler").classes)
        for sort in self._sorts("cpu_cooler"):
            if left := [m for m in sort.members if m.price >= least]:
                yield option_of("cpu_cooler", sort.only(left))

    def _storage(self) -> Iterator[Option]:
        wish = self.wish.storage
        total = wish.total if wish and wish.total else Interval(self._offers.least_drive, math.inf)
        drives = self._offers.drives if wish else self._offers.drives[:1]
        asked = [(n, v) for n in ("spins", "protocol") if (v := getattr(wish, n, None)) is not None]
        for sort in self._named("storage", wish):
            size: Interval | None = sort.value("capacity")
            # Drives that are cards would take the slots of GPUs.
            form, is_asked = sort.value("form"), all(sort.value(n) == v for n, v in asked)
            if form == "card" or not is_asked or (wish is None and form != "m.2"):
                continue
            for number in drives:
                if size and within(size * exact(float(number)), total):
                    yield option_of("storage", sort, number)
                    break


def _only(sort: PartClass, part: str) -> PartClass | None:
    left = [m for m in sort.members if m.part == part]
    return sort.only(left) if left else None


def within(value: Interval, wished: Interval) -> bool:
    """Is it known to be what is wished for?"""
    return wished.low <= value.low and value.high <= wished.high


def _reaches(sort: PartClass, name: str, wished: Interval | None) -> bool:
    value: Interval | None = sort.value(name)
    return wished is None or (value is not None and within(value, wished))
