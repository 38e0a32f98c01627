"""The manifest of a schedule: what a user's build and tests need to know of its kernel, as JSON."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from a2agen import __version__
from a2agen.emit import header
from a2agen.ir.expr import Const, Expr, Sym, add, show, substitute
from a2agen.ir.model import DTYPES, Case, Exchange, Schedule
from a2agen.ir.plan import (
    Barrier,
    Fence,
    HostCopy,
    Kernel,
    Memory,
    Notify,
    Op,
    Plan,
    Put,
    Quiet,
    Wait,
    WaitFlags,
    inner,
)
from a2agen.passes.onchip import kernel_bytes
from a2agen.passes.ways import link_of
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
    about, memory, end = _about(plan.schedule, source), _memory(plan, host_counts=host_counts), _end(plan)
    extents = _extents(plan.schedule.exchange)
    return _text(about | _launch(plan, kernel_file, arguments) | extents | memory | end | {"proof": None})


def choosing_manifest(
    plans: Sequence[Plan], source: Source, kernel_file: str, arguments: Mapping[str, Mapping[str, Sequence[str]]]
) -> str:
    """The manifest's text for a launcher that chooses one of several plans of a schedule, each by its link: `links` has
    what is said of the one launch elsewhere. `arguments` are those of the kernels, by the names of the plans."""
    schedule = plans[0].schedule
    links = {
        link_of(p.schedule).name: _launch(p, kernel_file, arguments[p.schedule.name])
        | _memory(p, host_counts=False)
        | _end(p)
        for p in plans
    }
    return _text(_about(schedule, source) | {"links": links} | _extents(schedule.exchange) | {"proof": None})


def _text(content: Mapping[str, object]) -> str:
    return json.dumps(content, indent=2) + "\n"


def _about(schedule: Schedule, source: Source) -> dict[str, object]:
    return {
        "version": VERSION,
        "a2agen": __version__,
        "spec": {"path": header.spec_path(source), "digest": header.spec_digest(source)},
        "profile": {"name": schedule.target.name, "digest": schedule.target.digest},
        "exchange": schedule.exchange.name,
        "schedule": schedule.declared,
        "target": schedule.target.name,
        "emit": schedule.emit,
    }


def _launch(plan: Plan, kernel_file: str, arguments: Mapping[str, Sequence[str]]) -> dict[str, object]:
    kernels = [{"file": kernel_file, "entry": name, "args": list(args)} for name, args in arguments.items()]
    return {**({"kernel": kernels[0]} if len(kernels) == 1 else {"kernels": kernels}), "cores": plan.cores}


def _extents(exchange: Exchange) -> dict[str, object]:
    return {
        "dims": {e.name: [e.lo, e.hi] for e in exchange.bounds.extents},
        "where": [str(w) for w in exchange.bounds.where],
        "dtype": exchange.source.dtype,
    }


def _memory(plan: Plan, *, host_counts: bool) -> dict[str, object]:
    """The buffers and the signal words of a launch."""
    schedule, exchange = plan.schedule, plan.schedule.exchange
    stride = schedule.target.signal_stride_bytes
    words = substitute(add(*(word_count(w) for w in plan.words)), {"cores": Const(plan.cores)})
    sizes = [(m.name, m.symmetric, _bytes(plan, m)) for m in plan.memories if m.kind == "buffer" or m.symmetric]
    if plan.uses_epochs and not host_counts:
        sizes += [(kernel.epochs, False, Const(plan.cores * stride)) for kernel in plan.kernels]
    return {
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
    }


def _end(plan: Plan) -> dict[str, object]:
    schedule = plan.schedule
    return {"ub_bytes": kernel_bytes(schedule), "rounds": schedule.rounds, "needs": sorted(needs(plan))}


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
    """All operations, those that one holds after it."""
    return [found for op in ops for found in (op, *walk(inner(op)))]


def _bytes(plan: Plan, memory: Memory) -> Expr:
    """A memory's bytes, over the extents alone."""
    constants = {name: Const(value) for name, value in plan.constants}
    return substitute(DTYPES[memory.dtype] * memory.elements, constants)


def _by_case(expr: Expr, cases: tuple[Case, ...]) -> Mapping[str, int]:
    return {case.name: expr.evaluate(case.values) for case in cases}
