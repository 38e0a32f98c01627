"""Kernels in machine code; and what is no longer there, or no longer in order, is found. All shapes of all kernels are
in generated/nvidia.md, which `make test-nvidia` makes anew and compares."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

import pytest

from a2agen.engines.ptx import events
from a2agen.engines.ptx.assembly import blocks
from a2agen.engines.ptx.build import build, left_out
from a2agen.engines.ptx.shapes import shapes
from a2agen.passes.lower import lower
from a2agen.source import Source
from tests.passes.lower import matrix

from .conftest import Subject, of_specs, subjects

SUBJECTS = {
    s.kernel.name: s for schedule, source in of_specs() for s in subjects(schedule, source) if not left_out(s.plan)
}
NAMES = [name for name in SUBJECTS if "auto" not in name]
"""Kernels of `link auto` are those of its two links."""
DIRECT = SUBJECTS["reverse_all2all_direct"]
SECONDS = 10.0
"""Processor time that a kernel may take, many times what it does."""


@pytest.mark.parametrize("name", NAMES)
def test_every_operation_that_is_taken_out_is_missed(name, compilers):
    """From PTX as the compiler made it, one instruction that others see at a time."""
    subject = SUBJECTS[name]
    answer = subject.compile(compilers)
    assert subject.judged(answer).faults == ()
    assert answer.seconds < SECONDS
    lines = answer.ptx.splitlines(keepends=True)
    taken = 0
    for number, line in enumerate(lines):
        if re.search(r"(?:ld|st)\.(?:global|acquire|release)|red\.release|bar\.sync", line) and not _of_peers(
            subject, answer.parameters, lines, number
        ):
            spoilt = replace(answer, ptx="".join([*lines[:number], *lines[number + 1 :]]))
            assert subject.judged(spoilt).faults, line
            taken += 1
    wanted = events.planned(subject.kernel, {})
    assert taken >= len(wanted)


def _of_peers(subject: Subject, parameters: tuple[str, ...], lines: list[str], number: int) -> bool:
    """Whether an instruction loads from the table of peers: no operation, only where one goes."""
    whole = events.seen(blocks("".join(lines), subject.kernel.name), subject.plan, parameters)
    without = [*lines[:number], *lines[number + 1 :]]
    less = events.seen(blocks("".join(without), subject.kernel.name), subject.plan, parameters)
    return len(less.events) == len(whole.events) and not less.faults


@pytest.mark.parametrize("name", NAMES)
def test_an_operation_of_less_than_system_scope_is_found(name, compilers):
    subject = SUBJECTS[name]
    answer = subject.compile(compilers)
    places = [m.start() for m in re.finditer(r"(?:acquire|release)\.sys", answer.ptx)]
    assert len(places) >= 2
    for place in places:
        spoilt = answer.ptx[:place] + re.sub(r"\.sys", ".gpu", answer.ptx[place:], count=1)
        assert any("which no operation" in f for f in subject.judged(replace(answer, ptx=spoilt)).faults)
    strong = answer.sass.replace("STRONG.SYS", "STRONG.GPU")
    assert any("less than system scope" in f for f in subject.judged(replace(answer, sass=strong)).faults)


MOVED = [
    # a pattern in the kernel's text, what takes its place, and what is said
    ("wait gone", r"admitted \+= dl\.wait\(.*\)", "pass", r"PTX has 0 of 1: wait of entered"),
    ("notify gone", r"dl\.notify\(send_ready.*\)", "pass", r"PTX has 0 of 1: add of send_ready"),
    ("barrier gone", r"tl\.debug_barrier\(\)", "pass", r"PTX has 0 of 1: barrier of the program"),
    ("epoch not counted", r"tl\.store\(epochs.*\)", "pass", r"PTX has 0 of 1: store of epochs"),
    ("copy within the rank", r"dl\.symm_at\(C, to\)", "C", r"PTX has 0 of 1: store of C at a peer"),
    ("set for add", r'sig_op="add"', 'sig_op="set"', r"PTX has 0 of 1: add of send_ready"),
    ("another word", r"dl\.notify\(send_ready", "dl.notify(entered", r"PTX has 0 of 1: add of send_ready"),
    ("half a tile", r"offs_run = tl\.arange\(0, TILE_RUN\)", "offs_run = tl.arange(0, TILE_RUN // 2)", r"of a tile of"),
]


@pytest.mark.parametrize(("old", "new", "said"), [m[1:] for m in MOVED], ids=[m[0] for m in MOVED])
def test_a_kernel_that_does_something_else_is_found(old, new, said, compilers):
    spoilt = re.sub(old, new, DIRECT.text, count=1)
    assert spoilt != DIRECT.text
    answer = DIRECT.compile(compilers, spoilt)
    assert answer.error is None
    assert re.search(said, "\n".join(DIRECT.judged(answer).faults))


def test_a_store_ahead_of_its_wait_is_found(compilers):
    """As if the compiler had moved it there: the lines stay those of the text."""
    answer = DIRECT.compile(compilers)
    lines = answer.ptx.splitlines(keepends=True)
    store = next(n for n, line in enumerate(lines) if "st.global.v4" in line)
    load = next(n for n, line in enumerate(lines) if "ld.global.v4" in line)
    origin, before = (max(n for n in range(place) if ".loc" in lines[n]) for place in (store, load))
    early = [*lines[: load + 1], lines[origin], lines[store], lines[before], *lines[load + 1 :]]
    del early[store if store < load else store + 3]
    faults = DIRECT.judged(replace(answer, ptx="".join(early))).faults
    assert any(re.search(r"store of C at a peer \(line \d+\) runs before: wait of entered", f) for f in faults), faults


def test_rows_that_are_not_as_wide_as_they_could_be_are_found(compilers):
    narrow = next(s for s in shapes(DIRECT.plan) if s.bits == 16)
    subject = replace(DIRECT, shape=narrow)
    answer = subject.compile(compilers)
    assert subject.judged(answer).faults == ()
    wrong = replace(subject, shape=replace(narrow, bits=128)).judged(answer).faults
    assert any("is 16 bits wide, and 128 bits are possible" in f for f in wrong)


def test_what_does_not_fit_a_multiprocessor_is_found(compilers):
    answer = DIRECT.compile(compilers)
    crowd = replace(DIRECT, shape=replace(DIRECT.shape, programs=100_000)).judged(answer)
    assert any("of the 100000 that the launcher starts" in f for f in crowd.faults)
    copies = answer.sass.index("STG.E.128")
    place = answer.sass.rindex("\n", 0, copies) + 1
    spilt = answer.sass[:place] + "        /*fff0*/ STL [R1], R4 ;\n" + answer.sass[place:]
    assert "1 instructions spill registers in a loop" in DIRECT.judged(replace(answer, sass=spilt)).faults
    assert any("8 bytes of local memory" in f for f in DIRECT.judged(replace(answer, local_bytes=8)).faults)
    assert any("8 of stack" in f for f in DIRECT.judged(replace(answer, stack_bytes=8)).faults)


def test_the_profile_counts_on_no_more_programs_than_are_resident(compilers):
    """For the shape that takes most registers of those looked at."""
    built = list(_widest(compilers))
    assert max(b.answer.registers for b in built) > 200
    assert min(b.resident for b in built) >= DIRECT.plan.schedule.target.cores


def _widest(compilers) -> Iterator:
    for shape in shapes(DIRECT.plan):
        if shape.bits == 16:
            subject = replace(DIRECT, shape=shape)
            yield subject.judged(subject.compile(compilers))


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('"sys", "acquire"', '"gpu", "acquire"', "the stand-in waits with scope sys and acquire only"),
        ('"sys", "acquire"', '"sys", "relaxed"', "the stand-in waits with scope sys and acquire only"),
        ('comm_scope="intra_node"', 'comm_scope="gpu"', "the stand-in notifies ranks of a node, or beyond"),
        ('sig_op="add"', 'sig_op="max"', "sig_op is set or add"),
        ("dl.wait(entered", "dl.wait(C", "the stand-in waits for int64 words only"),
        ("dl.symm_at(C, to)", "dl.symm_at(C)", "missing"),
        ("dl.symm_at(C, to)", "dl.getmem(C, to)", "the stand-in for triton_dist has no dl.getmem"),
    ],
)
def test_what_the_stand_in_does_not_have_is_refused(old, new, said, compilers):
    assert old in DIRECT.text
    answer = DIRECT.compile(compilers, DIRECT.text.replace(old, new))
    assert said in (answer.error or "")
    assert DIRECT.judged(answer).faults == (answer.error,)


def test_a_process_that_dies_of_a_kernel_is_an_error_of_it(compilers):
    answer = DIRECT.compile(compilers, "import os\nos._exit(3)\n")
    assert "the compiler's process ended: code 3" in (answer.error or "")
    assert DIRECT.judged(DIRECT.compile(compilers)).faults == ()


MATRIX = [
    name
    for name, schedule in matrix.sound().items()
    if schedule.target.vendor == "nvidia" and left_out(lower(schedule)) is None
]


@pytest.mark.parametrize("name", MATRIX)
def test_every_way_to_announce_and_free(name, compilers):
    """Schedules that stage, with credits and words by tile, of which the specs have none for NVIDIA."""
    for built in build(matrix.sound()[name], Source("swap.a2a", ""), compilers):
        assert built.faults == ()


def test_a_launch_that_is_counted_before_all_warps_have_read_its_number_is_found(compilers):
    schedule = next(
        matrix.sound()[name] for name in MATRIX if name.endswith("epoch") and "staged" in name and "none" in name
    )
    (subject,) = subjects(schedule, Source("swap.a2a", ""))
    spoilt = re.sub(r"tl\.debug_barrier\(\)(\s+tl\.store\(epochs)", r"pass\1", subject.text)
    assert spoilt != subject.text
    assert subject.judged(subject.compile(compilers)).faults == ()
    assert any("barrier of the program" in f for f in subject.judged(subject.compile(compilers, spoilt)).faults)


def test_schedules_that_call_the_device_library_are_left_out():
    puts = [s for s in matrix.sound().values() if any(phase.link.name == "put" for phase in s.phases)]
    assert puts
    assert all("device library" in (left_out(lower(s)) or "") for s in puts)
