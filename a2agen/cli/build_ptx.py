"""`a2agen build --engine ptx`: through stock Triton and ptxas to machine code for NVIDIA GPUs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from a2agen.cli.building import Builder
from a2agen.cli.selection import Chosen
from a2agen.engines.ptx import build, environment, table
from a2agen.engines.ptx.build import Built
from a2agen.engines.ptx.compilers import Compilers
from a2agen.engines.ptx.environment import Environment
from a2agen.passes.lower import lower


class PtxBuilder(Builder[Built]):
    engine, vendor, of_vendor = "ptx", "nvidia", "a target of nvidia"
    closing = "all in machine code with every operation of the plan, in its order"

    def __init__(self) -> None:
        self._environment: Environment | None = None

    def prepare(self, say: Callable[[str], None] | None) -> None:
        self._environment = environment.find() if say is None else environment.set_up(say)

    def chips(self) -> tuple[str, ...]:
        return (build.CHIP,)

    def left_out(self, chosen: Chosen) -> str | None:
        return build.left_out(lower(chosen.schedule))

    def builds(self, chosen: Sequence[Chosen], chips: Sequence[str]) -> Iterator[Built]:  # noqa: ARG002  # there is one
        assert self._environment is not None
        with Compilers(self._environment) as compilers:
            for c in chosen:
                yield from build.build(c.schedule, c.checked.source, compilers)

    def faults(self, built: Built) -> tuple[str, ...]:
        return built.faults

    def line(self, built: Built) -> str:
        answer = built.answer
        verdict = "WRONG" if built.faults else f"{answer.registers} registers, {table.widths(built)}"
        tile = table.tile(built)
        return f"{built.kernel}  {built.shape}{'  tile ' + tile if tile else ''}  {verdict}  {answer.seconds:.2f} s"

    def seconds(self, built: Built) -> float:
        return built.answer.seconds

    def record(self, built: Built) -> dict[str, Any]:
        answer = built.answer
        return {
            "exchange": built.schedule.exchange.name,
            "schedule": built.schedule.name,
            "target": built.schedule.target.name,
            "chip": build.CHIP,
            "kernel": built.kernel,
            "extents": built.shape.values,
            "constants": built.shape.constants,
            "programs": built.shape.programs,
            "resident": built.resident,
            "registers": answer.registers,
            "spills": built.spills,
            "load_bits": list(built.loads),
            "store_bits": list(built.stores),
            "shared_bytes": answer.shared_bytes,
            "code_bytes": answer.code_bytes,
            "seconds": round(answer.seconds, 3),
            "faults": list(built.faults),
        }

    def stages(self, built: Built) -> tuple[Sequence[str], Mapping[str, str]]:
        shape = "-".join(f"{name}{value}" for name, value in built.shape.values.items())
        folders = (built.schedule.exchange.name, built.schedule.name, built.kernel, shape)
        return folders, {"kernel.ptx": built.answer.ptx, "kernel.sass": built.answer.sass}

    def table(self, builds: Sequence[Built]) -> str:
        return table.markdown(builds)
