"""The launcher of a plan: a class that allocates a workspace and launches the kernel."""

from __future__ import annotations

from a2agen.emit.triton_dist.host import copies, python, steps
from a2agen.ir.bounds import Where
from a2agen.ir.expr import Const, Sym, mul, substitute
from a2agen.ir.model import FROM, TO, Exchange, Storage
from a2agen.ir.plan import Plan
from a2agen.passes import analysis
from a2agen.passes.words import word_count

TORCH_DTYPES = {
    "f32": "torch.float32",
    "f16": "torch.float16",
    "bf16": "torch.bfloat16",
    "i8": "torch.int8",
    "i16": "torch.int16",
    "i32": "torch.int32",
    "i64": "torch.int64",
    "f8e4m3": "torch.float8_e4m3fn",
    "f8e5m2": "torch.float8_e5m2",
}


def launcher_context(plan: Plan) -> dict[str, object]:
    """What the launcher's template needs of a plan."""
    exchange = plan.schedule.exchange
    word = plan.schedule.target.signal_stride_bytes // 8
    constants = {name: Const(value) for name, value in plan.constants}
    regions = [{"name": w.name, "elements": python(word_count(w) * word)} for w in plan.words]
    epochs = [f"_{kernel.epochs}" for kernel in plan.kernels] if plan.uses_epochs else []
    zeroed = [f"_{w.name}" for w in plan.words if not w.cleared] + epochs
    source, result = plan.schedule.source, plan.schedule.result
    memories = [
        {
            "name": m.name,
            "where": "symmetric" if m.symmetric else "local",
            "shape": _shape(exchange, result)
            if m.kind == "out"
            else _tuple([python(substitute(n, constants)) for n in m.shape]),
            "dtype": TORCH_DTYPES[m.dtype],
        }
        for m in plan.memories
        if m.kind != "in"
    ]
    return {
        "kernels": [kernel.name for kernel in plan.kernels],
        "cores": plan.cores,
        "chosen": chosen_tiles(plan),
        # Nothing on Ascend traces a launcher, so that its text goes without.
        "traced": plan.schedule.target.vendor == "nvidia",
        "uses_cores": plan.uses_epochs or any("cores" in word_count(w).names() for w in plan.words),
        "ranks": exchange.ranks,
        "dims": exchange.dims,
        "extents": exchange.bounds.extents,
        "bounds": [_bound(where) for where in exchange.bounds.where],
        "memories": memories,
        "words": regions,
        "word": word,
        "epochs": epochs,
        "zeroed": zeroed,
        "source": _tensor(exchange, source),
        "result": _tensor(exchange, result),
        "copies": copies(plan),
        "host": steps(plan),
        "exchange_title": f"{exchange.name}, {source.dtype}: {_described(source)} -> {_described(result)}.",
    }


def chosen_tiles(plan: Plan) -> dict[str, object] | None:
    """What a launcher computes where it chooses the tiles: rows, what lies together in each, and what the link
    costs; None where the spec says the tiles."""
    if not plan.tuned:
        return None
    exchange = plan.schedule.exchange
    (phase,) = plan.schedule.phases
    run, rows = analysis.flat_axes(plan.schedule, phase, phase.moves[0])
    together = mul(*(Sym(axis) for axis in run))
    outer = mul(Sym(exchange.ranks), *(Sym(axis) for axis in rows[:-1]))
    return {
        "names": [name for name, _ in plan.tuned],
        "most": max(value for name, value in plan.constants if name in dict(plan.tuned)),
        "rows": python(Sym(rows[-1])) if rows else "1",
        "together": python(together),
        "outer": python(outer),
        "itemsize": plan.schedule.source.element_bytes,
        "costs": _costs(plan),
        "about": f"{rows[-1]} by as much of {' '.join(run)}" if rows else f"{' '.join(run)} by as much",
    }


def _costs(plan: Plan) -> dict[str, float]:
    """The profile's figures of the link, as the runtime wants them: microseconds, bytes a microsecond."""
    (phase,) = plan.schedule.phases
    costs = plan.schedule.target.link(phase.link.name).costs
    assert costs is not None  # nothing else lets a launcher choose
    return {
        "start": costs.start_ns / 1e3,
        "latency": costs.task_latency_ns / 1e3,
        "task_rate": float(costs.task_rate),
        "announce": costs.announce_ns / 1e3,
        "rate": float(costs.rate),
    }


def _bound(where: Where) -> dict[str, object]:
    left, right = python(where.left), python(where.right)
    names = dict.fromkeys((*where.left.names(), *where.right.names()))
    return {"text": str(where), "left": left, "right": right, "names": list(names)}


def _tensor(exchange: Exchange, storage: Storage) -> dict[str, object]:
    return {
        "name": storage.name,
        "shape": _shape(exchange, storage),
        "dtype": TORCH_DTYPES[storage.dtype],
        "strided": storage.strided,
        "symmetric": storage.symmetric,
    }


def _shape(exchange: Exchange, storage: Storage) -> str:
    sizes = [" * ".join(exchange.ranks if a in (TO, FROM) else a for a in group) for group in storage.layout.factors]
    return _tuple(sizes)


def _tuple(items: list[str]) -> str:
    return f"({items[0]},)" if len(items) == 1 else f"({', '.join(items)})"


def _described(storage: Storage) -> str:
    return f"{storage.name} {storage.layout}"
