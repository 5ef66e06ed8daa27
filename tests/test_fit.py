"""Does the model fit: memory of models, shared out over the cards of a build."""

import pytest
import yaml
from cases import holds, swapped
from conftest import ROOT, each_of, each_row, table
from handmade import SOURCE, STANDARD, cards, machine, subject

from buildcheck.errors import InputError
from buildcheck.logic.quantity import Interval, exact
from buildcheck.measure import Facts, measure
from buildcheck.model.build import SECTIONS
from buildcheck.model.part import Sourced
from buildcheck.render import templates
from buildcheck.workload.fit.answer import FitAnswer, read_fit
from buildcheck.workload.scale.answer import read_scale

BUILD = ROOT / "tests" / "builds" / "t4-4x3090-280w" / "build.yaml"
#: Constants of the formulas, as the catalogue has them.
CONSTANTS = {
    name: given["value"]
    for name, given in yaml.safe_load(
        (ROOT / "parts_db/standard/generic/transformers.yaml").read_text("utf-8")
    )["facts"].items()
}
MIXED = {"weight_bytes": 2, "gradient_bytes": 2, "master_bytes": 4, "activation_bytes": 2}
ADAM = {"state_bytes": 8}
#: Llama 7B as published.
LLAMA = {"parameters": 6.738, "layers": 32, "hidden_size": 4096, "heads": 32, "kv_heads": 32}


def facts(number: int = 1, **work) -> Facts:
    """A model in half precision on so many cards of 24 GB."""
    given = {**MIXED, **ADAM, "vocabulary": 32000, **work}
    kind, context = given.pop("work", "training"), given.pop("card_context", None)
    model = subject("workload", "workload", **given)
    model.facts["kind"] = Sourced(kind, SOURCE, "assumption", "test")
    standard = {**STANDARD, **CONSTANTS, "context_memory": "3 GB", "bytes_per_parameter": 16}
    standard |= {"card_context": context} if context else {}
    return measure(
        machine(
            *cards(*[{"memory": "24 GB"}] * number),
            model,
            subject("standard", "standard", **standard, offload_factor=1.5),
        )
    )


def states(measured: Facts) -> float:
    """Weights, gradients and optimizer state of a card."""
    names = ("weights", "gradients", "optimizer")
    return sum(measured(f"workload.{name}_on_card").low for name in names)


@pytest.mark.parametrize(("stage", "each"), [(0, 120), (1, 31.4), (2, 16.6), (3, 1.9)])
def test_zero_gives_the_figures_of_its_paper(stage, each) -> None:
    """A model of 7.5 thousand million parameters on 64 cards (ZeRO paper, figure 1)."""
    measured = facts(64, parameters=7.5, layers=1000, hidden_size=100, zero_stage=stage)
    gathered = measured("workload.layer_memory").low if stage == 3 else 0
    assert states(measured) - gathered == pytest.approx(each, abs=0.05)


def test_sixteen_bytes_a_parameter() -> None:
    """Mixed precision with Adam; full precision takes as much, and plain SGD less."""
    assert states(facts(parameters=7)) == pytest.approx(112)
    full = {"weight_bytes": 4, "gradient_bytes": 4, "master_bytes": 0}
    assert states(facts(parameters=7, **full)) == pytest.approx(112)
    assert states(facts(parameters=7, **full, state_bytes=0)) == pytest.approx(56)


def test_activations_by_the_formula_of_korthikanti() -> None:
    """A layer of GPT-3: s b h (34 + 5 a s / h) bytes, and 34 with fused attention."""
    gpt = GPT3 | {"batch": 1, "context": 2048, "vocabulary": 1}
    layer, name = 2048 * 12288 / 1e9, "workload.activations_on_card"
    plain = facts(**gpt, flash_attention=False)(name)
    assert plain.low == pytest.approx(96 * layer * (34 + 5 * 96 * 2048 / 12288), rel=1e-4)
    fused = facts(**gpt, flash_attention=True)(name)
    assert fused.low == pytest.approx(96 * layer * 34, rel=1e-4)
    assert facts(**gpt)(name) == fused.hull(plain)
    again = facts(**gpt, flash_attention=True, checkpointing=True)(name)
    assert again.low == pytest.approx(layer * (2 * 96 + 34), rel=1e-4)
    split = facts(8, **gpt, flash_attention=True, tensor_cards=8)(name)
    assert split.low == pytest.approx(96 * layer * (10 + 24 / 8), rel=1e-4)


# Adapters of rank r beside a matrix of m x n weights have r (m + n) of their own.
GPT3 = {"parameters": 175, "layers": 96, "hidden_size": 12288, "heads": 96}
LORA, QLORA = {"method": "lora"}, {"method": "qlora"}


@pytest.mark.parametrize(("rank", "millions"), [(1, 4.7), (8, 37.7)])
def test_adapters_of_the_lora_paper(rank, millions) -> None:
    """GPT-3 with adapters beside query and value (Hu et al. 2021, table 4, as recalled).

    With two of six matrices that is the least there is; the frozen weights take 350 GB of the
    1.2 TB that full training needs there (section 4.2).
    """
    measured = facts(**GPT3, **LORA, lora_rank=rank)
    assert 1e3 * measured("workload.adapter_parameters").low == pytest.approx(millions, rel=0.01)
    assert measured("workload.weights_memory").low == pytest.approx(350, rel=0.001)


def test_adapters_beside_all_matrices_of_llama() -> None:
    """Seven in each layer, of 4096 and 11008: 160 million of rank 64, 16 bytes each with Adam."""
    by_hand = 64 * 32 * (4 * (4096 + 4096) + 3 * (4096 + 11008)) / 1e9
    measured = facts(**LLAMA, **LORA, lora_rank=64)
    most = measured("workload.adapter_parameters")
    assert most.low < by_hand < most.high < 1.06 * by_hand
    rest = [measured(f"workload.{name}_memory") for name in ("gradients", "optimizer")]
    assert sum(part.high for part in rest) == pytest.approx(14 * most.high)
    assert measured("workload.weights_memory").high == pytest.approx(2 * (6.738 + most.high))


def test_scales_of_4_bit_weights() -> None:
    """32 bits for 64 weights are 0.5 bits each; 8 for 64 and 32 for 64 x 256 are 0.127."""
    stored = facts(**LLAMA, **QLORA, lora_rank=64)("workload.stored_bytes")
    assert stored.low == pytest.approx((4 + 8 / 64 + 32 / (64 * 256)) / 8, abs=1e-3)
    assert stored.high == pytest.approx((4 + 32 / 64) / 8)


#: Memory of Guanaco in GB, by parameters and shape (Dettmers et al. 2023, table 6, as recalled).
GUANACO = {5: (6.74, 32, 4096), 10: (13.02, 40, 5120), 21: (32.53, 60, 6656), 41: (65.29, 80, 8192)}


@pytest.mark.parametrize("memory", GUANACO)
def test_qlora_needs_what_its_paper_says(memory) -> None:
    """What was published lies in the range of what a card needs; the base is most of it."""
    parameters, layers, width = GUANACO[memory]
    model = {"parameters": parameters, "layers": layers, "hidden_size": width, "batch": 1}
    given = {**model, **QLORA, "lora_rank": 64, "context": 512, "checkpointing": True}
    measured = facts(**given, flash_attention=True, card_context="0.5..1.3 GB")
    need = measured("workload.card_need")
    assert need.low < memory < need.high
    assert need.low > 0.8 * memory


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


def test_frozen_weights_have_no_gradients() -> None:
    """Two of three passes are left, and adapters alone are exchanged."""
    model = {**LLAMA, "batch": 1, "context": 2048, "flash_attention": True}
    full, lora = facts(2, **model), facts(2, **model, **LORA, lora_rank=8)
    work = [one("workload.step_work").low for one in (full, lora)]
    assert work[1] / work[0] == pytest.approx(2 / 3)
    assert lora("workload.trained_parameters") == lora("workload.adapter_parameters")
    served = facts(**model, **LORA, work="inference")
    assert served("workload.weights_memory") == facts(**model)("workload.weights_memory")


def test_scales_and_vocabulary_of_shortened_weights() -> None:
    """Llama 7B in 4 bit: 3.4 GB by hand at least, and Q4_K_M files of 4.1 GB are in the range.

    The file of 4.08 GB is that of Llama 2 7B as published for llama.cpp.
    """
    four = {"weight_bytes": "0.516..0.61", "activation_bytes": 2}
    whole = facts(**{**LLAMA, **four}, work="inference")("workload.weights_memory")
    assert whole.low == pytest.approx(6.738 * 0.516)
    assert whole.low < 4.08 < whole.high
    half = 2 * 32000 * 4096 * (2 - 0.516) / 1e9
    assert whole.high == pytest.approx(6.738 * 0.61 + half)


def test_keys_and_values_of_llama() -> None:
    """2 x layers x width x bytes for each token: 1.07 GB for 2048 of Llama 7B."""
    serving = {"work": "inference", "batch": 1, "context": 2048}
    assert facts(**LLAMA, **serving)("workload.cache_memory").low == pytest.approx(1.07, abs=0.01)
    grouped = facts(**{**LLAMA, "kv_heads": 8}, **serving)
    assert grouped("workload.cache_memory").low == pytest.approx(1.07 / 4, abs=0.01)


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


def test_a_file_with_a_shape_of_another_size_is_told_where(catalog) -> None:
    """By its line, with both commands; an option that stands over it is named instead."""
    build = "gpus: 2x RTX 3090\nworkload: {parameters: 7B, layers: 1000, hidden_size: 20000}\n"
    for command in (read_fit, read_scale):
        with pytest.raises(InputError, match=r"b.yaml:2:36: 1,000 layers .* leave out the shape"):
            command(build.encode(), "b.yaml", catalog, {})
        with pytest.raises(InputError, match=r"^--layers: 1,000 layers"):
            command(build.encode(), "b.yaml", catalog, {"parameters": "1B"})


def test_what_is_not_stated_is_not_known() -> None:
    """No parameters, no batch, or a format that nothing is trained in."""
    assert facts()("workload.card_need") is None
    assert facts(parameters=7)("workload.card_need") is None
    assert facts(parameters=7)("workload.host_need") == exact(3)
    unknown = measure(machine(*cards({}), subject("workload", "workload", parameters=7)))
    for name in ("card_need", "weights_on_card", "cache_memory", "layer_memory"):
        assert unknown(f"workload.{name}") is None
    assert unknown("build.card_room") is None


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
    """Of a build with a model, or with options for one."""
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
    """With the option, and what to give."""
    told, said = case
    with pytest.raises(InputError, match=said):
        found(catalog, **told)


def test_other_work_has_no_model(catalog) -> None:
    with pytest.raises(InputError, match="mining work has no model"):
        found(catalog, "gpus: 2x RTX 3080\nworkload: {kind: mining, parameters: 7B}\n")
