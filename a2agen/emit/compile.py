"""The generated files of a spec, as texts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from a2agen.emit.formatting import format_python
from a2agen.emit.header import header
from a2agen.emit.manifest import manifest
from a2agen.emit.templates import render
from a2agen.emit.triton_dist.kernel import kernel_context
from a2agen.emit.triton_dist.launcher import launcher_context
from a2agen.emit.unsupported import unsupported
from a2agen.findings import Finding
from a2agen.ir.model import Schedule
from a2agen.ir.plan import Plan
from a2agen.passes.lower import lower
from a2agen.source import Source

if TYPE_CHECKING:
    from a2agen.passes.check import Checked


def compile_spec(checked: Checked, source: Source) -> tuple[dict[str, str], tuple[Finding, ...]]:
    """The texts of all files of a spec's schedules by their path below the output folder, and why some have none."""
    texts: dict[str, str] = {}
    findings: list[Finding] = []
    for schedule in checked.schedules:
        refused = unsupported(schedule, source)
        findings += refused
        if not refused:
            folder = f"{schedule.exchange.name}/{schedule.name}"
            texts |= {f"{folder}/{name}": text for name, text in schedule_files(schedule, source).items()}
    return texts, tuple(findings)


def schedule_files(schedule: Schedule, source: Source) -> dict[str, str]:
    """The files of one schedule by name. The schedule is sound and supported."""
    plan = lower(schedule)
    return {
        "kernel.py": kernel_text(plan, source),
        "launcher.py": launcher_text(plan, source),
        "manifest.json": manifest(plan, source),
    }


def kernel_text(plan: Plan, source: Source) -> str:
    """The kernel as a module of its own."""
    schedule = plan.schedule
    exchange = schedule.exchange
    title = (
        f"{exchange.name} by {schedule.name} for {schedule.target.name}: "
        f"{exchange.source.name} {exchange.source.layout} -> {exchange.result.name} {exchange.result.layout}."
    )
    context = {"header": header(source, schedule), "title": title, **kernel_context(plan)}
    return format_python(render("triton_dist/kernel.py.jinja", context), "kernel.py")


def launcher_text(plan: Plan, source: Source) -> str:
    """The launcher as a module beside the kernel."""
    title = f"Launches {plan.kernel.name}."
    context = {"header": header(source, plan.schedule), "title": title, **launcher_context(plan)}
    return format_python(render("triton_dist/launcher.py.jinja", context), "launcher.py")
