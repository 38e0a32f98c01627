"""What a launcher does for each launch, as its template prints it."""

from __future__ import annotations

from a2agen.emit.triton_dist.kernel import arguments
from a2agen.ir.expr import Expr, show
from a2agen.ir.model import FROM, TO, Storage
from a2agen.ir.plan import Clear, HostCopy, HostOp, Kernel, Launch, Plan


def steps(plan: Plan) -> list[dict[str, object]]:
    """The host program: each operation by its kind, with the texts that it needs."""
    return [{"kind": type(op).__name__, **_step(plan, op)} for op in plan.host]


def warps(plan: Plan, kernel: Kernel) -> int | None:
    """How many warps a launch asks for, None where it leaves that to Triton.

    One is enough for what a kernel beside copies does, and starts sooner.
    """
    return 1 if kernel.side is not None and plan.schedule.target.vendor == "nvidia" else None


def _step(plan: Plan, op: HostOp) -> dict[str, object]:
    match op:
        case Clear(names):
            return {"words": names}
        case Launch(name):
            kernel = next(k for k in plan.kernels if k.name == name)
            given = [a.value for a in arguments(plan, kernel)]
            return {"kernel": name, "arguments": given, "warps": warps(plan, kernel)}
        case HostCopy():
            return _copy(plan, op)
    return {}


def _copy(plan: Plan, op: HostCopy) -> dict[str, object]:
    """A copy's loop, or the one peer where there is no loop, and which slab it takes."""
    one = op.counter is None
    return {
        "about": op.about,
        "counter": op.counter,
        "count": python(op.count),
        "peer": python(op.nth) if one else op.peer,
        "nth": "" if one or op.counter == op.peer else python(op.nth),
        "stream": python(op.stream),
        "target": op.target.memory,
        "slab": slab(plan, op, python(op.nth) if one else op.peer),
    }


def copies(plan: Plan) -> dict[str, object] | None:
    """What a launcher keeps for copies by the host; None where it issues none.

    All go to the same rows of the output: those that a peer has for this rank.
    """
    found = [op for op in plan.host if isinstance(op, HostCopy)]
    if not found:
        return None
    result, source = plan.schedule.result, plan.schedule.source
    place = _subscript(result, "ranks.rank")
    peer = found[0].peer
    return {
        "rows": f"{result.name}_rows",
        "peer": peer,
        "place": f"ranks.peer(self._{result.name}, {peer}){_unmerged(plan, result)}{place}",
        "slabs": f"{source.name}{_unmerged(plan, source)}",
    }


def slab(plan: Plan, op: HostCopy, peer: str) -> str:
    """The slab of the source for a peer, its axes in the order of the output's."""
    source, result = plan.schedule.source, plan.schedule.result
    have = [axis for axis, _ in op.extents]
    wanted = [axis for axis in result.layout.axes if axis != result.peer_axis]
    order = "" if have == wanted else f".permute({', '.join(str(have.index(axis)) for axis in wanted)})"
    return f"slabs{_subscript(source, peer)}{order}"


def python(expr: Expr) -> str:
    """An expression in the launcher's Python."""
    return show(expr, {"cdiv": "runtime.cdiv"})


def _unmerged(plan: Plan, storage: Storage) -> str:
    """The calls that give each axis of a tensor a dimension of its own."""
    calls, at = "", 0
    for group in storage.layout.factors:
        if len(group) > 1:
            sizes = ", ".join(plan.schedule.exchange.ranks if axis in (TO, FROM) else axis for axis in group)
            calls += f".unflatten({at}, ({sizes}))"
        at += len(group)
    return calls


def _subscript(storage: Storage, peer: str) -> str:
    """What takes one slab out of a tensor with a dimension for each axis."""
    place = next(n for n, axis in enumerate(storage.layout.axes) if axis == storage.peer_axis)
    return f"[{':, ' * place}{peer}]"
