"""The launcher of a plan: a class that allocates a workspace and launches the kernel."""

from __future__ import annotations

from dataclasses import asdict

from a2agen.emit.manifest import operations
from a2agen.emit.triton_dist.host import copies, python, steps
from a2agen.ir.bounds import Where
from a2agen.ir.expr import Const, substitute
from a2agen.ir.model import FROM, TO, Exchange, Schedule, Storage
from a2agen.ir.plan import Plan, Put, Words
from a2agen.passes import analysis
from a2agen.passes.choice import engine_costs, task_extents, tile_costs
from a2agen.passes.ways import link_of
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


def launcher_context(plan: Plan, name: str | None = None) -> dict[str, object]:
    """What the template of an operator needs of a plan; `name` is that of a class that a launcher chooses."""
    exchange = plan.schedule.exchange
    word = plan.schedule.target.signal_stride_bytes // 8
    constants = {name: Const(value) for name, value in plan.constants}
    regions = [
        {"name": w.name, "elements": python(word_count(w) * word), "dtype": _word_dtype(plan, w)} for w in plan.words
    ]
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
        "name": name or "Exchange",
        "link": None if name is None else link_of(plan.schedule).name,
        "engine": None if name is None else engine_costs(plan.schedule),
        "cores": plan.cores,
        "chosen": chosen_tiles(plan),
        # Nothing on Ascend traces a launcher, so that its text goes without.
        "traced": plan.schedule.target.vendor == "nvidia",
        "uses_cores": plan.uses_epochs or any("cores" in word_count(w).names() for w in plan.words),
        "ranks": exchange.ranks,
        "dims": exchange.dims,
        **extents(exchange),
        "memories": memories,
        "words": regions,
        "word": word,
        "epochs": epochs,
        "zeroed": zeroed,
        "source": _tensor(exchange, source),
        "result": _tensor(exchange, result),
        "copies": copies(plan),
        "host": steps(plan),
        "exchange_title": exchange_title(plan.schedule),
    }


def _word_dtype(plan: Plan, region: Words) -> str:
    """The type of signal words: NVSHMEM's signals, which puts bring along, are unsigned."""
    puts = (op for kernel in plan.kernels for op in operations(kernel) if isinstance(op, Put))
    brought = any(put.signal is not None and put.signal.word.words == region.name for put in puts)
    return "torch.uint64" if brought else "torch.int64"


def extents(exchange: Exchange) -> dict[str, object]:
    """What is checked of the extents that a caller gives."""
    return {"extents": exchange.bounds.extents, "bounds": [_bound(where) for where in exchange.bounds.where]}


def exchange_title(schedule: Schedule) -> str:
    """What an operator exchanges."""
    source, result = schedule.source, schedule.result
    return f"{schedule.exchange.name}, {source.dtype}: {_described(source)} -> {_described(result)}."


def chosen_tiles(plan: Plan) -> dict[str, object] | None:
    """What a launcher computes where it chooses the tiles: rows, what lies together in each, and what the link
    costs; None where the spec says the tiles."""
    if not plan.tuned:
        return None
    schedule = plan.schedule
    (phase,) = schedule.phases
    run, around = analysis.flat_axes(schedule, phase, phase.moves[0])
    rows, together, outer = task_extents(schedule)
    return {
        "names": [name for name, _ in plan.tuned],
        "most": max(value for name, value in plan.constants if name in dict(plan.tuned)),
        "rows": python(rows),
        "together": python(together),
        "outer": python(outer),
        "itemsize": schedule.source.element_bytes,
        "costs": asdict(tile_costs(schedule)),
        "about": f"{around[-1]} by as much of {' '.join(run)}" if around else f"{' '.join(run)} by as much",
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
