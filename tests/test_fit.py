"""Does the model fit: shapes and techniques; memory as worked by hand is in tests/facts."""

import pytest
from cases import holds, swapped
from conftest import ROOT, each_of, each_row, table
from handmade import cards, facts_of, subject
from test_facts_by_hand import shipped

from buildcheck.errors import InputError
from buildcheck.logic.quantity import Interval
from buildcheck.measure import Facts
from buildcheck.model.build import SECTIONS
from buildcheck.render import templates
from buildcheck.workload.fit.answer import FitAnswer, read_fit
from buildcheck.workload.scale.answer import read_scale

BUILD = ROOT / "tests" / "builds" / "t4-4x3090-280w" / "build.yaml"


def facts(**work) -> Facts:
    """A model on a card, with the constants of the catalogue."""
    model = subject("workload", "workload", **{"vocabulary": 32000, **work})
    constants = shipped("standard/generic/transformers")
    return facts_of(*cards({}), model, subject("standard", "standard", **constants))


@each_row
def test_the_shape_of_published_models_is_in_the_estimate(parameters, layers, width) -> None:
    """GPT-2 XL, Llama 2 7B, Qwen2.5-7B, Llama 3.1 70B and 405B, by either or none stated."""

    def holds(interval: Interval, value: float) -> bool:
        return interval.low * 0.999 <= value <= interval.high * 1.001

    free = facts(parameters=parameters)
    assert holds(free("workload.model_layers"), layers)
    assert holds(free("workload.model_width"), width)
    assert holds(free("workload.all_widths"), layers * width)
    by_layers = facts(parameters=parameters, layers=layers)
    assert holds(by_layers("workload.model_width"), width)
    assert holds(by_layers("workload.all_widths"), layers * width)
    by_width = facts(parameters=parameters, hidden_size=width)
    assert holds(by_width("workload.model_layers"), layers)
    assert holds(by_width("workload.all_widths"), layers * width)


@each_row
def test_published_shapes_are_of_their_size(
    parameters, layers, width, vocabulary, least, most
) -> None:
    """The formula by hand, and none of them is refused (their config.json)."""
    model = {"parameters": parameters, "layers": layers, "hidden_size": width}
    measured = facts(**model, vocabulary=vocabulary)
    share, usual = measured("workload.shape_share"), measured("standard.shape_share")
    assert least < share.low < share.high < most
    assert usual.low < share.low < share.high < usual.high


def test_65b_fits_48_gb_by_qlora(catalog) -> None:
    """As the paper has it, whose optimizer is paged to main memory; full training takes > 780 GB."""
    build = (
        "gpus: RTX A6000\nmemory: {total: 128 GB}\nworkload: {parameters: 65.2B, layers: 80,"
        " hidden_size: 8192, heads: 64, vocabulary: 32000, context: 512, offload: true}\n"
    )
    answer = found(catalog, build)
    assert way(answer, "checkpointing-qlora").verdict == "fits"
    assert way(answer, "checkpointing-lora").verdict == answer.verdict == "does-not-fit"
    whole = found(catalog, build.replace(", offload: true", ""))
    assert sum(whole.on_gpu[n].low for n in ("weights", "gradients", "optimizer")) > 780
    qlora = answered(catalog, build, method="qlora", checkpointing=True)
    assert qlora.model.verdict == "fits"
    assert qlora.assumed["lora_rank"] == 64
    assert not {"lora", "checkpointing-lora"} & {one.technique for one in qlora.model.techniques}


def test_a_file_with_a_shape_of_another_size_is_told_where(catalog) -> None:
    """By its line, with both commands; an option that stands over it is named instead."""
    build = "gpus: 2x RTX 3090\nworkload: {parameters: 7B, layers: 1000, hidden_size: 20000}\n"
    for command in (read_fit, read_scale):
        with pytest.raises(InputError, match=r"b.yaml:2:36: 1,000 layers .* leave out the shape"):
            command(build.encode(), "b.yaml", catalog, {})
        with pytest.raises(InputError, match=r"^--layers: 1,000 layers"):
            command(build.encode(), "b.yaml", catalog, {"parameters": "1B"})


def answered(catalog, build: str = "", **options) -> FitAnswer:
    raw = build.encode() or BUILD.read_bytes()
    return read_fit(raw, "build.yaml", catalog, options)


def found(catalog, build: str = "", **options):
    return answered(catalog, build, **options).model


def way(model, key: str):
    return next(one for one in model.techniques if one.technique == key)


def fit_text(answer: FitAnswer, *, verbose: bool = False) -> str:
    return " ".join(templates.text("fit", answer, verbose=verbose).split())


def test_a_common_size_is_as_its_shape_spelt_out(catalog) -> None:
    build = "gpus: 2x RTX 5090\nmemory: {total: 64 GB}\n"
    asked = {"kind": "inference", "parameters": "70B", "precision": "int4"}
    spelt = {"layers": "80", "hidden_size": "8192", "heads": "64", "kv_heads": "8"}
    whole = found(catalog, build, **asked, **spelt, vocabulary="128256")
    assert (whole.need, whole.built_as) == (found(catalog, build, **asked).need, "")


BASES = table("fit", "bases")
SMALL = BASES["small"].replace("4x", "{number}x").replace("{total: 128 GB}", "{{total: 128 GB}}")
SMALL = SMALL.replace("{kind", "{{kind").replace("fp32}", "fp32}}")


@each_of("answers")
def test_what_is_answered(case, catalog) -> None:
    answer = answered(catalog, case.get("build") or swapped(case, BASES), **case.get("over", {}))
    holds(answer, case, fit_text(answer))
    for key, wanted in case.get("ways", {}).items():
        holds(way(answer.model, key), {"is": wanted})


def test_a_24_gb_model_fits_10_gb_cards(catalog) -> None:
    """Seed 000: with half precision, checkpointing, swapping, ZeRO and the CPU optimizer.

    Every technique of that seed and of seed 004 is there, see `answers`.
    """
    answer = found(catalog, SMALL.format(number=4))
    assert answer.verdict == "does-not-fit"
    states = ("weights", "gradients", "optimizer")
    assert sum(answer.on_gpu[n].low for n in states) == pytest.approx(24)
    verdicts = {one.technique: one.verdict for one in answer.techniques}
    assert verdicts["half-precision"] == verdicts["checkpointing"] == "does-not-fit"
    for key in ("offload", "checkpointing-offload", "checkpointing-zero-3-cpu"):
        assert verdicts[key] == "fits", key
    assert verdicts["checkpointing-zero-3"] == "fits"
    assert verdicts["3d-parallel"] == "not-applicable"


def test_no_technique_needs_more_than_nothing_would(catalog) -> None:
    """Each takes memory off a card, at both ends of the estimate."""
    for number in (2, 4, 8):
        for one in found(catalog, SMALL.format(number=number)).techniques:
            if one.saves is not None:
                assert one.saves.low >= -1e-9, one.technique


def test_what_is_stated_is_said_in_one_order(catalog) -> None:
    """That of the fields, whichever way a set of names falls out in this run."""
    shape = {"layers": "80", "hidden_size": "8192", "heads": "64", "kv_heads": "8"}
    asked = {"kind": "inference", "parameters": "70B", "precision": "int4", "batch": "8", **shape}
    names = list(answered(catalog, **asked, context="4096").settings)
    assert names == [name for name in SECTIONS["workload"].model_fields if name in names]


def test_a_stated_split_is_in_use_and_others_take_its_place(catalog) -> None:
    """Tensor parallelism over all cards as `parallel` says it; a pipeline is tried instead."""
    build = SMALL.format(number=4)
    plain = found(catalog, build)
    split = found(catalog, build.replace("kind: training", "kind: training, parallel: tensor"))
    assert split.need == way(plain, "model-parallel").need
    assert way(split, "model-parallel").in_use
    assert not way(split, "pipeline-parallel").in_use
    for key in ("pipeline-parallel", "zero-1", "zero-3"):
        assert way(split, key).need == way(plain, key).need, key
    more = build.replace("kind: training", "kind: training, tensor_cards: 8")
    with pytest.raises(InputError, match="split over 8 GPUs, and there are 4"):
        found(catalog, more)


@pytest.mark.parametrize("card", ["RTX 2080 Ti", "Tesla V100 PCIe 16GB", "Tesla P40"])
def test_cards_before_ampere_have_no_bfloat16(card, catalog) -> None:
    """Turing, Volta and Pascal: fp16 is taken for them, and bf16 is told where it is stated."""
    build = f"gpus: [{card}]\nworkload: {{parameters: 100M}}\n"
    assert answered(catalog, build).assumed["precision"] == "fp16"
    assert found(catalog, build).without_bf16 == ()
    asked = answered(catalog, build, precision="bf16")
    assert asked.model.need == found(catalog, build).need
    assert len(asked.model.without_bf16) == 1
    assert "No bfloat16 units" in fit_text(asked)
    step = read_scale(build.encode(), "b.yaml", catalog, {"precision": "bf16"})
    assert step.times.step_on_one is None
    newer = answered(catalog, build.replace(card, "RTX 3090"))
    assert newer.assumed["precision"] == "bf16"


@each_of("wrong")
def test_what_cannot_be_used_is_told(case, catalog) -> None:
    told, said = case
    with pytest.raises(InputError, match=said):
        found(catalog, **told)


def test_other_work_has_no_model(catalog) -> None:
    with pytest.raises(InputError, match="mining work has no model"):
        found(catalog, "gpus: 2x RTX 3080\nworkload: {kind: mining, parameters: 7B}\n")
