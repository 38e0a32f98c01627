"""`a2agen build --engine ascend-ir`: through triton-ascend and bishengir-compile to final HIVM."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from a2agen.cli.building import Builder
from a2agen.cli.selection import Chosen
from a2agen.engines.ascend_ir import build, environment, table
from a2agen.engines.ascend_ir.build import Built
from a2agen.engines.ascend_ir.compilers import Compilers
from a2agen.engines.ascend_ir.environment import Environment


class AscendBuilder(Builder[Built]):
    engine, vendor, of_vendor = "ascend-ir", "ascend", "an Ascend target"
    closing = "all down to final HIVM with every operation of the plan"

    def __init__(self) -> None:
        self._environment: Environment | None = None

    def prepare(self, say: Callable[[str], None] | None) -> None:
        self._environment = environment.find() if say is None else environment.set_up(say)

    def chips(self) -> tuple[str, ...]:
        return build.chips()

    def builds(self, chosen: Sequence[Chosen], chips: Sequence[str]) -> Iterator[Built]:
        assert self._environment is not None
        with Compilers(self._environment) as compilers:
            for c in chosen:
                for chip in chips:
                    for form in build.forms(chip):
                        yield build.build(c.schedule, c.checked.source, chip, form, compilers)

    def faults(self, built: Built) -> tuple[str, ...]:
        return built.faults

    def line(self, built: Built) -> str:
        verdict = "WRONG" if built.faults else f"{built.ub_bytes} bytes on chip"
        real = f"real operations: {table.FORMS[built.form]}"
        name = f"{built.schedule.exchange.name}/{built.schedule.name}"
        return f"{name}  {built.chip}  {real}  {verdict}  {built.answer.seconds:.2f} s"

    def seconds(self, built: Built) -> float:
        return built.answer.seconds

    def record(self, built: Built) -> dict[str, Any]:
        return {
            "exchange": built.schedule.exchange.name,
            "schedule": built.schedule.name,
            "target": built.schedule.target.name,
            "chip": built.chip,
            "real": built.form,
            "ub_bytes": built.ub_bytes,
            "predicted_bytes": built.predicted_bytes,
            "operations": built.operations,
            "symbols": built.symbols,
            "seconds": round(built.answer.seconds, 3),
            "faults": list(built.faults),
        }

    def stages(self, built: Built) -> tuple[Sequence[str], Mapping[str, str]]:
        folders = (built.schedule.exchange.name, built.schedule.name, built.chip, built.form)
        return folders, {f"{stage}.mlir": text for stage, text in built.answer.texts.items()}

    def table(self, builds: Sequence[Built]) -> str:
        return table.markdown(builds)
