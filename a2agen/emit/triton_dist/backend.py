"""The back end `triton_dist`: a kernel and a launcher, both Python modules, and their manifest."""

from __future__ import annotations

from collections.abc import Sequence

from a2agen.emit.backend import Backend
from a2agen.emit.formatting import format_python
from a2agen.emit.header import header, title
from a2agen.emit.manifest import choosing_manifest, manifest
from a2agen.emit.templates import render
from a2agen.emit.triton_dist.choice import choice_context, class_name
from a2agen.emit.triton_dist.kernel import arguments, kernel_context
from a2agen.emit.triton_dist.launcher import launcher_context
from a2agen.ir.plan import Plan
from a2agen.source import Source


def files(plan: Plan, source: Source) -> dict[str, str]:
    """The files of a plan by name."""
    return {
        "kernel.py": kernel_text(plan, source),
        "launcher.py": launcher_text([plan], source),
        "manifest.json": manifest(plan, source, "kernel.py", _arguments(plan)),
    }


def choosing(plans: tuple[Plan, ...], source: Source) -> dict[str, str]:
    """The files of plans between which the launcher chooses: the kernels of all, and an operator for each."""
    named = {plan.schedule.name: _arguments(plan) for plan in plans}
    return {
        "kernel.py": kernels_text(plans, source),
        "launcher.py": launcher_text(plans, source),
        "manifest.json": choosing_manifest(plans, source, "kernel.py", named),
    }


def kernel_text(plan: Plan, source: Source) -> str:
    """The kernels of one plan as a module of their own."""
    return kernels_text([plan], source)


def kernels_text(plans: Sequence[Plan], source: Source) -> str:
    """The kernels of a schedule's plans as one module."""
    schedule = plans[0].schedule
    context = {"header": header(source, schedule), "title": title(schedule), **kernel_context(plans)}
    return format_python(render("triton_dist/kernel.py.jinja", context), "kernel.py")


def launcher_text(plans: Sequence[Plan], source: Source) -> str:
    """The launcher as a module beside the kernel."""
    ways = [" and ".join(kernel.name for kernel in plan.kernels) for plan in plans]
    kernels = [kernel.name for plan in plans for kernel in plan.kernels]
    several = len(plans) > 1
    classes = [
        render("triton_dist/operator.py.jinja", launcher_context(plan, class_name(plan) if several else None))
        for plan in plans
    ]
    if several:
        classes.append(render("triton_dist/choice.py.jinja", choice_context(plans)))
    about = f"Launches {', or '.join(ways)}."
    context: dict[str, object] = {
        "header": header(source, plans[0].schedule),
        "title": about,
        "kernels": kernels,
        "classes": classes,
    }
    return format_python(render("triton_dist/launcher.py.jinja", context), "launcher.py")


def _arguments(plan: Plan) -> dict[str, list[str]]:
    return {kernel.name: [a.name for a in arguments(plan, kernel)] for kernel in plan.kernels}


TRITON_DIST = Backend("triton_dist", files, choosing=choosing)
