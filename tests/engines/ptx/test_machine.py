"""What a multiprocessor holds, and what is wrong with machine code."""

from __future__ import annotations

from dataclasses import replace

import pytest

from a2agen.engines.ptx import machine
from a2agen.engines.ptx.compilers import REFUSED

SASS = """\
        /*0000*/                   LDC R1, c[0x0][0x28] ;
        /*00c0*/                   LDG.E.64 R2, desc[UR10][R2.64] ;
        /*04b0*/              @!P0 MEMBAR.ALL.SYS ;
        /*04c0*/              @!P0 ERRBAR;
        /*04e0*/              @!P0 STG.E.64.STRONG.SYS desc[UR10][R10.64], R8 ;
.L_x_4:
        /*0780*/                   LDG.E.64.STRONG.SYS R4, desc[UR10][R2.64] ;
        /*0790*/                   CCTL.IVALL ;
        /*07c0*/               @P0 BRA `(.L_x_4) ;
        /*1060*/               @P2 LDG.E.128 R4, desc[UR10][R20.64] ;
        /*1070*/               @P3 LDG.E.U16 R8, desc[UR10][R20.64+0x800] ;
        /*10e0*/              @!PT STG.E desc[UR10][R2.64], R4 ;
        /*1470*/                   MEMBAR.ALL.SYS ;
        /*14a0*/                   REDG.E.ADD.64.STRONG.SYS desc[UR10][R6.64], R4 ;
        /*14b0*/                   EXIT ;
"""


def test_nothing_is_wrong_with_the_listing():
    assert list(machine.faults(SASS, 1, 2)) == []
    assert machine.spills(SASS) == (0, 0)
    assert machine.widths(SASS, "LDG") == [64, 128, 16]
    assert machine.widths(SASS, "STG") == [32]


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("CCTL.IVALL", "NOP", "does not drop what is cached"),
        ("@!P0 MEMBAR.ALL.SYS", "@!P0 NOP", "no MEMBAR of system scope before a notify"),
        ("MEMBAR.ALL.SYS ;\n        /*14a0*/", "MEMBAR.ALL.GPU ;\n        /*14a0*/", "no MEMBAR of system scope"),
        ("LDG.E.64.STRONG.SYS", "LDG.E.64.STRONG.GPU", "LDG.E.64.STRONG.GPU, of less than system scope"),
        ("LDG.E.64.STRONG.SYS", "LDG.E.64", "0 waits of 1"),
        ("REDG.E.ADD.64.STRONG.SYS", "REDG.E.ADD.64", "1 notifies of 2"),
        ("EXIT", "BPT.TRAP", "machine code has BPT.TRAP"),
        ("EXIT", "CALL.REL.NOINC", "machine code has CALL.REL.NOINC"),
    ],
)
def test_what_is_wrong_is_found(old, new, said):
    assert old in SASS
    found = list(machine.faults(SASS.replace(old, new, 1), 1, 2))
    assert any(said in fault for fault in found), found


def test_spills_are_counted_and_those_in_loops_apart():
    store, load = "        /*0590*/  @P0 STL.64 [R1+0x8], R4 ;\n", "        /*14a8*/                   LDL R4, [R1] ;\n"
    around = SASS.replace(".L_x_4:", store + ".L_x_4:") + load
    assert machine.spills(around) == (2, 0)
    assert machine.spills(SASS.replace("        /*07c0*/", store + "        /*07c0*/") + load) == (2, 1)


@pytest.mark.parametrize(
    ("registers", "warps", "shared", "programs"),
    [
        (255, 4, 0, 2),  # what the profile counts on
        (168, 4, 0, 3),
        (128, 4, 0, 4),
        (129, 4, 0, 3),
        (32, 4, 0, 16),  # 64 warps
        (16, 1, 0, 32),  # 32 programs
        (32, 4, 100 * 1024, 2),
    ],
)
def test_how_many_programs_are_resident(registers, warps, shared, programs):
    """By hand from the tables of the CUDA C++ Programming Guide for compute capability 9.0."""
    answer = replace(REFUSED, registers=registers, warps=warps, shared_bytes=shared)
    assert machine.resident(answer) == 132 * programs
