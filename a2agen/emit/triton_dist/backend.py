"""The back end `triton_dist`: a kernel and a launcher, both Python modules, and their manifest."""

from __future__ import annotations

from a2agen.emit.backend import Backend
from a2agen.emit.formatting import format_python
from a2agen.emit.header import header, title
from a2agen.emit.manifest import manifest
from a2agen.emit.templates import render
from a2agen.emit.triton_dist.kernel import arguments, kernel_context
from a2agen.emit.triton_dist.launcher import launcher_context
from a2agen.ir.plan import Plan
from a2agen.source import Source


def files(plan: Plan, source: Source) -> dict[str, str]:
    """The files of a plan by name."""
    named = {kernel.name: [a.name for a in arguments(plan, kernel)] for kernel in plan.kernels}
    return {
        "kernel.py": kernel_text(plan, source),
        "launcher.py": launcher_text(plan, source),
        "manifest.json": manifest(plan, source, "kernel.py", named),
    }


def kernel_text(plan: Plan, source: Source) -> str:
    """The kernels as a module of their own."""
    context = {"header": header(source, plan.schedule), "title": title(plan.schedule), **kernel_context(plan)}
    return format_python(render("triton_dist/kernel.py.jinja", context), "kernel.py")


def launcher_text(plan: Plan, source: Source) -> str:
    """The launcher as a module beside the kernel."""
    about = f"Launches {' and '.join(kernel.name for kernel in plan.kernels)}."
    context = {"header": header(source, plan.schedule), "title": about, **launcher_context(plan)}
    return format_python(render("triton_dist/launcher.py.jinja", context), "launcher.py")


TRITON_DIST = Backend("triton_dist", files)
