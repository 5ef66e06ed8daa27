"""What `repair` answers: what fails, and every way to fix it with its cost."""

from buildcheck.configure.common import Action, FileChange, FindingBrief
from buildcheck.model.answer import Amount
from buildcheck.model.finding import PASSING
from buildcheck.model.frozen import Frozen
from buildcheck.report.answer import MissingAnswer


class PricedPart(Frozen):
    """What is bought, or no longer bought, and what one piece costs where that is known.

    What no catalogue part is has a code as `item`, such as `fan`.
    """

    count: int
    name: str = ""
    item: str = ""
    each: Amount | None = None


class BeforeAfter(Frozen):
    """A number before and after; None where it is not known."""

    before: float | None = None
    after: float | None = None


class PatchCost(Frozen):
    """What a way to fix a build costs.

    `money` and `saved` are sums in one currency, None where a price is not known. Power is
    sustained, in W; speed is in training, over a Tesla V100.
    """

    buys: tuple[PricedPart, ...] = ()
    no_longer_bought: tuple[PricedPart, ...] = ()
    money: Amount | None = None
    saved: Amount | None = None
    power: BeforeAfter = BeforeAfter()
    speed: BeforeAfter = BeforeAfter()


class PatchAnswer(Frozen):
    """One way to fix a build, judged as `validate` does."""

    actions: tuple[Action, ...]
    verdict: str
    cost: PatchCost
    changes: tuple[FileChange, ...]
    diff: str
    #: GPUs are left out.
    gives_up: bool = False
    new_warnings: tuple[FindingBrief, ...] = ()
    #: Rules that could find an error and cannot be judged.
    unknown: tuple[str, ...] = ()


class RepairAnswer(Frozen):
    """Every way that was found; `tried` are kinds of actions."""

    file: str
    name: str
    digest: str
    verdict: str
    fails: tuple[FindingBrief, ...] = ()
    repairs: tuple[PatchAnswer, ...] = ()
    #: Rules that could find an error and cannot be judged, and what to add for that.
    unknown: tuple[str, ...] = ()
    missing: tuple[MissingAnswer, ...] = ()
    tried: tuple[str, ...] = ()
    stopped: bool = False
    #: Exchange rates as the user gave them.
    rates: tuple[str, ...] = ()
    #: The command that looks for a new machine, where every way gives up GPUs.
    new_machine: str | None = None
    #: The number of the way that was written to a file.
    applied: int | None = None

    @property
    def passing(self) -> int:
        """Ways that are known to pass."""
        return sum(one.verdict in PASSING for one in self.repairs)
