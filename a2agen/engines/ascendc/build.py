"""Compiles kernels and host programs with the engine, once for each text: what is built is kept by its digest."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from a2agen.engines.ascendc.helpers import with_callers
from a2agen.engines.ascendc.signature import header, launcher, signature_of
from a2agen.engines.ascendc.toolchain import STANDARD, ToolError, compiler
from a2agen.engines.cpu.errors import KernelError

HERE = Path(__file__).resolve().parent
INCLUDE = HERE / "include"
COMMON = HERE / "common"
# Programs, and object files, that are kept; of more those go that were not used for an hour, the longest unused first.
MOST_KEPT = 1000
UNUSED_SECONDS = 3600


@dataclass(frozen=True, slots=True)
class Variant:
    """A way to run programs: the folder of the engine's code, and what the compiler is told.

    `host_flags` are for the host program alone: all that it does to memory of the device it does by the engine's code.
    """

    name: str
    folder: Path
    flags: tuple[str, ...]
    host_flags: tuple[str, ...] = ("-O1", "-g1")


# Loops that copy words must not become calls of memcpy: ThreadSanitizer can miss races on what those have moved.
_FREE = ("-O1", "-g1", "-fno-omit-frame-pointer", "-fno-tree-loop-distribute-patterns", "-pthread")
ORDERED = Variant("ordered", HERE / "runtime", ("-O1",))
THREADS = Variant("threads", HERE / "free", (*_FREE, "-fsanitize=thread"))
ADDRESSES = Variant("addresses", HERE / "free", (*_FREE, "-fsanitize=address,undefined", "-fno-sanitize=alignment"))
VARIANTS = (ORDERED, THREADS, ADDRESSES)


@dataclass(frozen=True, slots=True)
class Sources:
    """A kernel and its host program, as texts; the paths are for messages."""

    kernel: str
    kernel_path: str
    host: str
    host_path: str


def cache() -> Path:
    """Where built programs are kept: $A2AGEN_CACHE, or a2agen in the user's folder of caches."""
    own = os.environ.get("A2AGEN_CACHE")
    if own:
        return Path(own)
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "a2agen"


def built(sources: Sources, variant: Variant = ORDERED) -> Path:
    """The program that runs a kernel under its host program on the engine, or on its threads with a sanitizer.

    Raises KernelError where the compiler refuses one of the two, ToolError where there is no compiler.
    """
    runtime = runtime_of(variant)
    digest = _digest(runtime.parent.name, sources.kernel, sources.host)
    target = cache() / "programs" / digest
    if not _is_kept(target):
        objects = _objects(sources, variant, runtime.parent.name)
        _publish(target, lambda folder: _link(objects, runtime, variant, folder / "program", sources.host_path))
        _prune(target.parent)
    return target / "program"


def _objects(sources: Sources, variant: Variant, runtime: str) -> tuple[Path, ...]:
    """The object files of a program; one whose text was compiled before is taken as it is."""
    signature = signature_of(sources.kernel, sources.kernel_path)
    wanted = re.findall(r"\baclrtlaunch_(\w+)\.h\b", sources.host)
    if wanted and signature.name not in wanted:
        raise KernelError(
            f"the kernel is called {signature.name}, and the host program launches {' and '.join(wanted)}: "
            f"call it {wanted[0]}",
            sources.kernel_path,
            signature.line,
        )
    launch_header = header(signature)
    work = (
        ("host.cpp", sources.host, sources.host_path, ("-Dmain=a2agen_host_main", *variant.host_flags)),
        ("kernel.cpp", with_callers(sources.kernel), sources.kernel_path, variant.flags),
        ("launch.cpp", launcher(signature), "the launch function", variant.flags),
    )

    def make(job: tuple[str, str, str, tuple[str, ...]]) -> Path:
        name, text, path, flags = job
        target = cache() / "objects" / _digest(runtime, name, text, launch_header, *flags)
        if not _is_kept(target):

            def fill(folder: Path) -> None:
                (folder / f"aclrtlaunch_{signature.name}.h").write_text(launch_header, encoding="utf-8")
                (folder / name).write_text(text, encoding="utf-8")
                _compile(folder / name, path, flags)

            _publish(target, fill)
        return target / Path(name).with_suffix(".o")

    with ThreadPoolExecutor(2) as pool:
        objects = tuple(pool.map(make, work))
    _prune(cache() / "objects")
    return objects


def _link(objects: tuple[Path, ...], runtime: Path, variant: Variant, program: Path, host_path: str) -> None:
    arguments = [*variant.flags, *map(str, objects), str(runtime), "-o", str(program)]
    _call(arguments, "the program does not link", host_path)


def runtime_of(variant: Variant) -> Path:
    """The engine's own code as a library."""
    own = sorted((*variant.folder.glob("*"), *COMMON.glob("*"), *INCLUDE.rglob("*.h")))
    texts = (path.read_text(encoding="utf-8") for path in own)
    target = cache() / "runtime" / _digest(compiler().path, compiler().version, *variant.flags, *texts)
    if not target.exists():
        _publish(target, lambda folder: _build_runtime(variant, folder))
    return target / "libruntime.a"


def _build_runtime(variant: Variant, folder: Path) -> None:
    sources = sorted((*variant.folder.glob("*.cpp"), *COMMON.glob("*.cpp")))
    for source in sources:
        (folder / source.name).symlink_to(source)
    options = (*variant.flags, "-I", str(variant.folder), "-I", str(COMMON))
    with ThreadPoolExecutor(2) as pool:
        try:
            list(pool.map(lambda s: _compile(folder / s.name, str(s), options), sources))
        except KernelError as refusal:
            raise ToolError(
                f"{compiler().path} does not take the engine's own code ({refusal}); "
                "run: apt-get install g++, or name another compiler by CXX"
            ) from refusal
    objects = [str(folder / source.with_suffix(".o").name) for source in sources]
    archiver = shutil.which("ar")
    if archiver is None:
        raise ToolError(
            "the engine for Ascend C is put together by ar, which is not there; run: apt-get install binutils"
        )
    done = subprocess.run(
        [archiver, "rcs", str(folder / "libruntime.a"), *objects], capture_output=True, text=True, check=False
    )
    if done.returncode != 0:
        raise ToolError(f"{archiver} does not work: {done.stderr.strip() or f'it ends with {done.returncode}'}")


def _compile(source: Path, path: str, options: tuple[str, ...]) -> None:
    arguments = ["-c", str(source), STANDARD, "-I", str(INCLUDE), *options, "-o", str(source.with_suffix(".o"))]
    _call(arguments, "the C++ compiler refuses it", path, source)


def _call(arguments: list[str], failure: str, path: str, source: Path | None = None) -> None:
    done = subprocess.run([compiler().path, *arguments], capture_output=True, text=True, check=False)
    if done.returncode == 0:
        return
    where = re.search(rf"^{re.escape(str(source))}:(\d+)(?::\d+)?: (?:fatal )?error: (.*)$", done.stderr, re.MULTILINE)
    if where is not None:
        raise KernelError(f"{failure}: {where[2]}", path, int(where[1]))
    lines = [line for line in done.stderr.splitlines() if "error" in line or "undefined" in line]
    raise KernelError(f"{failure}: {(lines or done.stderr.splitlines() or ['no reason given'])[0]}", path)


def _publish(target: Path, fill: Callable[[Path], None]) -> None:
    """Let `fill` make a folder's contents, then give the folder its name: others never see half of it."""
    target.parent.mkdir(parents=True, exist_ok=True)
    folder = Path(tempfile.mkdtemp(prefix=".new-", dir=target.parent))
    try:
        fill(folder)
        try:
            folder.rename(target)
        except OSError:
            if not target.exists():
                raise
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _is_kept(target: Path) -> bool:
    """Whether a folder is there; notes that it is used."""
    try:
        os.utime(target)
    except FileNotFoundError:
        return False
    return True


def _prune(folder: Path) -> None:
    """Others may use the folder and prune it at the same time."""
    used = []
    for entry in os.scandir(folder):
        with suppress(FileNotFoundError):
            used.append((entry.stat().st_mtime, entry.path))
    oldest = time.time() - UNUSED_SECONDS
    for when, path in sorted(used)[:-MOST_KEPT]:
        if when < oldest:
            shutil.rmtree(path, ignore_errors=True)


def _digest(*texts: str) -> str:
    whole = hashlib.sha256()
    for text in texts:
        whole.update(hashlib.sha256(text.encode()).digest())
    return whole.hexdigest()[:32]
