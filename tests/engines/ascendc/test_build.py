"""Building: what is kept, what is refused with a place, and a machine without a compiler."""

from __future__ import annotations

import os
import time

import pytest

from a2agen.engines.ascendc import build, toolchain
from a2agen.engines.ascendc.build import Sources, built
from a2agen.engines.ascendc.signature import Parameter, header, launcher, signature_of
from a2agen.engines.ascendc.toolchain import ToolError
from a2agen.engines.cpu.errors import KernelError
from tests.engines.ascendc.conftest import HANDWRITTEN

KERNEL, HOST = ((HANDWRITTEN / name).read_text(encoding="utf-8") for name in ("kernel.cpp", "host.cpp"))


def sources(kernel=KERNEL, host=HOST):
    return Sources(kernel, "some/kernel.cpp", host, "some/host.cpp")


def test_the_signature_of_a_kernel():
    signature = signature_of("// extern\n" + KERNEL, "kernel.cpp")
    assert signature.name == "swap_notify"
    assert [p.name for p in signature.parameters] == ["A", "C", "P", "full", "epoch", "W", "S", "D"]
    assert signature.parameters[3:6] == (
        Parameter("GM_ADDR", "full"),
        Parameter("uint64_t", "epoch"),
        Parameter("int32_t", "W"),
    )
    declared = "uint32_t aclrtlaunch_swap_notify(uint32_t blocks, void *stream, void *A, void *C, void *P, void *full, "
    declared += "uint64_t epoch, int32_t W, int32_t S, int32_t D)"
    assert f'extern "C" {declared};' in header(signature)
    assert f'extern "C" {declared}\n{{' in launcher(signature)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("int main() {}", "expected one"),
        (KERNEL + KERNEL, "found 2"),
        ('extern "C" __global__ __aicore__ void f(GM_ADDR A, int *) {}', "the parameter 'int *' of f"),
        ('// extern "C" __global__ __aicore__ void f(GM_ADDR A) {}', "found 0"),
    ],
)
def test_a_text_without_one_kernel(text, reason):
    with pytest.raises(KernelError, match=r"kernel\.cpp: ") as raised:
        signature_of(text, "kernel.cpp")
    assert reason in str(raised.value)


def test_a_kernel_that_does_not_compile_has_a_line():
    broken = KERNEL.replace("int64_t turn = 0;", "int64_t turn = zero;")
    line = 1 + broken[: broken.index("= zero")].count("\n")
    with pytest.raises(KernelError) as raised:
        built(sources(broken))
    assert str(raised.value).startswith(f"some/kernel.cpp:{line}: the C++ compiler refuses it: ")
    assert "zero" in str(raised.value)


def test_a_function_outside_the_subset_is_refused():
    with pytest.raises(KernelError, match="SyncAll"):
        built(sources(KERNEL.replace("aclshmemx_udma_quiet(peer);", "SyncAll();")))


def test_a_host_program_that_does_not_compile_or_link():
    with pytest.raises(KernelError, match=r"some/host.cpp:\d+: the C\+\+ compiler refuses it"):
        built(sources(host=HOST.replace("return right ? 0 : 1;", "return wrong;")))
    with pytest.raises(KernelError, match=r"some/host\.cpp: the program does not link"):
        built(sources(host=HOST.replace("int main(", "int other(")))


def test_a_program_is_built_once(tmp_path, monkeypatch):
    runtime = build.runtime_of(build.ORDERED)
    monkeypatch.setattr(build, "runtime_of", lambda _: runtime)
    monkeypatch.setenv("A2AGEN_CACHE", str(tmp_path))
    first = built(sources())
    made = first.stat().st_mtime_ns
    assert built(sources()) == first
    assert first.stat().st_mtime_ns == made
    assert built(sources(KERNEL + "\n")) != first
    # The host program was compiled once for both.
    assert len(list(tmp_path.glob("objects/*/host.o"))) == 1
    assert len(list(tmp_path.glob("objects/*/kernel.o"))) == 2
    assert not list(tmp_path.glob("*/.new-*"))


def test_what_was_not_used_for_longest_goes(tmp_path, monkeypatch):
    monkeypatch.setattr(build, "MOST_KEPT", 2)
    now = time.time()
    for name, age in (("new", 0), ("used", build.UNUSED_SECONDS - 60), ("old", 5000), ("oldest", 6000)):
        (tmp_path / name).mkdir()
        os.utime(tmp_path / name, (now - age, now - age))
    build._prune(tmp_path)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["new", "used"]
    monkeypatch.setattr(build, "MOST_KEPT", 1)
    build._prune(tmp_path)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["new", "used"]


def test_no_compiler_is_an_error_with_the_way_out(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("CXX", raising=False)
    toolchain._compiler.cache_clear()
    try:
        with pytest.raises(ToolError, match=r"there is no g\+\+ or c\+\+; run: apt-get install g\+\+"):
            toolchain.compiler()
        monkeypatch.setenv("CXX", "clang++-99")
        with pytest.raises(ToolError, match=r"there is no clang\+\+-99; run"):
            toolchain.compiler()
    finally:
        toolchain._compiler.cache_clear()


def test_a_compiler_that_does_not_work(monkeypatch, tmp_path):
    broken = tmp_path / "cxx"
    broken.write_text("#!/bin/sh\nexit 1\n")
    broken.chmod(0o755)
    monkeypatch.setenv("CXX", str(broken))
    with pytest.raises(ToolError, match="--version fails"):
        toolchain.compiler()
