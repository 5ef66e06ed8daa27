"""Words of closed lists that no part of the catalogue uses."""

from __future__ import annotations

#: Forms of supplies that cases and supplies are sold in.
SUPPLY_FORMS = frozenset(
    {
        *("ATX", "SFX", "SFX-L", "TFX", "Flex ATX"),
        *("CRPS", "mini redundant", "1U redundant", "2U redundant", "proprietary"),
    }
)
#: Sockets that coolers are made for and no platform describes: older ones, and those of servers.
OTHER_SOCKETS = frozenset(
    {
        *("AM1", "AM2", "AM2+", "AM3", "AM3+", "FM1", "FM2", "FM2+", "G34", "C32"),
        *("LGA775", "LGA1150", "LGA1151", "LGA1155", "LGA1156", "LGA1356", "LGA1366", "LGA2011"),
        *("LGA3647", "LGA4710", "LGA4926", "LGA7529"),
    }
)
#: Memory generations older than those described.
OTHER_GENERATIONS = frozenset({"DDR", "DDR2", "DDR3"})
#: Kinds of memory module.
MODULES = frozenset({"udimm", "rdimm", "lrdimm"})
#: NVLink edges of cards, by the bridges that fit; cards without one say none.
EDGES = frozenset(
    {"none", "volta", "turing", "turing rtx 5000", "ampere", "ampere data-centre", "hopper"}
)
