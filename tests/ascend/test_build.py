"""Every kernel of the specs in final HIVM of every chip; and what is no longer there is missed."""

from __future__ import annotations

import re

import pytest

from a2agen.emit.triton_dist.backend import kernel_text
from a2agen.engines.ascend_ir import hivm, planned
from a2agen.engines.ascend_ir.build import build, chips, forms, job, judged
from a2agen.passes.lower import lower

from .conftest import name_of, of_specs

CASES = of_specs()
SECONDS = 2.0
"""What a kernel may take for one chip after the set-up."""


def test_the_chips_are_those_of_the_profiles():
    assert chips() == ("Ascend910B1", "Ascend910_9382", "Ascend950PR_9589")


@pytest.mark.parametrize("chip", chips())
@pytest.mark.parametrize("case", CASES, ids=name_of)
def test_reaches_final_hivm_with_all_of_its_plan(case, chip, compilers):
    for form in forms(chip):
        built = build(*case, chip, form, compilers)
        assert not built.faults
        if form == "dist":
            assert planned.symbols(lower(case[0])) == set(built.symbols)
        # By the clock of a machine that does nothing else, as far as a test can tell.
        assert min(built.answer.seconds, built.answer.cpu_seconds) <= SECONDS


LINES = {
    "loads": r"call @load_gm_to_ubuf",
    "stores": r"call @store_ubuf_to_gm",
    "notifies": r"call @aclshmem_int64_p",
    "waits": r"call @aclshmem_wait_int64",
    "loops": r"scf\.for",
    "puts": r"call @aclshmem_putmem",
    "fences": r"call @_mlir_ciface_aclshmem_fence",
    "quiets": r"call @_mlir_ciface_aclshmem_quiet",
    "barriers": r"call @_mlir_ciface_aclshmemx_barrier_all_vec",
}


@pytest.mark.parametrize("case", CASES, ids=name_of)
def test_every_operation_that_is_taken_out_is_missed(case, compilers):
    schedule, source = case
    plan = lower(schedule)
    answer = build(schedule, source, chips()[0], "dist", compilers).answer
    assert set(LINES) == set(hivm.OPERATIONS)
    taken = 0
    for name, count in planned.operations(plan, "dist").items():
        lines = answer.texts["hivm"].splitlines()
        places = [n for n, line in enumerate(lines) if re.search(LINES[name], line)]
        assert len(places) == count
        for place in places:
            found = hivm.read("\n".join([*lines[:place], "", *lines[place + 1 :]]), plan.kernel.name)
            assert f"{count - 1} {name} of {count}" in planned.missing(plan, "dist", found.operations, found.symbols)
            taken += 1
    assert taken > 10


@pytest.mark.parametrize("chip", chips())
def test_a_wait_whose_token_nothing_consumes_is_gone_and_missed(chip, compilers):
    """The compilers delete the loop of loads, and say nothing; on 910 the real operation too."""
    schedule, source = next(c for c in CASES if c[0].name == "mte_pipelined")
    plan = lower(schedule)
    text = kernel_text(plan, source)
    for form in forms(chip):
        spoilt = re.sub(r"dl\.consume_token\((\w+), arrived\)", r"\1", text)
        assert spoilt != text
        built = judged(plan, chip, form, compilers.compile(job(plan, spoilt, chip, form)))
        assert built.answer.error is None
        assert "final HIVM has 1 waits of 2" in built.faults


def test_an_exchange_in_place_of_a_notify_is_gone_and_missed(compilers):
    """On 910B1 an atomic exchange loses its write, and the compilers say nothing."""
    schedule, source = next(c for c in CASES if c[0].name == "mte_pipelined")
    plan = lower(schedule)
    text = kernel_text(plan, source)
    stores = {}
    for name, store in (("exchange", "tl.atomic_xchg"), ("store", "tl.store")):
        spoilt = re.sub(
            r"dl\.notify\((send_full \+ word), \w+, signal=(\d).*\)", rf"{store}(\1, tl.cast(\2, tl.int64))", text
        )
        assert spoilt != text
        built = judged(plan, "Ascend910B1", "stock", compilers.compile(job(plan, spoilt, "Ascend910B1", "stock")))
        assert built.answer.error is None
        assert "final HIVM has 0 notifies of 2" in built.faults
        stores[name] = built.operations["stores"]
    assert stores == {"exchange": 2, "store": 4}


@pytest.mark.parametrize("chip", chips())
def test_a_pointer_that_an_if_selects_is_refused(chip, compilers):
    schedule, source = next(c for c in CASES if c[0].name == "mte_pipelined")
    plan = lower(schedule)
    text = kernel_text(plan, source)
    indent = " " * 16
    chosen = f"if to == rank:\n{indent}    base = A\n{indent}else:\n{indent}    base = C\n{indent}A_tile = base + "
    spoilt = text.replace("A_tile = A + ", chosen, 1)
    assert spoilt != text
    built = judged(plan, chip, "stock", compilers.compile(job(plan, spoilt, chip, "stock")))
    assert built.answer.stage == "ttadapter"
    assert built.faults


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("waitValue=1", "value=1"),
        ('"sys", "acquire"', '"system", "acquire"'),
        ('sig_op="set"', 'sig_op="add"'),
        ("dl.wait(send_full", "dl.wait(P"),
        ("dl.notify(send_full", "dl.notify(P"),
        ("dl.symm_at(P, to)", "dl.symm_at(P)"),
        ("libshmem_device.fence()", "libshmem_device.fence(1)"),
        ("libshmem_device.fence()", "libshmem_device.getmem(P, P, 8, to)"),
    ],
)
@pytest.mark.parametrize("form", ["dist", "stock"])
def test_a_call_that_the_library_does_not_have_is_refused(old, new, form, compilers):
    schedule, source = next(c for c in CASES if c[0].name == "mte_pipelined")
    plan = lower(schedule)
    text = kernel_text(plan, source)
    assert old in text
    answer = compilers.compile(job(plan, text.replace(old, new), "Ascend910B1", form))
    assert answer.stage == "ttir"
