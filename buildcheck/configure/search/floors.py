"""The least of each part that is proposed, by the GPUs it is for: one class of machine.

The numbers are in `rules/proposals.yaml`; what a wish names may be less.
"""

from collections.abc import Callable, Collection, Sequence

from buildcheck.configure.search.classes import PartClass
from buildcheck.configure.search.space import Option, Unit
from buildcheck.rulebook.proposals import proposals


def is_offered(role: str, sort: PartClass, wished: Collection[str] = (), work: str = "") -> bool:
    """Is a part proposed for a kind of work though none of its fields but these are wished for?"""
    offers = proposals()
    return not any(
        sort.value(field) in bad
        for name, bad in (offers.only_on_request | offers.only_by_name.get(work, {})).items()
        for of, _, field in (name.partition("."),)
        if of == role and field not in wished
    )


class Floors:
    """What parts next to any of some sets of GPUs need to have."""

    def __init__(self, cards: Sequence[Option], price: Callable[[Option], int]) -> None:
        """`price` is that of the most expensive GPU of a set, in hundredths."""
        self._offers, self._cards, self._price = proposals(), cards, price
        offers, number = self._offers, min((sum(c.numbers) for c in cards), default=0)
        self._cores = max(offers.least_cores, number * offers.least_cores_each)
        each = [generations for c in cards if None not in (generations := c.values("pcie_gen"))]
        newest = max((min(one.low for one in some) for some in each if some), default=0)
        self._oldest = min(newest, offers.enough_pcie)
        sockets = [plugs or () for c in cards for plugs in c.values("plugs")]
        #: The plugs of all GPUs that older PSUs have no outputs for.
        self._plugs = [p for p in offers.native_plugs if sockets and all(p in s for s in sockets)]

    def cooler_price(self, sorts: Sequence[PartClass]) -> float:
        """The least price of a CPU cooler, in hundredths; never more than most of them cost."""
        others = sorted(member.price for sort in sorts for member in sort.members)
        if not self._cards or not others:
            return 0
        card = min(map(self._price, self._cards))
        return min(self._offers.least_cooler_share * card, others[len(others) * 3 // 4])

    def allows_cpu(self, sort: PartClass) -> bool:
        """Has a CPU the cores, and a PCIe generation near that of the GPUs, as far as known?"""
        has, generation = sort.value("cores"), sort.value("pcie_gen")
        is_weak = has and has.high < self._cores
        is_old = generation and generation.high < self._oldest
        return not (self._cards and (is_weak or is_old))

    def feeds(self, sort: PartClass) -> bool:
        """Has a PSU outputs for the plugs of all GPUs that older ones have none for?"""
        plugs = sort.value("plugs") or {}
        return all(plug in plugs and plugs[plug].low >= 1 for plug in self._plugs)

    def enough_memory(self, kits: list[Option]) -> list[Option]:
        """The kits with as much memory as the GPUs have; all of them if none has."""
        each = [zip(c.values("memory"), c.numbers, strict=True) for c in self._cards]
        inall = [sum(value.low * n if value else 0 for value, n in pairs) for pairs in each]
        least = self._offers.least_ram_share * min(inall, default=0)
        return [option for option in kits if _memory(option.units[0]) >= least] or kits


def _memory(kits: Unit) -> float:
    """The most that kits of memory may hold, in GB; 0 if not known."""
    each, modules = (kits.sort.value(name) for name in ("module", "kit_modules"))
    return float(each.high * modules.high * kits.number) if each and modules else 0.0
