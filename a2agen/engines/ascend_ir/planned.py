"""What final HIVM must have of a kernel, from its plan alone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Literal

from a2agen.engines.ascend_ir.hivm import OPERATIONS
from a2agen.ir.expr import Const
from a2agen.ir.plan import (
    Access,
    After,
    Aim,
    Barrier,
    Copy,
    EpochAfter,
    EpochStore,
    Fence,
    Load,
    Loop,
    Notify,
    Op,
    Plan,
    Put,
    Quiet,
    Store,
    Wait,
    inner,
)

Form = Literal["stock", "dist"]
_NAMES: dict[type[Op], str] = {
    Wait: "waits",
    Notify: "notifies",
    Put: "puts",
    Fence: "fences",
    Quiet: "quiets",
    Barrier: "barriers",
    EpochStore: "stores",
}
_SYMBOLS: dict[type[Op], str] = {
    Wait: "aclshmem_wait_int64",
    Notify: "aclshmem_int64_p",
    Put: "aclshmem_putmem",
    Fence: "aclshmem_fence",
    Quiet: "aclshmem_quiet",
    Barrier: "aclshmemx_barrier_all_vec",
}
C_NAMES = {
    "bf16": "bfloat16",
    "f16": "half",
    "f32": "float",
    "i8": "int8",
    "i16": "int16",
    "i32": "int32",
    "i64": "int64",
}
"""The names that symbols of aclshmem have for the types of a spec."""


def operations(plan: Plan, form: Form) -> dict[str, int]:
    """How many of each operation of OPERATIONS a plan has, where a form of the stand-in takes the real operations'
    place."""
    counts: Counter[str] = Counter()
    for op in every(plan):
        if isinstance(op, Copy | Load):
            # A single element is loaded as a number, which is not counted.
            counts["loads"] += any(axis.offsets is not None for axis in op.tile)
        if isinstance(op, Copy | Store):
            counts["stores"] += 1
        elif isinstance(op, Loop):
            counts["loops"] += 1
        elif type(op) in _NAMES:
            counts[_NAMES[type(op)]] += 1
        # A wait for several words is a loop over them where it is no operation of its own.
        if form == "stock" and isinstance(op, Wait) and op.word.count not in (None, Const(1)):
            counts["loops"] += 1
    return {name: counts[name] for name in OPERATIONS}


def symbols(plan: Plan) -> set[str]:
    """The symbols of the library that a kernel calls when all operations are the real ones."""
    found: set[str] = set()
    for op in every(plan):
        if type(op) in _SYMBOLS:
            found.add(_SYMBOLS[type(op)])
        for place in _places(op):
            pointee = C_NAMES[plan.memory(place.memory).dtype]
            if place.rank is not None:
                found.add(f"aclshmem_ptr_{pointee}")
            if place.tokens:
                found.add(f"aclshmem_consume_token_{pointee}_ptr_1d")
        if isinstance(op, Wait) and op.rank is not None:
            found.add("aclshmem_ptr_int64")
        if isinstance(op, After):
            found.add(f"aclshmem_consume_token_{C_NAMES[plan.memory(op.memory).dtype]}_ptr_1d")
        if isinstance(op, EpochAfter):
            found.add("aclshmem_consume_token_int64")
        if isinstance(op, Notify) and op.tokens:
            found.add("aclshmem_consume_token_int64_ptr_1d")
    return found


def _places(op: Op) -> tuple[Access, ...]:
    """The places whose elements an operation reads and writes."""
    match op:
        case Copy(source, target) | Put(source, target):
            return (source, target)
        case Load(place) | Aim(place) | Store(place):
            return (place,)
    return ()


def every(plan: Plan) -> Iterable[Op]:
    """All operations of the kernel, those within others too."""
    kernel = plan.kernel
    parts = [part.body for cores in kernel.classes for part in cores.parts]
    stack: list[Op] = [*kernel.prologue, *(op for body in parts for op in body), *kernel.epilogue]
    while stack:
        op = stack.pop()
        yield op
        stack += inner(op)


def missing(plan: Plan, form: Form, found: dict[str, int], called: Iterable[str]) -> list[str]:
    """What a kernel lacks of its plan, or has too much of, in words; `called` are the library's symbols in it.

    Loops may be more than the plan's: a compiler copies a tile that it cannot describe row by row.
    """
    wanted = operations(plan, form)
    wrong = []
    for name in OPERATIONS:
        if found[name] < wanted[name] or (found[name] > wanted[name] and name != "loops"):
            wrong.append(f"{found[name]} {name} of {wanted[name]}")
    if form == "dist":
        wrong += [f"no call of {symbol}" for symbol in sorted(symbols(plan).difference(called))]
    return wrong
