"""A kernel as Triton could compile it, in as few instructions as show all that is looked for."""

from __future__ import annotations

from a2agen.ir.model import Schedule
from a2agen.ir.plan import Plan
from a2agen.passes.check import check
from a2agen.passes.lower import lower
from a2agen.source import Source

SPEC = """\
exchange swap {
  ranks W in 2..4
  dim   S in 1..64
  dim   D in 1..4096
  in  A : bf16 [(to S) D]
  out C : bf16 [S (from D)]
}
schedule direct for swap {
  target h200
  emit   triton_dist
  place  C symmetric
  role   mover : all
  phase send on mover {
    move  A -> C
    link  ldst
    order staggered
    ready notify per peer
    free  credit per peer
  }
  rounds epoch
}
"""
PARAMETERS = ("standin_peers", "A", "C", "send_ready", "entered", "epochs", "rank", "W", "S", "D")

# Lines are those of a text that has the plan's operations in its order.
PTX = """\
.visible .entry swap_direct(
	.param .u64 .ptr .global .align 1 swap_direct_param_0
)
.reqntid 128
{
	.reg .pred 	%p<9>;
	.loc	1 5 0                          // kernel.py with peers:5:0
	ld.param.b64 	%rd0, [swap_direct_param_0];
	ld.param.b64 	%rd1, [swap_direct_param_1];
	ld.param.b64 	%rd2, [swap_direct_param_2];
	ld.param.b64 	%rd3, [swap_direct_param_3];
	ld.param.b64 	%rd4, [swap_direct_param_4];
	ld.param.b64 	%rd5, [swap_direct_param_5];
	ld.param.b32 	%r7, [swap_direct_param_7];
	.loc	1 10 20                         // kernel.py with peers:10:20
	// begin inline asm
	mov.u64 %rd10, 0x0;
	ld.global.b64 { %rd10 }, [ %rd5 + 0 ];
	// end inline asm
	add.s64 	%rd11, %rd10, 1;
$L__BB0_1:                              // =>This Inner Loop Header: Depth=1
	.loc	3 35 20                         // language.py:35:20 @[ language.py:77:28 @[ kernel.py with peers:12:39 ] ]
	ld.global.b64 { %rd12 }, [ %rd0 + 16 ];
	add.s64 	%rd13, %rd4, %rd12;
	.loc	3 92 12                         // language.py:92:12 @[ kernel.py with peers:12:39 ]
	// begin inline asm
            {
                .reg .pred %first;
                @%first st.release.sys.global.b64 [%rd13], %rd11;
                mov.b32 %r23, 0;
            }
	// end inline asm
	add.s32 	%r76, %r76, 1;
	setp.lt.s32 	%p3, %r76, %r7;
	@%p3 bra 	$L__BB0_1;
	mov.u32 	%r4, %tid.x;
$L__BB0_3:
	.loc	1 13 23                         // kernel.py with peers:13:23
	mad.wide.s32 	%rd30, %r4, 16, %rd1;
	@%p6 ld.global.v4.b32 { %r32, %r33, %r34, %r35 }, [ %rd30 + 0 ];
	@%p7 ld.global.v4.b32 { %r36, %r37, %r38, %r39 }, [ %rd30 + 2048 ];
	@%p8 bra 	$L__BB0_6;
$L__BB0_2:
	.loc	3 60 12                         // language.py:60:12 @[ kernel.py with peers:14:56 ]
	// begin inline asm
            {
                .reg .pred %differs;
                .reg .b64 %found;
            again:
                ld.acquire.sys.global.b64 %found, [%rd4];
                setp.ne.b64 %differs, %found, %rd11;
                @%differs bra again;
                mov.b32 %r27, 0;
            }
	// end inline asm
	add.s32 	%r77, %r77, 1;
	setp.ne.b32 	%p4, %r77, %r7;
	@%p4 bra 	$L__BB0_2;
$L__BB0_6:
	.loc	3 35 20                         // language.py:35:20 @[ kernel.py with peers:19:31 ]
	ld.global.b64 { %rd31 }, [ %rd0 + 16 ];
	add.s64 	%rd32, %rd2, %rd31;
	.loc	1 21 91                         // kernel.py with peers:21:91
	@%p6 st.global.v4.b32 [ %rd32 + 0 ], { %r32, %r33, %r34, %r35 };
	@%p7 st.global.v4.b32 [ %rd32 + 2048 ], { %r36, %r37, %r38, %r39 };
	setp.lt.s32 	%p15, %r78, %r10;
	@%p15 bra 	$L__BB0_3;
	.loc	1 23 4                          // kernel.py with peers:23:4
	bar.sync 	0;
$L__BB0_4:
	.loc	3 35 20                         // language.py:35:20 @[ language.py:77:28 @[ kernel.py with peers:25:42 ] ]
	ld.global.b64 { %rd41 }, [ %rd0 + 24 ];
	add.s64 	%rd43, %rd3, %rd41;
	.loc	3 111 12                        // language.py:111:12 @[ kernel.py with peers:25:42 ]
            {
                @%first red.release.sys.global.add.u64 [%rd43], %rd44;
            }
	setp.ne.b32 	%p17, %r12, %r79;
	@%p17 bra 	$L__BB0_4;
$L__BB0_5:
	.loc	3 60 12                         // language.py:60:12 @[ kernel.py with peers:28:59 ]
            {
            again:
                ld.acquire.sys.global.b64 %found, [%rd3];
                setp.ne.b64 %differs, %found, %rd51;
                @%differs bra again;
            }
	setp.lt.s32 	%p18, %r80, %r9;
	@%p18 bra 	$L__BB0_5;
	.loc	1 31 4                          // kernel.py with peers:31:4
	@%p19 st.global.b64 [ %rd5 + 0 ], { %rd11 };
	ret;
}
"""


def schedule() -> Schedule:
    (found,) = check(Source("swap.a2a", SPEC)).schedules
    return found


def plan() -> Plan:
    return lower(schedule())
