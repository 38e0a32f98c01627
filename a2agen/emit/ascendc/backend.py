"""The back end `ascendc`: a kernel and a host program in C++, what builds them, and their manifest."""

from __future__ import annotations

from a2agen.emit.ascendc.dialect import formatted
from a2agen.emit.ascendc.host import host_context
from a2agen.emit.ascendc.kernel import arguments, kernel_context
from a2agen.emit.ascendc.names import refused
from a2agen.emit.ascendc.unflagged import scattered
from a2agen.emit.backend import Backend
from a2agen.emit.header import header, title
from a2agen.emit.manifest import manifest
from a2agen.emit.templates import render
from a2agen.ir.model import Schedule
from a2agen.ir.plan import Plan
from a2agen.passes.lower.unlowered import Unlowered
from a2agen.source import Source


def files(plan: Plan, source: Source) -> dict[str, str]:
    """The files of a plan by name."""
    named = {plan.kernel.name: [a.name for a in arguments(plan)]}
    return {
        "kernel.cpp": _text("kernel.cpp", kernel_context(plan), plan, source),
        "host.cpp": _text("host.cpp", host_context(plan), plan, source),
        "CMakeLists.txt": _text("CMakeLists.txt", host_context(plan), plan, source, comment="#"),
        "manifest.json": manifest(plan, source, "kernel.cpp", named, host_counts=True),
    }


def _text(name: str, context: dict[str, object], plan: Plan, source: Source, comment: str = "//") -> str:
    told = {
        "header": header(source, plan.schedule, comment),
        "title": title(plan.schedule),
        "library": _library(plan.schedule),
    }
    return formatted(render(f"ascendc/{name}.jinja", told | context))


def _library(schedule: Schedule) -> str:
    """The library that the kernel is for, as the profile names it, and how it must have been built."""
    relays = any(phase.link.relay for phase in schedule.phases)
    variant = schedule.target.backend(schedule.emit).variant
    return f"{variant}, built with -enable_relay" if relays else variant


def refuses(schedule: Schedule) -> tuple[Unlowered, ...]:
    """Names of a plan that mean something else in C++, and rows of flag blocks that lie apart elsewhere."""
    return (*refused(schedule), *scattered(schedule))


ASCENDC = Backend("ascendc", files, refuses)
