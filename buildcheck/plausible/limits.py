"""What standards allow plugs, slots and links, where more than one check asks for it."""

from __future__ import annotations

from datetime import date

#: Power each connector is specified for: PCI-SIG's (75 W and 150 W for the older two, 600 W for
#: 12VHPWR and 12V-2x6), and for EPS four contacts of 7 A at 12 V.
CONNECTOR = {"pcie-6-pin": 75, "pcie-8-pin": 150, "16-pin": 600, "eps-8-pin": 336}
#: PCI Express Card Electromechanical Specification: most power a card draws through its slot.
SLOT = 75
#: The same: widths of links and of the connectors on boards.
LINKS = (1, 2, 4, 8, 16)
#: How far power rises above its rating, by how long: fields of cards, supplies and standards.
PEAKS = tuple(f"excursion_{w}" for w in ("100us", "1ms", "10ms", "100ms"))
HIGH_PEAKS = tuple(f"high_{p}" for p in PEAKS)
PLAIN_PEAKS = tuple(f"plain_{p}" for p in PEAKS)
#: The day these checks were written: a clock that is behind it is wrong.
FIRST_DAY = date(2026, 11, 21)
