"""Runs a program over interleavings: data in, launches in a row as a user's stream makes them, outputs compared."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np

from a2agen.engines.cpu import arena, deadlock, turns
from a2agen.engines.cpu.blocks import Array
from a2agen.engines.cpu.dtypes import BY_SPEC_NAME
from a2agen.engines.cpu.errors import Halt, KernelError, OffsetOverflow
from a2agen.engines.cpu.findings import Collector, SimFinding
from a2agen.engines.cpu.host import Host, Meeting
from a2agen.engines.cpu.loader import compiled, line_in, load, located
from a2agen.engines.cpu.machine import Core, Machine
from a2agen.engines.cpu.memory import Coordinates
from a2agen.engines.cpu.model import MemoryModel, of_vendor
from a2agen.engines.cpu.program import Program
from a2agen.engines.cpu.ranks import Arena, RankCommunicator
from a2agen.engines.cpu.reference import Reference
from a2agen.engines.cpu.scheduler import Scheduler
from a2agen.engines.cpu.sites import Sites
from a2agen.engines.cpu.tensors import Tensor, Tensors
from a2agen.engines.setups import Setup, turn


@dataclass(frozen=True, slots=True)
class Ran:
    """How many interleavings ran at these extents with that many cores of a rank; `then` are those of later launches,
    as in `Setup`."""

    values: dict[str, int]
    cores: int
    interleavings: int
    then: tuple[dict[str, int], ...] = ()


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of a simulation.

    `verified`: every output of every interleaving was right and nothing was found. `wrong` and `deadlocks` count
    interleavings. `error` says why the program cannot be run at all, else it is None. `operations` are loads, stores,
    waits, notifies, fences, puts and barriers of all cores; `switches` changes of the running core. `lead` says by how
    many launches a rank was ahead of another at most. `trace` is the order in which actors ran in the last
    interleaving, empty unless asked for.
    """

    verified: bool
    launches: int
    interleavings: int
    wrong: int
    deadlocks: int
    findings: tuple[SimFinding, ...]
    error: str | None
    seconds: float
    operations: int
    switches: int
    lead: int = 0
    shapes: tuple[Ran, ...] = ()
    trace: tuple[int, ...] = ()


@dataclass(slots=True)
class _Totals:
    wrong: int = 0
    deadlocks: int = 0
    operations: int = 0
    switches: int = 0
    lead: int = 0


def simulate(
    program: Program,
    values: dict[str, int],
    *,
    cores: int | None = None,
    then: Sequence[dict[str, int]] = (),
    launches: int = 3,
    interleavings: int = 1,
    seed: int = 0,
    checked: bool = True,
    model: MemoryModel | None = None,
    traced: bool = False,
    tensors: Tensors | None = None,
) -> Outcome:
    """Run `program` at the extents `values` (the ranks and every dim).

    `cores` overrides the launcher's number, and `then` gives the extents of later launches, as in `Setup`; the rest is
    as for `search`.
    """
    return search(
        program,
        (Setup(values, cores, tuple(then)),),
        launches=launches,
        interleavings=interleavings,
        seed=seed,
        checked=checked,
        model=model,
        traced=traced,
        tensors=tensors,
    )


def search(
    program: Program,
    setups: Sequence[Setup],
    *,
    launches: int = 3,
    interleavings: int = 1,
    seed: int = 0,
    checked: bool = True,
    model: MemoryModel | None = None,
    traced: bool = False,
    tensors: Tensors | None = None,
) -> Outcome:
    """Run `program` in several setups, the interleavings spread over them.

    Interleaving i has the seed `seed` + i, which its findings carry and which alone repeats it: it also says which
    setup is taken. `checked` turns the happens-before checks on; `model` replaces the vendor's assumptions, and
    `tensors` the engine's own tensors, as by `torch_tensors.TorchTensors`.
    """
    begun = time.perf_counter()
    findings = Collector()
    totals = _Totals()
    trace: list[int] = []
    error = None
    done = 0
    runs: dict[int, _Interleaving] = {}
    try:
        for number in range(seed, seed + interleavings):
            which = turn(number, len(setups))
            if which not in runs:
                runs[which] = _Interleaving(
                    program, setups[which], launches, checked, model, findings, tensors or Tensors()
                )
            trace.clear()
            findings.seed = number
            with _without_collector():
                runs[which].once(number, totals, trace if traced else None)
            done += 1
            if any(finding.kind == "endless" for finding in findings.all()):
                # It would take as long in each of the others.
                break
    except KernelError as failure:
        error = str(failure)
    findings.conclude()
    clean = error is None and not (totals.wrong or totals.deadlocks or findings.all())
    return Outcome(
        verified=clean,
        launches=launches,
        interleavings=done,
        wrong=totals.wrong,
        deadlocks=totals.deadlocks,
        findings=findings.all(),
        error=error,
        seconds=time.perf_counter() - begun,
        operations=totals.operations,
        switches=totals.switches,
        lead=totals.lead,
        shapes=tuple(runs[which].ran for which in sorted(runs)),
        trace=tuple(trace),
    )


@contextmanager
def _without_collector() -> Iterator[None]:
    """Keep the cycle collector from walking the many small tuples of the checks again and again."""
    collects = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collects:
            gc.enable()


class _Interleaving:
    """What the interleavings of a setup share."""

    def __init__(
        self,
        program: Program,
        setup: Setup,
        launches: int,
        checked: bool,
        model: MemoryModel | None,
        findings: Collector,
        tensors: Tensors,
    ) -> None:
        self._program = program
        self._setup = setup
        values = setup.values
        self._launches = launches
        self._checked = checked
        self._model = model or of_vendor(program.exchange.vendor)
        self._findings = findings
        self._tensors = tensors
        self._sites = Sites(program.kernel_path)
        self._kernel = compiled(program.kernel, program.kernel_path, kernel=True)
        self._launcher = compiled(program.launcher, program.launcher_path, kernel=False)
        self._references = [Reference(program.exchange, shape) for shape in setup.shapes]
        self._dims = [{name: shape[name] for name in program.exchange.dims} for shape in setup.shapes]
        self._ranks = values[program.exchange.ranks]
        if any(shape[program.exchange.ranks] != self._ranks for shape in setup.shapes):
            raise ValueError("the number of ranks is the same in all launches")
        self._cores = self._declared_cores() if setup.cores is None else setup.cores
        self._sizes = self._shared_sizes() if setup.then else None
        elements = max(prod(program.exchange.source.shape(shape.extents)) for shape in self._references)
        self._turns_most = turns.most(elements, self._ranks, self._cores)
        self._tile = setup.tile
        self._done = 0
        sizes = {**values, "cores": self._cores}
        # Where shapes change, an argument has no axes of its own, and messages number its elements.
        self._coordinates = {
            a.argument: Coordinates(tuple((name, extent.evaluate(sizes)) for name, extent in a.extents), a.step)
            for a in (() if setup.then else program.axes)
        }

    @property
    def ran(self) -> Ran:
        return Ran(self._setup.values, self._cores, self._done, self._setup.then)

    def _declared_cores(self) -> int:
        """The number of cores that the launcher declares."""
        declared = getattr(self._load(self._idle_machine(1)), "cores", None)
        if not isinstance(declared, int):
            raise KernelError("class Exchange has no integer `cores`", self._program.launcher_path)
        return declared

    def _shared_sizes(self) -> tuple[int, ...]:
        """The bytes of each allocation, large enough for every shape."""
        machine = self._idle_machine(self._ranks)
        exchange = self._load(machine)
        exchange.cores = self._cores
        with located(self._program):
            return arena.sizes(machine, exchange, self._dims, self._tensors)

    def _idle_machine(self, ranks: int) -> Machine:
        """A machine on which nothing is launched."""
        return Machine(ranks, 1, self._model, Scheduler(0), self._findings, self._sites, checked=False)

    def _load(self, machine: Machine) -> Any:
        return load(self._program, machine, self._kernel, self._launcher, self._tensors)

    def once(self, seed: int, totals: _Totals, trace: list[int] | None) -> None:
        """Run one interleaving to its end, or to where it cannot go on."""
        self._findings.shape, self._findings.cores = self._setup.values, self._cores
        self._done += 1
        scheduler = Scheduler(seed, trace)
        machine = Machine(
            self._ranks,
            self._cores,
            self._model,
            scheduler,
            self._findings,
            self._sites,
            self._checked,
            self._turns_most,
            self._program.several_nodes,
        )
        machine.axes = self._coordinates
        exchange = self._load(machine)
        exchange.cores = self._cores
        if self._tile is not None:
            exchange.tile = self._tile
        meeting = Meeting()
        wrong: list[int] = []
        for rank in range(self._ranks):
            host = Host(rank, machine, meeting)
            scheduler.spawn(host, self._user(host, exchange, wrong))
        try:
            with located(self._program):
                blocked = scheduler.run(machine.idle)
            if blocked:
                deadlock.report(machine, blocked)
                totals.deadlocks += 1
        except OffsetOverflow as overflow:
            core = scheduler.current
            line = line_in(overflow.__traceback__, self._program.kernel_path)
            pid = core.pid if isinstance(core, Core) else None
            text = f"{overflow} (rank {core.rank} core {pid}, line {line})"
            self._findings.add("int32-overflow", text, core.rank, pid, line)
        except Halt:
            pass
        self._note_waits(machine)
        totals.wrong += bool(wrong)
        totals.operations += machine.operations
        totals.switches += scheduler.switches
        totals.lead = max(totals.lead, machine.lead)

    def _note_waits(self, machine: Machine) -> None:
        """Hand on what became of the tokens of waits, those of cores that have not ended too."""
        for core in (core for cores in machine.cores for core in cores):
            machine.settle_tokens(core, ended=False)
        for site in machine.used_waits:
            self._findings.used_wait(self._sites.line(site))
        for site, (rank, pid) in machine.idle_waits.items():
            text = (
                "what consumes the token of this wait is never used: a compiler may drop it, or move accesses before "
            )
            text += f"it; let what has to come after it go through the result (rank {rank} core {pid}, "
            self._findings.idle_wait(self._sites.line(site), rank, pid, f"{text}{self._sites.words(site)})")

    def _user(self, host: Host, exchange: Any, wrong: list[int]) -> Callable[[], None]:
        """A rank's program around the launcher: write the input, call, read the output, again and again."""
        spec = self._program.exchange

        def main() -> None:
            sources = [self._input(host, reference) for reference in self._references]
            shared = None if self._sizes is None else Arena(self._sizes, len(sources))
            ops = [exchange(RankCommunicator(host, self._tensors, shared), **dims) for dims in self._dims]
            for launch in range(self._launches):
                source, op = sources[launch % len(sources)], ops[launch % len(ops)]
                host.queue_access(
                    source, self._fill(launch, host.rank), False, True, f"the user's write of {spec.source.name}"
                )
                given = op(self._tensors.give(source))
                out = self._tensors.take(given)
                if out is None:
                    raise KernelError(f"the launcher returns {type(given).__name__}, not a tensor")
                check = self._compare(launch, host, wrong)
                host.queue_access(out, check, True, False, f"the user's read of {spec.result.name}")
            host.synchronize()
            for op in ops:
                op.close()

        return main

    def _reference(self, launch: int) -> Reference:
        return self._references[launch % len(self._references)]

    def _input(self, host: Host, reference: Reference) -> Tensor:
        """The user's input tensor; one with gaps between its rows where the exchange allows any strides."""
        spec = self._program.exchange.source
        shape = spec.shape(reference.extents)
        dtype = BY_SPEC_NAME[spec.dtype]
        gap = 5 if spec.strided else 0
        padded = (*shape[:-1], shape[-1] + gap)
        allocation = host.machine.allocate(int(np.prod(padded)) * dtype.itemsize, host.rank)
        allocation.name = spec.name
        whole = Tensor(host, allocation, dtype, padded)
        return whole if not gap else whole[..., : shape[-1]]

    def _fill(self, launch: int, rank: int) -> Callable[[Array], None]:
        def fill(elements: Array) -> None:
            elements.view(self._bits)[...] = self._reference(launch).source(launch, rank)

        return fill

    @property
    def _bits(self) -> Any:
        return BY_SPEC_NAME[self._program.exchange.source.dtype].bits

    def _compare(self, launch: int, host: Host, wrong: list[int]) -> Callable[[Array], None]:
        name = self._program.exchange.result.name

        def compare(elements: Array) -> None:
            expected = self._reference(launch).result(launch, host.rank)
            found = elements.view(self._bits)
            if found.shape != expected.shape:
                raise KernelError(f"{name} has shape {found.shape}, not {expected.shape}")
            if np.array_equal(found, expected):
                return
            wrong.append(host.rank)
            if self._findings.known("wrong-output", None):
                return
            different = np.argwhere(found != expected)
            place = ", ".join(str(int(i)) for i in different[0])
            text = f"{name}[{place}] of rank {host.rank} differs from the reference after launch {launch + 1}, "
            text += f"{len(different)} of {found.size} elements do"
            self._findings.add("wrong-output", text, host.rank)

        return compare
