"""A stand-in for `triton_dist` on stock Triton, for GPUs of one NVLink node.

Triton-Distributed is a compiler of its own, which cannot be installed everywhere. What the emitted kernels use of it
on a GPU is small: the address of a peer's memory, and loads and stores of words with system scope. This package gives
them in terms of stock Triton, under the names of the original, so that the text of a kernel is the same for both.

A kernel needs a table of its peers that its text does not mention. `jit` passes it as one more argument.
"""

from __future__ import annotations

import importlib.util
import sys
from types import ModuleType

NAME = "triton_dist"


def available() -> bool:
    """Whether Triton-Distributed itself, or the stand-in, can be imported."""
    return NAME in sys.modules or importlib.util.find_spec(NAME) is not None


def installed() -> bool:
    """Whether the stand-in is in the place of Triton-Distributed."""
    return getattr(sys.modules.get(NAME), "__standin__", False)


def install() -> bool:
    """Put the stand-in in the place of Triton-Distributed where that is missing; whether the stand-in is there.

    Generated kernels import `triton_dist`, so this comes before the import of a launcher. Raises ImportError where
    Triton is missing too.
    """
    if available():
        return installed()
    from a2agen.runtime.standin import language, shmem  # noqa: PLC0415 - needs Triton
    from a2agen.runtime.standin.kernel import jit  # noqa: PLC0415

    top, extra = ModuleType(NAME), ModuleType(f"{NAME}.language.extra")
    top.__dict__.update(__standin__=True, __path__=[], jit=jit, language=language)
    extra.__dict__.update(__path__=[], libshmem_device=shmem)
    language.__dict__["extra"] = extra
    modules = {
        NAME: top,
        f"{NAME}.language": language,
        f"{NAME}.language.extra": extra,
        f"{NAME}.language.extra.libshmem_device": shmem,
    }
    sys.modules.update(modules)
    return True
