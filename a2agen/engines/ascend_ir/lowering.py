"""From a kernel's text to Triton IR and to the linalg form of triton-ascend. Runs in the compilers' environment."""

# mypy: disable-error-code="no-untyped-call"

from __future__ import annotations

import importlib.util
import sys
import types
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

from triton._C.libtriton import ir
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource
from triton.compiler.compiler import make_backend


def install(form: str) -> None:
    """Put a stand-in in the place of triton_dist for kernels that are loaded from now on."""
    module = import_module(f"a2agen.engines.ascend_ir.standin.{form}")
    root, extra = types.ModuleType("triton_dist"), types.ModuleType("triton_dist.language.extra")
    language, library = types.ModuleType("triton_dist.language"), types.ModuleType("libshmem_device")
    for name in ("rank", "num_ranks", "symm_at", "wait", "notify", "consume_token"):
        setattr(language, name, getattr(module, name))
    for name in ("putmem", "fence", "quiet", "barrier_all", "barrier_all_vec"):
        setattr(library, name, getattr(module, name))
    for package in (root, language, extra):
        package.__path__ = []
    root.language, language.extra, extra.libshmem_device = language, extra, library  # type: ignore[attr-defined]
    for package in (root, language, extra):
        sys.modules[package.__name__] = package
    sys.modules["triton_dist.language.extra.libshmem_device"] = library


def load(path: Path, name: str) -> Any:
    """The kernel of that name in a module of its own."""
    spec = importlib.util.spec_from_file_location(f"kernel_{path.parent.name}", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return getattr(module, name)


def lower(
    kernel: Any, types_: Mapping[str, str], constants: Mapping[str, int], chip: str, texts: dict[str, str]
) -> None:
    """Add the texts `ttir` and `ttadapter` of a kernel for a chip, as far as they go. Raises what the compiler
    raises."""
    # The stages of triton.compile up to the one that needs CANN.
    target = GPUTarget("npu", chip, 0)
    source = ASTSource(fn=kernel, signature=dict(types_), constants=dict(constants))
    backend = make_backend(target)
    options = backend.parse_options({"compile_on_910_95": True} if "95" in chip else {})
    stages: dict[str, Any] = {}
    backend.add_stages(stages, options)
    context = ir.context()
    ir.load_dialects(context)
    backend.load_dialects(context)
    module = source.make_ir(options, backend.get_codegen_implementation(), backend.get_module_map(), context)
    metadata = {"hash": "none", "target": target, **options.__dict__}
    for stage in ("ttir", "ttadapter"):
        module = stages[stage](module, metadata)
        texts[stage] = str(module)
