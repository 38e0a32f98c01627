"""Plans with one operation changed or left out."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from a2agen.ir.plan import Kernel, Loop, Op, Plan, When, inner

Change = Callable[[Op], list[Op]]


def changed(plan: Plan, kind: type[Op], change: Change) -> Iterator[tuple[str, Plan]]:
    """For each operation of a kind in the plan's kernel, the plan in which `change` gives what stands in its place."""
    count = sum(isinstance(op, kind) for op in operations(plan.kernel))
    for number in range(count):
        left = iter(range(count))

        def once(op: Op, number: int = number, left: Iterator[int] = left) -> list[Op]:
            return change(op) if isinstance(op, kind) and next(left) == number else [op]

        yield f"{kind.__name__} {number} of {count}", replace(plan, kernels=(_mapped(plan.kernel, once),))


def without(plan: Plan, *kinds: type[Op]) -> Iterator[tuple[str, Plan]]:
    """The plan without each operation of some kinds in turn."""
    for kind in kinds:
        yield from changed(plan, kind, lambda op: [])


def _mapped(kernel: Kernel, change: Change) -> Kernel:
    def walk(ops: tuple[Op, ...]) -> tuple[Op, ...]:
        return tuple(
            found
            for op in ops
            for found in ([replace(op, body=walk(op.body))] if isinstance(op, Loop | When) else change(op))
        )

    classes = tuple(
        replace(kind, parts=tuple(replace(part, body=walk(part.body)) for part in kind.parts))
        for kind in kernel.classes
    )
    return replace(kernel, prologue=walk(kernel.prologue), classes=classes, epilogue=walk(kernel.epilogue))


def operations(kernel: Kernel) -> Iterator[Op]:
    """All operations of a kernel that hold no others."""

    def walk(ops: tuple[Op, ...]) -> Iterator[Op]:
        for op in ops:
            if inner(op):
                yield from walk(inner(op))
            else:
                yield op

    for ops in (kernel.prologue, *(p.body for c in kernel.classes for p in c.parts), kernel.epilogue):
        yield from walk(ops)
