"""The back end `ascendc`: a kernel and a host program in C++, what builds them, and their manifest."""

from __future__ import annotations

from a2agen.emit.ascendc.dialect import formatted
from a2agen.emit.ascendc.host import host_context
from a2agen.emit.ascendc.kernel import arguments, kernel_context
from a2agen.emit.ascendc.names import refused
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
    return {
        "kernel.cpp": _text("kernel.cpp", kernel_context(plan), plan, source),
        "host.cpp": _text("host.cpp", host_context(plan), plan, source),
        "CMakeLists.txt": _text("CMakeLists.txt", host_context(plan), plan, source, comment="#"),
        "manifest.json": manifest(plan, source, "kernel.cpp", {plan.kernel.name: [a.name for a in arguments(plan)]}),
    }


def _text(name: str, context: dict[str, object], plan: Plan, source: Source, comment: str = "//") -> str:
    told = {"header": header(source, plan.schedule, comment), "title": title(plan.schedule)}
    return formatted(render(f"ascendc/{name}.jinja", told | context))


def refuses(schedule: Schedule) -> tuple[Unlowered, ...]:
    """What a plan holds and a kernel in Ascend C does not say yet."""
    unsaid = [
        Unlowered(f"`{said}` in Ascend C", span, way_out)
        for p in schedule.phases
        for said, span, way_out in (
            (f"ready {p.ready}" if p.ready.kind in ("signal", "flag") else "", p.ready.span, "use ready notify"),
            (f"qps {p.link.queues}" if p.link.queues > 1 else "", p.link.span, None),
            (f"submit batch {p.link.batch}" if p.link.batch else "", p.link.span, None),
            ("relay next" if p.link.relay else "", p.link.span, None),
        )
        if said
    ]
    puts = [p for p in schedule.phases if schedule.target.link(p.link.name).kind == "put"]
    behind_barriers = [
        Unlowered("a put that is announced by a barrier in Ascend C", p.ready.span, "use ready notify")
        for p in puts
        if p.ready.kind == "barrier"
    ]
    return (*refused(schedule), *unsaid, *behind_barriers)


ASCENDC = Backend("ascendc", files, refuses)
