"""The checklist: which steps a build gets, as a page, as Markdown, and power limits as files that run nothing else."""

import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
import yaml
from cases import holds
from conftest import each_of, each_row, table
from pages import Tags

from buildcheck.checklist import items as lists
from buildcheck.checklist.items import applicable_items, items_of, load_items
from buildcheck.checklist.power_limits import NoLimitError, power_limits
from buildcheck.checklist.steps import checklist_answer
from buildcheck.errors import InputError
from buildcheck.facts.registry import DATA
from buildcheck.logic import dimension
from buildcheck.logic.parse import names, parse
from buildcheck.measure.shapes import shape_of
from buildcheck.model.finding import OPEN
from buildcheck.model.graph import SINGLE
from buildcheck.render.documents import code_blocks, render_checklist
from buildcheck.render.markdown import escaped, prose
from buildcheck.render.templates import file_text, words
from buildcheck.units import NUMBER

FOLDER = Path(__file__).parent / "builds"
#: Machines that ask for what none of `tests/builds` does.
MACHINES = table("checklist", "machines")


def page(report) -> str:
    return render_checklist(checklist_answer(report), "html")


def markdown(report) -> str:
    return render_checklist(checklist_answer(report), "markdown")


def unit(report) -> str:
    return file_text("power-limit.unit", limits=power_limits(report))


def script(report) -> str:
    return file_text("power-limit.script", limits=power_limits(report))


def hand_commands(report) -> str:
    return words("checklist").commands(power_limits(report)).strip()


def stepped(report) -> dict:
    return {step.id: step for step in checklist_answer(report).steps}


@pytest.fixture(scope="module")
def report(judged):
    """The report of a machine above, of a folder of `tests/builds`, or of a build file's text."""
    return lambda build: judged(MACHINES.get(build, build))


BUILDS = [path.name for path in sorted(FOLDER.iterdir())]


def test_every_item_applies_to_one_build_and_not_to_another(report):
    """No step is dead, and none with a condition is in every list."""
    items = load_items("checklist")
    machines = [*BUILDS, *MACHINES]
    stand = [{(s.item.id, s.state) for s in applicable_items(items, report(m))} for m in machines]
    dead, everywhere = [], []
    for item in items.items:
        needed = sum((item.id, "needed") in found for found in stand)
        open_ = sum((item.id, "open") in found for found in stand)
        dead += [item.id] if not needed or (item.unknown and not open_) else []
        if (item.when or item.findings) and needed == len(machines):
            everywhere.append(item.id)
    assert dead == []
    assert everywhere == []


@each_row
def test_a_build_gets_the_steps_it_needs(build, there, absent, report):
    steps = checklist_answer(report(build)).steps
    # Those of several parts go by what comes before the part.
    found = {"/".join(step.id.split("/")[:2]) for step in steps}
    assert there <= found
    assert not absent & found


def test_every_error_and_warning_is_decided_before_the_order(report):
    """Each cause with its numbers and its fix; consequences with their cause; no notes."""
    made = report("t3-4x3090-350w")
    answer = checklist_answer(made)
    failed = {f.rule.id for f in made.findings if f.verdict == "fail" and f.severity != "note"}
    assert failed
    assert {rule for s in answer.steps if s.kind == "decide" for rule in s.rules} == failed
    overload = next(s for s in answer.steps if s.id == "order/circuit/continuous-overload/site")
    finding = next(f for f in made.findings if f.rule.id == "circuit/continuous-overload")
    assert (overload.state, overload.text) == ("error", finding.title)
    assert (overload.why, overload.fix) == (finding.message, finding.fix)
    shown = words("checklist").text(overload, answer)
    assert finding.title in shown
    assert finding.fix in shown


def test_every_open_question_is_looked_up_before_the_quote(report):
    """One step a part names what is missing and the checks that wait."""
    made = report("gpus: 2x RTX 3090\nmotherboard: {form_factor: ATX}\ncase: {kind: tower}\n")
    steps = [step for step in checklist_answer(made).steps if step.kind == "look-up"]
    asked = {rule for step in steps for rule in step.rules}
    assert asked
    assert asked <= {f.rule.id for f in made.findings if f.verdict in OPEN}
    found = {step.id: step for step in steps}
    assert len(found) == len(steps)
    assert "cooling" in found["quote/look-up/gpus-rtx-3090"].data
    assert "slots" in found["quote/look-up/motherboard"].data
    assert "RAM" in found["quote/look-up/not-listed"].data


def test_a_waiver_is_asked_for_twice(report):
    """Before the order whether it still holds, at the hand-over who looks at it again."""
    made = report(
        "gpus: [{part: RTX 3090, length: 400 mm}]\ncase: {kind: tower, card_length_max: 300 mm}\n"
        "waivers: [{rule: space/card-too-long, subject: 'gpus[0]', because: the panel is off, until: 2027-01-31}]\n"
    )
    answer = checklist_answer(made)
    steps = [s for s in answer.steps if s.state == "waived"]
    assert [s.id.split("/")[0] for s in steps] == ["order", "handover"]
    for step in steps:
        shown = words("checklist").text(step, answer)
        assert "2027-01-31" in shown
        assert "the panel is off" in shown
    assert "order/space/card-too-long/gpus[0]" not in stepped(made)


BOARD = table("checklist", "board")
#: Four blowers one above the other in a tower, at a limit.
HEAT = table("checklist", "heat")


@each_of("steps")
def test_a_step_says_what_is_known(case, report):
    """In its own words, as its finding is settled, and with the tools of the maker."""
    build = case.get("machine") or case.get("build") or HEAT % case["heat"]
    steps = stepped(report(build + (BOARD if case.get("on_board") else "")))
    for step, wanted in case["steps"].items():
        all_words = f"{steps[step].command} {steps[step].text} {steps[step].expect}"
        for field, value in wanted.items():
            if field == "never":
                assert not [words_ for words_ in value if words_ in all_words], step
            elif isinstance(value, list):
                assert all(one in getattr(steps[step], field) for one in value), (step, field)
            else:
                assert getattr(steps[step], field) == value, (step, field)
    for absent in case.get("absent", ()):
        assert not [s for s in steps if s == absent or s.startswith(f"{absent}/gpus")]
    certain = " ".join(f"{s.command} {s.text} {s.expect}" for s in steps.values() if not s.state)
    assert not [words_ for words_ in case.get("certain_never", ()) if words_ in certain]


def test_the_heat_of_several_circuits_is_that_of_all_supplies(report):
    """The current is that of the fullest one."""
    made = report("frame")
    current = made.facts("circuit.current", made.graph.the("circuit"))
    inputs = [made.facts("psu.input_power", psu).high for psu in made.graph.of("psu")]
    assert current.high < sum(inputs) / 230 / 0.95
    room = stepped(made)["handover/facilities-of-several"].text
    assert f"{sum(inputs):,.0f} W of heat" in room


def test_cpu_and_other_cards_are_loaded_at_once(report):
    """The CPU's load runs in the background; those cards have no command of their own."""
    command = stepped(report("two sockets"))["acceptance/load"].command
    assert re.fullmatch(r"stress-ng .*--timeout 2h &( .*)?\n# the load test .*", command)


def test_a_limit_the_card_refuses_is_not_expected(report):
    """What the plan knows to be refused is decided before the order, and then read."""
    steps = stepped(report("t8-4x5090-300w"))
    asked = [s for s in steps.values() if s.id.startswith("limits/range") or "reboot" in s.id]
    assert [s.id for s in asked if not s.state] == [
        "limits/range-decided",
        "acceptance/decided-limits-after-reboot",
    ]
    assert all("300 W" not in s.expect for s in asked)


def test_cables_and_supplies_come_before_what_they_feed(report):
    """Which cables before the first of them, and what joins supplies before any card."""
    order = list(stepped(report("t12-two-supplies")))
    places = [
        order.index(name)
        for name in (
            "assembly/own-cables",
            "assembly/board-power",
            "assembly/supplies-decided",
            "assembly/card-slot/gpus[0]",
            "assembly/card-power/gpus[0..1]",
        )
    ]
    assert places == sorted(places)


def test_no_unit_is_installed_that_is_not_made(report):
    """Where the limits cannot be set the steps say what comes first."""
    answer = checklist_answer(report("t8-4x5090-300w"))
    steps = {step.id: step for step in answer.steps}
    for name in ("limits/set", "limits/at-boot"):
        assert steps[name].state == "unknown"
        shown = words("checklist").text(steps[name], answer)
        assert "build file" in shown
        assert "below" not in shown
        assert code_blocks(answer, steps[name]) == []


def test_all_that_hangs_on_a_ups_is_expected_on_its_display(judged):
    """The PSU at peak load and other loads; the wall's current is that of its watts."""
    made = judged(
        "gpus: [{part: RTX 3090, power_limit: 280 W}]\npsus: Corsair AX1600i\n"
        "ups: {power: 3000 W, other_load: 50 W}\nsite: {outlet: Schuko}\n"
    )
    ups, psu = made.graph.the("ups"), made.graph.subjects["psus[0]"]
    on_it, alone = made.facts("ups.worst_load", ups), made.facts("psu.input_power_worst", psu)
    assert on_it.high - alone.high == pytest.approx(50)
    assert on_it.high > made.facts("ups.load", ups).high
    amperes = made.facts("psu.input_current_worst", psu).high
    assert 0.85 < alone.high / 230 / amperes <= 1


@pytest.mark.parametrize("build", [*BUILDS, *MACHINES])
def test_every_step_has_a_box_on_the_page(build, report):
    """Real boxes, with a key each, as a tick belongs to one step; nothing a strict policy would stop."""
    found, steps = Tags(page(report(build))), checklist_answer(report(build)).steps
    assert len({s.id for s in steps}) == len(steps)
    assert all("{" not in s.text for s in steps if s.kind == "task" and not s.state)
    count = len(steps)
    assert found.values("type").count("checkbox") == count == len(set(found.values("data-key")))
    names = {name for _, attributes in found.seen for name in attributes}
    assert not [name for name in names if name.startswith("on") or name == "style"]
    assert [tag for tag, _ in found.seen].count("script") == 1


@pytest.mark.parametrize("build", ["lab-4x3090", "frame", "backed"])
def test_commands_are_copied_as_they_are(build, report):
    """Places to wrap them add nothing to what is typed."""
    answer = checklist_answer(report(build))
    wanted = [block.rstrip() for step in answer.steps for block in code_blocks(answer, step)]
    assert Tags(page(report(build))).blocks == wanted


EVIL = "<img src=x onerror=alert(1)> [a](https://x.test) **b** `c` <!-- {subject} {{7*7}} | # &lt;"


def hostile() -> str:
    because = "</pre><script>alert(1)</script> ![x](https://x.test/y.png)"
    return (
        f"name: '{EVIL}'\ngpus: [{{part: RTX 3090, power_limit: 280 W, slots: ['<b>A</b>'], length: 400 mm}}]\n"
        "motherboard: {slots: [{label: '<b>A</b>', position: 1, mechanical: 16, lanes: 16, gen: 4, owner: cpu}]}\n"
        "case: {kind: tower, card_length_max: 300 mm}\npsus: Corsair AX1600i\n"
        f"waivers: [{{rule: space/card-too-long, subject: 'gpus[0]', because: '{because}', until: 2027-01-01}}]\n"
    )


def test_names_full_of_markup_stay_text_in_markdown(report):
    """No tag, link, picture or comment of a name is one; code holds them as they are."""
    text = markdown(report(hostile()))
    bare = re.sub(r"(`+).*?\1", "", text)
    assert not re.search(r"(?<!\\)<", bare)
    assert "](https://x.test" not in text
    assert not re.search(r"(?<!\\)\*\*b", bare)
    assert not re.search(r"(?<![\\;])//x\.test", bare)


@each_row
def test_text_is_escaped(text, shown):
    assert escaped(text) == shown


def test_code_of_our_own_stays_code():
    """In sentences of rules and steps; a single backtick is none."""
    assert prose("use `nvidia-smi -pl 1_0` a_b") == r"use `nvidia-smi -pl 1_0` a\_b"
    assert prose("one ` alone") == r"one \` alone"


TWO_MODELS = table("checklist", "two_models")
ONE_MODEL = table("checklist", "one_model")


def starts(text: str) -> list[str]:
    return [
        v for line in text.splitlines() for k, _, v in [line.partition("=")] if k == "ExecStart"
    ]


def test_models_are_told_apart_by_name(report):
    """The unit calls the script, which looks for each model; AMD's card is left out."""
    made = report(TWO_MODELS)
    assert starts(unit(made)) == ["/usr/local/sbin/gpu-power-limits"]
    assert 'set_limit "RTX 3090" 280\nset_limit "RTX 4090" 300.5\n' in script(made)
    assert "330" not in script(made)
    assert hand_commands(made).count("-i BUS-ADDRESS") == 3
    boot = stepped(made)["limits/at-boot"]
    assert code_blocks(checklist_answer(made), boot)[1:] == [unit(made), script(made)]


def test_cards_without_a_limit_keep_their_own(report):
    """A limit on some cards is not set on all: by model, or by hand where the model is the same."""
    limited = "gpus: [{part: RTX 3090, count: 2, power_limit: 280 W}, {part: %s}]\n"
    other = script(report(limited % "RTX 4090"))
    assert re.findall(r'^set_limit (".*") (\d+)$', other, re.MULTILINE) == [('"RTX 3090"', "280")]
    alike = script(report(limited % "RTX 3090"))
    assert alike.count(" -pl ") == 2
    assert "GPU_3" not in alike


def test_cards_of_one_model_are_filled_in_by_hand(report):
    """Which is which cannot be known, so nothing is set until somebody says it."""
    made = report(ONE_MODEL)
    text = script(made)
    assert starts(unit(made)) == ["/usr/local/sbin/gpu-power-limits"]
    assert 'nvidia-smi -i "$GPU_3" -pl 300' in text
    assert text.count('" ] || die "fill in GPU_') == 3
    assert "GPUs that the driver gives one name get different limits" in text
    assert "The slot of each GPU is planned" not in text


def test_where_slots_are_known_their_table_is_named(report):
    """Two models of cards that the driver gives one name, each in a known slot."""
    made = report("frame")
    text = script(made)
    assert "The slot of each GPU is planned" in text
    assert "#   dmidecode -t slot | grep -E 'Designation|Bus Address'\n" in text
    assert re.search(r"\n#   GPU_3: GPU 3, MSI .*, C\n", text)


@each_row
def test_without_a_limit_that_can_be_set_there_is_no_unit(build, said, report):
    """It is said why, and where in the build file."""
    for make in (unit, script):
        with pytest.raises(NoLimitError, match=said) as caught:
            make(report(build))
        assert caught.value.problems[0].line > 0


FAKE = table("checklist", "fake")


def run_script(text: str, cards: str, folder: Path) -> tuple[int, str, str]:
    """Exit code, what was set and what was said, on a machine with these cards."""
    (folder / "bin").mkdir(exist_ok=True)
    fake = folder / "bin" / "nvidia-smi"
    fake.write_text(FAKE, encoding="utf-8")
    fake.chmod(0o755)
    (folder / "cards").write_text(cards, encoding="utf-8")
    done = folder / "done"
    done.unlink(missing_ok=True)
    file = folder / "limits.sh"
    file.write_text(text, encoding="utf-8")
    environment = {**os.environ, "PATH": f"{folder / 'bin'}:{os.environ['PATH']}"}
    environment |= {"CARDS": str(folder / "cards"), "DONE": str(done)}
    ran = subprocess.run(["sh", file], capture_output=True, text=True, env=environment, check=False)
    return ran.returncode, done.read_text() if done.exists() else "", ran.stderr


THREE = table("checklist", "three")


def test_the_script_sets_each_model_its_own_limit(report, tmp_path):
    """By bus address, in whatever order the driver lists the cards."""
    code, done, _ = run_script(script(report(TWO_MODELS)), THREE, tmp_path)
    assert code == 0
    assert done.splitlines() == [
        "-pm 1",
        "-i 00000000:41:00.0 -pl 280",
        "-i 00000000:42:00.0 -pl 280",
        "-i 00000000:01:00.0 -pl 300.5",
    ]


@each_row
def test_the_script_sets_nothing_on_another_machine(cards, report, tmp_path):
    """A model that is missing, or one too few or too many, stops it before anything is set."""
    code, done, said = run_script(script(report(TWO_MODELS)), cards, tmp_path)
    assert (code, done) == (1, "")
    assert "nothing was set" in said


def test_the_script_waits_for_what_is_filled_in(report, tmp_path):
    text = script(report(ONE_MODEL))
    assert run_script(text, THREE, tmp_path)[:2] == (1, "")
    for number in range(3):
        text = text.replace(f"GPU_{number + 1}=\n", f"GPU_{number + 1}=00000000:0{number}:00.0\n")
    code, done, _ = run_script(text, THREE, tmp_path)
    assert code == 0
    assert "-i 00000000:02:00.0 -pl 300" in done.splitlines()


def test_a_card_without_a_name_is_filled_in_by_hand(report):
    """The driver cannot be asked for it."""
    first, other = "chip: 'RTX 3090', power_limit: 280 W", "board_power: 400 W, power_limit: 300 W"
    assert "GPU_2" in script(report(f"gpus: [{{{first}}}, {{{other}}}]\n"))


# -- names of GPUs in the script -----------------------------------------------


#: What the build file says, and what nvidia-smi prints for that card.
PRINTED = table("checklist", "printed")
#: Cards of like names that are others.
OTHERS = table("checklist", "others")
SECOND = "  - {part: RTX 4090, power_limit: 300 W}\n"


def with_second(part: str) -> str:
    """A build of such a card at one limit and another card at its own."""
    limits = "power_limit: 123 W, power_limit_min: 90 W, power_limit_max: 600 W"
    return f"gpus:\n  - {{part: '{part}', {limits}}}\n{SECOND}"


#: As the driver names the other card.
OTHER = "NVIDIA GeForce RTX 4090"


def shown(*names: str) -> str:
    return "".join(f"00000000:0{n}:00.0, {one}\n" for n, one in enumerate(names, 1))


@pytest.mark.parametrize(("part", "name"), [*PRINTED, *OTHERS])
def test_a_driver_s_name_is_found(part, name, unjudged, tmp_path):
    """Signs, order, brand and a size left out make no other card of it; by a like name nothing is set."""
    code, done, said = run_script(script(unjudged(with_second(part))), shown(name, OTHER), tmp_path)
    limits = ["-pm 1", "-i 00000000:01:00.0 -pl 123", "-i 00000000:02:00.0 -pl 300"]
    is_it = [part, name] in PRINTED
    assert (code, done.splitlines()) == ((0, limits) if is_it else (1, []))
    assert said == "" if is_it else "the driver shows 0" in said


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
SIGNS = table("checklist", "signs")
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


def signed(sign: str) -> str:
    """A build with signs in its name, whose limits a script sets."""
    return f"name: {quoted(sign)}\ngpus: [{BY_HAND}]\n"


@pytest.mark.parametrize("build", ["lab-4x3090", TWO_MODELS, ONE_MODEL, *map(signed, SIGNS)])
@pytest.mark.skipif(not shutil.which("systemd-analyze"), reason="no systemd here")
def test_systemd_takes_the_unit(build, report, tmp_path):
    """Verified as it would be installed, with the programs it calls replaced by one that is here.

    No word of a name is a key, a section or a specifier to it.
    """
    text = re.sub(r"/usr/(bin/nvidia-smi|local/sbin/\S+)", "/bin/true", unit(report(build)))
    file = tmp_path / "gpu-power-limits.service"
    file.write_text(text, encoding="utf-8")
    done = subprocess.run(["systemd-analyze", "verify", file], capture_output=True, text=True, check=False)  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")


# -- what lists of items may say -----------------------------------------------


MADE = table("checklist", "builds")


@each_row
def test_what_stands(case, judged):
    """Which items, for which subjects, in which words; in the order of the list."""
    items = [yaml.safe_load(f"{{{item}}}") for item in case["items"]]
    build = judged(MADE.get(case["build"], case["build"]))
    found = applicable_items(items_of({"groups": {"a": "Steps"}, "items": items}), build)
    for one, wanted in zip(found, case.get("stands", ()), strict=True):
        holds(one, {"is": wanted})


@pytest.mark.parametrize("name", ["accessories", "checklist"])
def test_a_shipped_list_names_what_there_is(name, rulebook):
    """Items, groups, sources and rules that are there; facts of what the item is about."""
    items, seen = load_items(name), set()
    for item in items.items:
        assert item.id not in seen
        assert item.like in ("", *seen)
        assert item.phase in items.groups
        assert {*item.sources} <= items.sources.keys()
        assert all(rulebook.get(rule) for rule in items.rule_ids((*item.findings, *item.unless)))
        seen.add(item.id)
        texts = (item.text, item.unknown, item.why, item.command, item.expect)
        assert all(len(text) in (0, *range(3, 2001)) for text in texts)
        shown = {*lists.PLACEHOLDER.findall(" ".join(texts))} - {*lists.OWN_WORDS}
        assert DATA not in {shape_in(item, fact) for fact in shown}
        if item.when:
            tree = parse(item.when)
            dimension.check(tree, {n: shape_in(item, n) for n in names(tree)})
        if item.amount:
            tree = parse(item.amount)
            assert dimension.side(tree, {n: shape_in(item, n) for n in names(tree)}) == NUMBER


def shape_in(item, fact):
    """The shape of a fact of what an item is about, or of what each build has one of."""
    assert fact.partition(".")[0] in (item.applies_to, *SINGLE), fact
    shape = shape_of(fact)
    assert shape is not None, fact
    return shape
