"""What can be known about the things around the parts: connectors, outlets, standards."""

from typing import Annotated

from buildcheck.model import values as v
from buildcheck.model.strict import Strict, says


class Connector(Strict):
    """A power connector."""

    rating: v.Draw | None = says("power the connector is specified for")
    fits: v.Codes | None = says("further sockets its cable plug goes into")


class Adapter(Strict):
    """A power adapter between connectors."""

    inputs: v.Counts | None = says("what it plugs into, by connector")
    output: v.Code | None = says("the connector it offers")
    rating: v.Draw | None = says("power it is coded or specified for")


class Outlet(Strict):
    """A wall outlet and the circuit behind it."""

    voltage: v.Voltage | None = says("nominal mains voltage")
    breaker: v.Current | None = says("rating of the breaker or fuse")
    continuous_current: v.Current | None = says("current advised for sustained loads")
    continuous_is_code: v.Truth | None = says(
        "the continuous limit is the electrical code's or its usual reading"
    )


class Country(Outlet):
    """A country, by its two letters: the usual household outlet, its power and what that costs."""

    outlet: Annotated[v.Code, v.Ref("outlet")] | None = says("usual household outlet")
    outlets: v.Codes | None = says("outlets found there, the usual one and others")
    carbon_intensity: v.CarbonIntensity | None = says(
        "carbon dioxide emitted per kilowatt-hour, such as 380 g/kWh"
    )
    electricity_price: v.EnergyPrice | None = says("price of electricity, such as 0.12 USD/kWh")


class CloudInstance(Strict):
    """A machine to be rented by the hour."""

    hourly_price: v.HourlyPrice | None = says("rent of one such machine, such as 2.14 USD/h")
    gpu: v.Code | None = says("the GPUs in it")
    gpu_count: v.Number | None = says("how many GPUs it has")
    interruptible: v.Truth | None = says("it may be withdrawn while it works")


class TensorUnits(Strict):
    """Units for products of matrices, by what chips with them share."""

    arithmetic_16bit: v.Ratio | None = says(
        "peak rate of products of 16-bit numbers summed in single precision, without sparsity,"
        " over the single-precision rate"
    )
    arithmetic_8bit: v.Ratio | None = says(
        "peak rate of products of 8-bit numbers, integer or floating point,"
        " over the single-precision rate"
    )
    fp8: v.Truth | None = says("computes with 8-bit floating-point numbers")
    bf16: v.Truth | None = says("computes with bfloat16 numbers, and not by way of longer ones")
    l2_cache: v.Memory | None = says("second-level cache of the chip")
    large_model_gain: v.Ratio | None = says(
        "factor by which large language models may train faster than estimated from small nets"
    )


class GpuModule(TensorUnits):
    """An accelerator that fits no slot, to compare speeds with."""

    tensor_units: Annotated[v.Code, v.Ref("tensor-units")] | None = says(
        "its units for products of matrices"
    )
    memory: v.Memory | None = says("memory on the module")
    fp32_rate: v.Arithmetic | None = says("peak single-precision rate, tensor units left out")
    memory_bandwidth: v.Rate | None = says("bandwidth of its memory")
    board_power: v.Draw | None = says("default sustained power limit")


class WorkloadKind(Strict):
    """What a kind of workload needs."""

    cpu_share: v.Ratio | None = says("share of CPU base power drawn while the GPUs are busy")
    cpu_share_on_the_fly: v.Ratio | None = says(
        "share of CPU base power drawn while the GPUs are busy and data are prepared"
    )
    is_sustained: v.Truth | None = says("the load is sustained, without pauses")


class Parallelism(Strict):
    """How one job uses several GPUs, and what their links have to carry."""

    useful_rate: v.Rate | None = says("link rate beyond which a GPU gains little")


class Precision(Strict):
    """A number format, by the bytes each number takes where it is used."""

    weight_bytes: v.Small | None = says("bytes of a weight on the GPU")
    gradient_bytes: v.Small | None = says("bytes of a gradient; absent where nothing is trained so")
    master_bytes: v.Small | None = says("bytes of the copy of a weight that is updated, if apart")
    activation_bytes: v.Small | None = says("bytes of an activation, and of a cached key or value")
    needs_bf16: v.Truth | None = says("GPUs have to compute with bfloat16 numbers")


class Optimizer(Strict):
    """A way to update weights, by what it keeps."""

    state_bytes: v.Small | None = says("bytes of state for each parameter")


class Standard(Strict):
    """Constants of mechanical and electrical standards."""

    slot_power: v.Draw | None = says("power a GPU may draw through its slot")
    slot_pitch: v.Length | None = says("distance between expansion slots")
    slot_clearance: v.Length | None = says("air left between a GPU and the end of its slots")
    slot_tolerance: v.Length | None = says("overrun into the next slot that still fits")
    power_factor: v.Ratio | None = says("power factor of a PSU with active correction")
    split_least: v.Number | None = says("fewest lanes a CPU slot keeps when lanes are split")
    lane_rate: v.Curve | None = says("GB/s per lane and direction by PCIe generation")
    low_line_max: v.Voltage | None = says("highest nominal mains voltage of the low range")
    psu_temperature: v.Temperature | None = says(
        "warmest air in which a PSU delivers its rated power, if not stated"
    )
    inlet_least: v.Current | None = says("current of the smallest usual mains inlet of a PSU")
    psu_derating: v.Ratio | None = says("share of its power a PSU loses per kelvin above that")
    slot_power_12v: v.Draw | None = says("12 V part of what a slot may supply")
    board_feed: v.Draw | None = says("12 V the 24-pin plug gives with standard terminals")
    board_feed_high: v.Draw | None = says("12 V the 24-pin plug gives with high-current terminals")
    board_own_12v: v.Power | None = says("12 V the board takes for itself from the 24-pin plug")
    vrm_efficiency: v.Ratio | None = says("share of EPS power that reaches the CPU")
    eps_rating: v.Draw | None = says("power one EPS plug can carry")
    eps_rating_cautious: v.Draw | None = says("power one EPS plug carries by older ratings")
    air_heat_capacity: v.Ratio | None = says("watts that one CFM carries away per kelvin")
    fan_airflow: v.Airflow | None = says("airflow of one case fan, if not stated")
    usual_ambient: v.Temperature | None = says("room temperature, if not stated")
    usual_airflow: v.Airflow | None = says("air through a case, if its fans are not listed")
    intake_design: v.Temperature | None = says(
        "intake air at which a GPU alone holds its default power"
    )
    passive_airflow: v.Ratio | None = says("CFM per watt that a GPU without fans needs")
    staged_efficiency: v.Ratio | None = says(
        "share of link rate reached when copies pass through host memory"
    )
    staged_total: v.Rate | None = says("rate of all copies through host memory together")
    peer_efficiency: v.Ratio | None = says("share of link rate reached by peer-to-peer copies")
    bytes_per_parameter: v.Number | None = says("bytes of training state per parameter")
    offload_factor: v.Ratio | None = says("host memory for offload over the bare training state")
    context_memory: v.Memory | None = says("host memory one process with a GPU takes")
    use_personal: v.Ratio | None = says("share of the year most personal machines work")
    use_desktop: v.Ratio | None = says("share of the year a student's own machine works at most")
    use_shared: v.Ratio | None = says("share of the year a shared cluster works at least")
    use_company: v.Ratio | None = says("share of the year a company's cluster works at least")
    ownership_years: v.Years | None = says("years a machine is owned, if not stated")
    cooling_performance: v.Ratio | None = says("heat an air conditioner moves per energy it takes")
    tensor_utilisation: v.Ratio | None = says(
        "share of their rate that tensor units reach in training transformers"
    )
    accumulated_steps: v.Count | None = says(
        "steps whose gradients are added up between two exchanges, where that is done"
    )
    card_context: v.Memory | None = says("GPU memory a process takes before any data")
    serving_overhead: v.Ratio | None = says("memory for serving in addition to weights, as a share")
    layer_weights: v.Count | None = says("weights of a transformer layer, in squares of its width")
    layer_share: v.Ratio | None = says("such weights of all layers over all parameters of a model")
    shape_share: v.Ratio | None = says(
        "weights that layers, width and vocabulary make, over all parameters of published models"
    )
    adapter_widths: v.Count | None = says(
        "weights of adapters in a layer, in ranks times its width"
    )
    frozen_weight_bytes: v.Small | None = says(
        "bytes of a frozen 4-bit weight when adapters are trained"
    )
    width_per_layer: v.Width | None = says("hidden size over number of layers, of published models")
    head_width: v.Count | None = says("hidden size over attention heads, of published models")
    cache_share: v.Ratio | None = says("key-value heads over attention heads, of published models")
    vocabulary: v.Width | None = says("entries of the vocabulary of published models")
    kept_numbers: v.Count | None = says("numbers a layer keeps per token and unit of its width")
    kept_masks: v.Count | None = says("bytes of masks kept per token and unit of its width")
    kept_scores: v.Count | None = says("numbers it keeps per token, head and token looked at")
    kept_score_masks: v.Count | None = says(
        "bytes of masks kept per token, head and token looked at"
    )
    whole_numbers: v.Count | None = says("such numbers that tensor parallelism leaves whole")
    whole_masks: v.Count | None = says("such masks that tensor parallelism leaves whole")
    reference_rate: v.Arithmetic | None = says("16-bit rate of the GPU that speeds refer to")
    reference_bandwidth: v.Rate | None = says("memory bandwidth of that GPU")
    utilised_rate: v.Arithmetic | None = says(
        "16-bit rate of the GPU that shares of the rate in training refer to"
    )
    utilised_bandwidth: v.Rate | None = says("memory bandwidth of that GPU")
    transformer_arithmetic: v.Ratio | None = says(
        "share of its time that GPU takes for products, in training transformers at 16 bit"
    )
    transformer_traffic: v.Ratio | None = says("share of its time for its memory, likewise")
    transformer_spread: v.Ratio | None = says(
        "factor by which estimates of two GPUs are off, at most in nine of ten pairs"
    )
    transformer_spread_alike: v.Ratio | None = says(
        "factor by which estimates of two GPUs with the same tensor units are off"
    )
    vision_arithmetic: v.Ratio | None = says(
        "share of its time that GPU takes for products, in training convolutional nets at 16 bit"
    )
    vision_traffic: v.Ratio | None = says("share of its time for its memory, likewise")
    vision_spread: v.Ratio | None = says("as for transformers")
    vision_spread_alike: v.Ratio | None = says("as for transformers")
    cache_for_layer: v.Memory | None = says(
        "cache from which on the matrices of a layer stay in it"
    )
    cache_gain: v.Ratio | None = says("factor by which traffic to memory may fall then")
    decoding_at_limit: v.Curve | None = says(
        "speed of work bound by the GPU's memory against power limit, both as shares of full"
    )
    memory_cycles: v.Count | None = says("clock cycles of an access to the GPU's memory")
    shared_cycles: v.Count | None = says("clock cycles of an access to shared memory")
    multiply_cycles: v.Count | None = says("clock cycles of a multiplication with addition")
    tensor_cycles: v.Count | None = says("clock cycles of a product in a tensor unit")


class WaiverState(Strict):
    """What has become of a waiver once the build is judged."""

    is_expired: v.Truth | None = says("its last day is past")
    is_used: v.Truth | None = says("there is a finding it speaks of")


class PriceState(Strict):
    """What a price is worth on the day the build is judged."""

    called: v.Code | None = says("what it is the price of, and whose price it is")
    until: v.Code | None = says("the last day it holds")
    is_dated: v.Truth | None = says("the build says on which day it was asked or seen")
    is_held: v.Truth | None = says("who asked it is promised it for a time that is not over")
    is_expired: v.Truth | None = says("the last day it holds is past")
    days_old: v.Count | None = says("days since it was asked or seen")


class QuoteState(Strict):
    """What a quote is worth on the day the build is judged, and how it answers the build."""

    called: v.Code | None = says("its number and who it is of")
    until: v.Code | None = says("the last day it holds")
    states_validity: v.Truth | None = says("it says until when it holds")
    is_expired: v.Truth | None = says("the last day it holds is past")
    parts_lacking: v.Count | None = says("parts of the build that no quote offers enough of")
    lacking: v.Code | None = says("what those parts are")
    parts_elsewhere: v.Count | None = says("parts it lacks that another quote offers")
    elsewhere: v.Code | None = says("what those parts are")
    parts_replaced: v.Count | None = says("parts it offers something else for")
    replaced: v.Code | None = says("what it offers instead of what")
