"""The manifest of a schedule: what a user's build and tests need to know of its kernel, as JSON."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from a2agen import __version__
from a2agen.emit import header
from a2agen.ir.expr import Const, Expr, Sym, add, show, substitute
from a2agen.ir.model import DTYPES, Case
from a2agen.ir.plan import Barrier, Fence, HostCopy, Kernel, Loop, Memory, Notify, Op, Plan, Put, Quiet, Wait, WaitFlags
from a2agen.passes.onchip import kernel_bytes
from a2agen.passes.words import word_count
from a2agen.source import Source

VERSION = 1


def manifest(
    plan: Plan,
    source: Source,
    kernel_file: str,
    arguments: Mapping[str, Sequence[str]],
    *,
    host_counts: bool = False,
) -> str:
    """The manifest's text, for kernels with these arguments in a file of this name.

    Where a launch has two kernels, `kernels` lists them in place of `kernel`. `host_counts`: the host program counts
    launches, not a buffer of the kernel's.

    Formulas are over the ranks and the dims; bytes are of one rank.
    """
    schedule, exchange = plan.schedule, plan.schedule.exchange
    stride = schedule.target.signal_stride_bytes
    kernels = [{"file": kernel_file, "entry": name, "args": list(args)} for name, args in arguments.items()]
    words = substitute(add(*(word_count(w) for w in plan.words)), {"cores": Const(plan.cores)})
    sizes = [(m.name, m.symmetric, _bytes(plan, m)) for m in plan.memories if m.kind == "buffer" or m.symmetric]
    if plan.uses_epochs and not host_counts:
        sizes += [(kernel.epochs, False, Const(plan.cores * stride)) for kernel in plan.kernels]
    content = {
        "version": VERSION,
        "a2agen": __version__,
        "spec": {"path": header.spec_path(source), "digest": header.spec_digest(source)},
        "profile": {"name": schedule.target.name, "digest": schedule.target.digest},
        "exchange": exchange.name,
        "schedule": schedule.name,
        "target": schedule.target.name,
        "emit": schedule.emit,
        **({"kernel": kernels[0]} if len(kernels) == 1 else {"kernels": kernels}),
        "cores": plan.cores,
        "dims": {e.name: [e.lo, e.hi] for e in exchange.bounds.extents},
        "where": [str(w) for w in exchange.bounds.where],
        "dtype": exchange.source.dtype,
        "buffers": [
            {
                "name": name,
                "kind": "symmetric" if symmetric else "local",
                "formula": show(size),
                "bytes": _by_case(size, exchange.cases),
            }
            for name, symmetric, size in sizes
        ],
        "signals": {
            "words": _by_case(words, exchange.cases),
            "stride_bytes": stride,
            "formula": show(words),
        },
        "ub_bytes": kernel_bytes(schedule),
        "rounds": schedule.rounds,
        "needs": sorted(needs(plan)),
        "proof": None,
    }
    return json.dumps(content, indent=2) + "\n"


def needs(plan: Plan) -> set[str]:
    """The capabilities of the target's library that the kernels use, by the profile's words for them."""
    found: set[str] = {"host_role"} if any(isinstance(op, HostCopy) for op in plan.host) else set()
    for op in (op for kernel in plan.kernels for op in operations(kernel)):
        match op:
            case Wait(rank=rank):
                found |= {"wait_eq"} | ({"symmetric_at"} if rank is not None else set())
            case Notify(how=how):
                found.add("notify_add" if how == "add" else "notify")
            case Put():
                found |= _put(op)
            case Quiet(peer):
                found.add("quiet" if peer is None else "queue_quiet")
            case WaitFlags():
                found.add("flag")
            case Barrier():
                found.add("barrier")
            case Fence() if plan.schedule.target.vendor != "nvidia":
                # On a GPU it is a barrier of the program's own warps, no call of the library.
                found.add("fence")
        for access in (getattr(op, "source", None), getattr(op, "target", None)):
            if access is not None and access.rank is not None:
                found.add("symmetric_at")
    return found


def _put(put: Put) -> set[str]:
    """What a put needs, alone or with others."""
    options = {
        "qps": isinstance(put.queue, Sym),
        "relay": put.via is not None,
        "signal": put.signal is not None,
        "batch": put.submission != "now",
    }
    return {"putmem", *(name for name, asked in options.items() if asked)}


def operations(kernel: Kernel) -> list[Op]:
    """All operations of a kernel's programs."""
    bodies = (kernel.prologue, kernel.epilogue, *(part.body for c in kernel.classes for part in c.parts))
    return [op for body in bodies for op in walk(body)]


def walk(ops: tuple[Op, ...]) -> list[Op]:
    """All operations, those of loops after the loop."""
    return [found for op in ops for found in (op, *(walk(op.body) if isinstance(op, Loop) else ()))]


def _bytes(plan: Plan, memory: Memory) -> Expr:
    """A memory's bytes, over the extents alone."""
    constants = {name: Const(value) for name, value in plan.constants}
    return substitute(DTYPES[memory.dtype] * memory.elements, constants)


def _by_case(expr: Expr, cases: tuple[Case, ...]) -> Mapping[str, int]:
    return {case.name: expr.evaluate(case.values) for case in cases}
