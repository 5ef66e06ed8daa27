"""The script for power limits finds cards by the names that drivers give them, and runs nothing else."""

import json
import re
import shutil
import subprocess

import pytest
from conftest import each_row, table
from test_checklist import hand_commands, run_script, script, starts, unit

from buildcheck.errors import InputError

#: What the build file says, and what nvidia-smi prints for that card.
PRINTED = table("checklist_names", "printed")
#: Cards of like names that are others.
OTHERS = table("checklist_names", "others")
SECOND = "  - {part: RTX 4090, power_limit: 300 W}\n"


def with_second(part: str) -> str:
    """A build of such a card at one limit and another card at its own."""
    limits = "power_limit: 123 W, power_limit_min: 90 W, power_limit_max: 600 W"
    return f"gpus:\n  - {{part: '{part}', {limits}}}\n{SECOND}"


#: As the driver names the other card.
OTHER = "NVIDIA GeForce RTX 4090"


def shown(*names: str) -> str:
    return "".join(f"00000000:0{n}:00.0, {one}\n" for n, one in enumerate(names, 1))


@pytest.mark.parametrize(("part", "name"), PRINTED)
def test_a_driver_s_name_is_found(part, name, unjudged, tmp_path):
    """Signs, order, brand and a size left out make no other card of it."""
    code, done, said = run_script(script(unjudged(with_second(part))), shown(name, OTHER), tmp_path)
    assert (code, said) == (0, "")
    assert done.splitlines()[1:] == ["-i 00000000:01:00.0 -pl 123", "-i 00000000:02:00.0 -pl 300"]


@pytest.mark.parametrize(("part", "name"), OTHERS)
def test_another_card_of_a_like_name_stops_it(part, name, unjudged, tmp_path):
    """Nothing is set, and the count is said."""
    code, done, said = run_script(script(unjudged(with_second(part))), shown(name, OTHER), tmp_path)
    assert (code, done) == (1, "")
    assert "the driver shows 0" in said


def test_cards_that_differ_in_memory_alone_are_filled_in_by_hand(unjudged, tmp_path):
    """A driver may print one name for both; with one limit for both it need not tell them apart."""
    text = (
        "gpus: [{part: RTX 3080, power_limit: 250 W}, {part: RTX 3080 12GB, power_limit: %s W}]\n"
    )
    assert "fill in GPU_2 first" in script(unjudged(text % 280))
    same = script(unjudged((text % 250).replace("gpus: [", "gpus: [{part: RTX 4090}, ")))
    assert 'set_limit "RTX 3080" 250\n' in same
    card = "NVIDIA GeForce RTX 3080"
    code, done, _ = run_script(same, shown(card, OTHER, card), tmp_path)
    assert (code, len(done.splitlines())) == (0, 3)


#: What systemd or a shell would expand, end a line with, or run.
SIGNS = table("checklist_names", "signs")
ONE = "{part: RTX 3090, power_limit: 280 W, count: 2}"
BY_MODEL = "{part: RTX 3090, power_limit: 280 W}, {part: RTX 4090, power_limit: 300 W}"
BY_HAND = "{part: RTX 3090, power_limit: 280 W, count: 2}, {part: RTX 3090, power_limit: 300 W}"
SLOT = "{part: RTX 3090, power_limit: 280 W, slots: [NAME]}, {part: RTX 3090, power_limit: 300 W}"


def quoted(text: str) -> str:
    return json.dumps(text)


def commands(text: str) -> list[str]:
    """The lines that are no remark, by every sign that ends a line."""
    return [line for line in text.splitlines() if line and not line.startswith("#")]


@each_row
def test_a_name_of_several_lines_is_refused(name, unjudged):
    """Before any file is made of it."""
    with pytest.raises(InputError, match="needs one line"):
        unjudged(f"name: {quoted(name)}\ngpus: [{ONE}]\n")


@pytest.mark.parametrize("sign", SIGNS)
@pytest.mark.parametrize("cards", [ONE, BY_MODEL, BY_HAND, SLOT])
def test_signs_of_a_name_do_nothing(cards, sign, unjudged, tmp_path):
    """Unit, script and commands are those of a build with a plain name, but for their remarks."""

    def made(name: str):
        board = (
            "{slots: [{label: NAME, position: 1, mechanical: 16, lanes: 16, gen: 4, owner: cpu}]}"
        )
        text = f"name: NAME\ngpus: [{cards}]\nmotherboard: {board}\n"
        return unjudged(text.replace("NAME", quoted(name)))

    plain, signed = made("CARD"), made(sign)
    for make in (unit, script):
        text = make(signed)
        assert commands(text) == commands(make(plain))
        remarks = [line for line in text.splitlines() if line.startswith("#") and "'" in line]
        about = next(line for line in remarks if "Power limits of the build" in line)
        assert not set(about) & set('%$`\\"|&>;')
        assert "CANARY" not in " ".join(commands(text))
    assert all(re.fullmatch(r"sudo nvidia-smi [^#;&|$`\\]*(  # [^$`\\%\n]*)?", c) for c in hand_commands(signed).split("\n"))  # fmt: skip
    before = set(tmp_path.rglob("*"))
    run_script(script(signed), shown("NVIDIA GeForce RTX 3090", OTHER), tmp_path)
    assert not [path for path in set(tmp_path.rglob("*")) - before if path.name == "CANARY"]


@pytest.mark.skipif(not shutil.which("systemd-analyze"), reason="no systemd here")
@pytest.mark.parametrize("sign", SIGNS)
def test_systemd_takes_the_unit_of_a_build_with_signs(sign, unjudged, tmp_path):
    """No word of the name is a key, a section or a specifier to it."""
    text = unit(unjudged(f"name: {quoted(sign)}\ngpus: [{BY_HAND}]\n"))
    assert starts(text) == ["/usr/local/sbin/gpu-power-limits"]
    file = tmp_path / "gpu-power-limits.service"
    file.write_text(text.replace("/usr/local/sbin/gpu-power-limits", "/bin/true"), encoding="utf-8")
    done = subprocess.run(["systemd-analyze", "verify", file], capture_output=True, text=True, check=False)  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
