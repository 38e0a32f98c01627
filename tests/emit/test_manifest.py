"""Manifests say what launchers allocate and what kernels take."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Callable
from typing import Any

import pytest

from a2agen import runtime
from a2agen.ir.plan import Clear, HostBarrier, HostCopy, Launch, Synchronize
from a2agen.passes import analysis
from a2agen.passes.lower import lower
from a2agen.passes.ways import link_of
from tests.emit.conftest import Emitted, emit
from tests.passes.lower import matrix
from tests.runtime.fakes import Ranks, Tensor, launcher

FUNCTIONS: dict[str, Callable[[int, int], int]] = {"cdiv": runtime.cdiv, "min": min, "max": max}


def manifest_of(one: Emitted) -> dict[str, Any]:
    """The manifest; of a launcher that chooses the link, what it says of the schedule's."""
    told: dict[str, Any] = json.loads(one.files["manifest.json"])
    return told if one.schedule.auto is None else told | told["links"][link_of(one.schedule).name]


def kernels(one: Emitted) -> list[dict[str, Any]]:
    """What the manifest says of the kernels, in the order of their launches."""
    told = manifest_of(one)
    return told["kernels"] if "kernels" in told else [told["kernel"]]


def built(one: Emitted, case: dict[str, int], ranks: Ranks) -> Any:
    """The operator; by the schedule's link where the launcher chooses between several."""
    with launcher(one.files["launcher.py"], [kernel.name for kernel in one.kernels], ranks.log) as made:
        kind = made if one.schedule.auto is None else made.links[link_of(one.schedule).name]
        return kind(ranks, **{name: case[name] for name in one.schedule.exchange.dims})


def size(formula: str, case: dict[str, int]) -> int:
    return int(eval(formula, {**FUNCTIONS, **case}))


def check_one(one: Emitted) -> None:
    told = manifest_of(one)
    for case in one.schedule.exchange.cases:
        ranks = Ranks(case.values[one.schedule.exchange.ranks])
        operator = built(one, case.values, ranks)
        allocated = {id(t): kind for kind, t in ranks.allocated}
        assert len(allocated) == len(ranks.allocated)
        for buffer in told["buffers"]:
            tensor = getattr(operator, f"_{buffer['name']}")
            assert size(buffer["formula"], case.values) == buffer["bytes"][case.name]
            assert tensor.numel() * tensor.element_size() == buffer["bytes"][case.name]
            assert (buffer["kind"], tensor.address) in [(kind, t.address) for kind, t in ranks.allocated]
        words = told["signals"]
        count = size(words["formula"], case.values)
        assert count == words["words"][case.name]
        symmetric = sum(t.numel() * t.element_size() for kind, t in ranks.allocated if kind == "symmetric")
        buffers = sum(b["bytes"][case.name] for b in told["buffers"] if b["kind"] == "symmetric")
        assert symmetric == buffers + count * words["stride_bytes"]
        assert operator.workspace_bytes == sum(t.numel() * t.element_size() for _, t in ranks.allocated)
        # A result that is not symmetric is all that the manifest does not count.
        named = sum(b["bytes"][case.name] for b in told["buffers"]) + count * words["stride_bytes"]
        result = 0 if one.schedule.result.symmetric else operator._C.numel() * operator._C.element_size()
        assert operator.workspace_bytes == named + result


def test_formulas_give_what_the_launcher_allocates(shipped):
    for one in shipped.values():
        check_one(one)


def test_formulas_of_every_combination(every):
    for one in every.values():
        check_one(one)


def test_a_formula_that_is_wrong_is_found(shipped):
    one = shipped["reverse_all2all/mte_pipelined"]
    files = dict(one.files)
    files["manifest.json"] = files["manifest.json"].replace('"formula": "32 * W', '"formula": "16 * W')
    assert files != one.files
    with pytest.raises(AssertionError):
        check_one(Emitted(one.schedule, files))


def test_a_launch_does_what_the_plan_says(every):
    for name, one in every.items():
        if analysis.of_host(one.schedule):
            continue
        plan = lower(one.schedule)
        exchange = one.schedule.exchange
        case = exchange.cases[0].values
        ranks = Ranks(case[exchange.ranks])
        operator = built(one, case, ranks)
        ranks.log.clear()
        shape = (case["W"] * case["S"], case["H"], case["D"])
        if exchange.source.layout.axes[0] != "to":
            shape = (case["S"], case["W"] * case["H"], case["D"])
        result = operator(Tensor(shape, "torch.bfloat16", address=1))
        wanted: list[Any] = []
        for op in plan.host:
            if isinstance(op, Clear):
                wanted += [("zero", getattr(operator, f"_{words}").address) for words in op.words]
            elif isinstance(op, Synchronize | HostBarrier):
                wanted.append("synchronize" if isinstance(op, Synchronize) else "barrier")
        *before, (verb, grid, arguments, _) = ranks.log
        assert before == wanted, name
        assert (verb, grid) == ("launch", (plan.cores,))
        told = json.loads(one.files["manifest.json"])["kernel"]["args"]
        constants = dict(plan.constants)
        assert [a.arg for a in one.kernel.args.args] == [*told, *constants]
        assert [ast.literal_eval(d) for d in one.kernel.args.defaults] == list(constants.values())
        given = dict(zip(told, arguments, strict=True))
        assert given["A"].address == 1
        assert given["C"] is result
        assert {n: given[n] for n in ("rank", "W", "S", "H", "D")} == {"rank": 1, **case}
        for memory in plan.memories:
            if memory.kind == "buffer":
                assert given[memory.name] is getattr(operator, f"_{memory.name}")


def test_a_launch_whose_data_the_host_copies(every):
    """Each copy takes the slab of a rank to the rows that it has for this one, between the launches of the kernels."""
    hosted = {name: one for name, one in every.items() if analysis.of_host(one.schedule)}
    assert hosted
    for name, one in hosted.items():
        plan, case = lower(one.schedule), one.schedule.exchange.cases[0].values
        ranks = Ranks(case["W"])
        operator = built(one, case, ranks)
        ranks.log.clear()
        operator(Tensor((case["W"] * case["S"], case["H"], case["D"]), "torch.bfloat16", address=1))
        log = [entry if isinstance(entry, str) else entry[0] for entry in ranks.log]
        wanted = []
        for op in plan.host:
            ends = len(op.words) if isinstance(op, Clear) else 1
            ends = op.count.evaluate(case) if isinstance(op, HostCopy) else ends
            words = {"Clear": "zero", "HostBarrier": "barrier", "HostCopy": "copy"}
            wanted += ends * [words.get(type(op).__name__, type(op).__name__.lower())]
        assert log == wanted, name
        slab = case["S"] * case["H"] * case["D"] * 2
        mine = operator._C.address + ranks.rank * case["H"] * case["D"] * 2
        copies = [entry[1:] for entry in ranks.log if entry[0] == "copy"]
        assert len({number for number, _, _ in copies}) == case["W"]
        places = {(into.name, into.address, out_of.address) for _, into, out_of in copies}
        assert places == {(f"at rank {to}", mine, 1 + to * slab) for to in range(case["W"])}
        launches = [op.kernel for op in plan.host if isinstance(op, Launch)]
        assert [told["entry"] for told in kernels(one)] == launches
        given = [entry[1:] for entry in ranks.log if entry[0] == "launch"]
        for told, function, (grid, arguments, _) in zip(kernels(one), one.kernels, given, strict=True):
            assert grid == (plan.cores,)
            assert [a.arg for a in function.args.args] == told["args"]
            values = dict(zip(told["args"], arguments, strict=True))
            assert (values["rank"], values["W"]) == (ranks.rank, case["W"])
            assert values["epochs"] is getattr(operator, f"_{told['entry'].rpartition('_')[2]}_epochs")


def test_an_output_of_the_caller_is_taken_where_it_is_not_symmetric(every):
    staged = every["ascend910c staged [from S H D] symmetric: notify per tile, none, reset"]
    case = staged.schedule.exchange.cases[0].values
    operator = built(staged, case, Ranks(case["W"]))
    source = Tensor((21, 2, 5), "torch.bfloat16", address=1)
    mine = Tensor((7, 6, 5), "torch.bfloat16", address=2000)
    assert operator(source, out=mine) is mine
    straight = every["h200 straight: notify per peer, credit per peer, epoch"]
    operator = built(straight, case, Ranks(case["W"]))
    own = operator(source)
    assert operator(source, out=own) is own
    with pytest.raises(ValueError, match="C lies in symmetric memory of the operator"):
        operator(source, out=mine)


@pytest.mark.parametrize(
    ("extents", "message"),
    [
        ({"S": 41, "H": 2, "D": 5}, "S must be an integer in 1..40, found 41"),
        ({"S": 4, "H": 0, "D": 5}, "H must be an integer in 1..4, found 0"),
    ],
)
def test_extents_outside_the_bounds_are_refused_before_anything_is_allocated(every, extents, message):
    one = every["ascend910c staged [from S H D] symmetric: notify per tile, none, reset"]
    ranks = Ranks(3)
    with pytest.raises(ValueError, match=message):
        built(one, extents, ranks)
    assert ranks.allocated == []
    with pytest.raises(ValueError, match=re.escape("W must be an integer in 2..5, found 6")):
        built(one, {"S": 4, "H": 1, "D": 5}, Ranks(6))


def test_a_bound_on_a_product_is_checked():
    text = matrix.staged("ascend910c", "notify per tile", "none", "reset", "[from S H D] symmetric")
    one = emit(text.replace("in A :", "where S * H <= 2**3\n  in A :").replace("S = 7, H = 2", "S = 4, H = 2"))
    built(one, {"S": 4, "H": 2, "D": 5}, Ranks(3))
    with pytest.raises(ValueError, match=re.escape("the spec wants S * H <= 8, found 5 * 2 = 10")):
        built(one, {"S": 5, "H": 2, "D": 5}, Ranks(3))


NEEDS = {
    "ascend910c straight: barrier, none, reset": {"barrier", "symmetric_at"},
    "ascend910c staged [from S H D] symmetric: notify per block, none, reset": {
        *("fence", "notify", "symmetric_at", "wait_eq"),
    },
    "h200 staged [from S H D] symmetric: notify per block, none, reset": {
        *("notify_add", "symmetric_at", "wait_eq"),
    },
    "put: notify per block, none, reset": {"putmem", "quiet", "notify", "wait_eq"},
}


def test_formulas_name_nothing_but_extents_and_equal_terms_are_one(every, shipped):
    for name, one in {**every, **shipped}.items():
        told = manifest_of(one)
        for formula in (told["signals"]["formula"], *(b["formula"] for b in told["buffers"])):
            assert set(re.findall(r"[^\W\d]\w*", formula)) <= {*told["dims"], *FUNCTIONS}, name
            terms = [term.strip() for term in formula.split(" + ")]
            assert len(set(terms)) == len(terms), name
    told = json.loads(shipped["reverse_all2all/direct"].files["manifest.json"])
    assert told["signals"]["formula"] == "2 * W"
    assert told["buffers"][-1] == {
        "name": "epochs",
        "kind": "local",
        "formula": "33792",
        "bytes": {"tails": 264 * 128, "decode": 264 * 128},
    }


def test_each_kernel_of_a_launch_has_epochs_of_its_own(shipped):
    buffers = json.loads(shipped["all2all/copy_engine"].files["manifest.json"])["buffers"]
    assert [b["name"] for b in buffers] == ["C", "entry_epochs", "exit_epochs"]
    assert [b["formula"] for b in buffers[1:]] == ["1024", "1024"]


@pytest.mark.parametrize("name", NEEDS)
def test_what_a_kernel_needs_of_its_library(every, name):
    assert set(json.loads(every[name].files["manifest.json"])["needs"]) == NEEDS[name]


def test_no_kernel_needs_what_its_library_lacks(every):
    for name, one in every.items():
        needs = set(manifest_of(one)["needs"])
        assert needs <= one.schedule.target.backend("triton_dist").capabilities, name
