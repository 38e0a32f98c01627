"""The shipped profiles hold the figures that the rest of the compiler relies on, and a faulty file is refused."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from a2agen.targets import profile
from a2agen.targets.profile import CAPABILITIES, ProfileError, load, names, parse

FOLDER = Path(profile.__file__).parent


def text_of(name: str) -> str:
    return (FOLDER / f"{name}.toml").read_text(encoding="utf-8")


def test_names() -> None:
    ascend = ("ascend910b", "ascend910c", "ascend910c_mainline", "ascend950", "ascend950_one_queue")
    assert names() == (*ascend, "h100", "h200")


@pytest.mark.parametrize("name", names())
def test_shipped_profile(name: str) -> None:
    found = load(name)
    assert found.name == name
    assert load(name) is found
    assert found.chips
    assert found.cores > 0
    assert found.links
    assert found.backends
    assert all(link.name == key and link.reach >= 2 for key, link in found.links.items())
    assert all(backend.name == key for key, backend in found.backends.items())
    capabilities = {f"backends.{backend}.capabilities" for backend in found.backends}
    assert {"chips", "cores", "heap_max_bytes", *capabilities} <= set(found.sources)
    assert len(found.digest) == 64
    if found.ub_bytes is not None and found.udma_staging_offset is not None:
        assert found.udma_staging_offset + (found.udma_staging_bytes or 0) <= found.ub_bytes


def test_cores_of_a_launch_with_a_device_barrier() -> None:
    assert load("ascend950").cores_for(barrier=False) == 64
    assert load("ascend950").cores_for(barrier=True) == 48
    assert load("h200").cores_for(barrier=True) == load("h200").cores == 264


def test_udma_limits() -> None:
    udma = load("ascend950").link("udma")
    assert udma.request_max_bytes == 256 * 2**20
    assert udma.length_bits == 32
    assert udma.remote_only
    assert udma.contiguous
    assert udma.one_core_per_queue
    assert load("ascend950").backend("triton_dist").queues_max == 1
    assert load("ascend950").backend("ascendc").queues_max == 32
    flag_block = load("ascend950").flag_block
    assert flag_block is not None
    assert flag_block.block_bytes == 512


def test_what_back_ends_can_do() -> None:
    def capabilities(name: str, backend: str = "triton_dist") -> frozenset[str]:
        return load(name).backend(backend).capabilities

    assert "notify_add" in capabilities("h200")
    triton = [n for n in names() if "triton_dist" in load(n).backends]
    assert not any("notify_add" in capabilities(n) for n in triton if load(n).vendor == "ascend")
    assert not {"putmem", "fence", "quiet"} & capabilities("ascend910c_mainline")
    assert {"putmem", "fence", "quiet"} <= capabilities("ascend910c")
    advanced = {"qps", "batch", "relay", "signal", "flag"}
    assert advanced <= capabilities("ascend950", "ascendc")
    assert advanced - capabilities("ascend950_one_queue", "ascendc") == {"qps", "batch"}
    for name in triton:
        assert advanced & capabilities(name) == ({"signal"} if load(name).vendor == "nvidia" else set())
    assert "f8e4m3" in load("h200").backend("triton_dist").dtypes
    assert "f8e4m3" not in load("ascend950").backend("triton_dist").dtypes


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (
            lambda: load("ascend910d"),
            "no target 'ascend910d' (did you mean ascend910c or ascend910b?); the targets are",
        ),
        (lambda: load("../h200"), "no target '../h200'"),
        (lambda: load("ascend910c").link("udma"), "ascend910c has no link 'udma': UDMA runs on Ascend 950 only"),
        (
            lambda: load("ascend910b").backend("ascendc"),
            "ascend910b has no back end 'ascendc': Ascend C is emitted for",
        ),
        (lambda: load("h200").backend("triton"), "(did you mean triton_dist?); it has triton_dist"),
    ],
)
def test_unknown_names(ask: object, message: str) -> None:
    assert callable(ask)
    with pytest.raises(ProfileError) as caught:
        ask()
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('vendor = "nvidia"', 'vendor = "nvidea"', "vendor is 'nvidea', wanted one of ascend, nvidia"),
        ('name = "h200"', 'name = "h300"', "name is 'h300', wanted 'h200'"),
        ("cores = { value = 264,", 'cores = { value = "264",', "cores is '264', wanted a whole number"),
        ("cores = { value = 264,", "cores = { value = -1,", "cores is -1, wanted a whole number"),
        ("cores = { value = 264,", "core = { value = 132,", "cores is missing"),
        ("pairs = { value = false,", "pairs = { value = 0,", "pairs is 0, wanted true or false"),
        ("[links.ldst]", 'colour = "red"\n[links.ldst]', "unknown keys colour"),
        ("[links.ldst]", "[links.ldst]\nreach_max = 8", "unknown keys links.ldst.reach_max"),
        ('kind = "copy_engine"', 'kind = "copy"', "links.ce.kind is 'copy'"),
        ('"notify_add"', '"notify_ad"', "backends.triton_dist.capabilities has notify_ad (did you mean notify_add"),
        ('"f8e5m2"', '"f8"', "backends.triton_dist.dtypes has f8"),
        ('description = "NVIDIA', "description = NVIDIA", "not TOML"),
    ],
)
def test_faulty_file(old: str, new: str, message: str) -> None:
    text = text_of("h200")
    assert old in text
    with pytest.raises(ProfileError) as caught:
        parse(text.replace(old, new, 1), "h200")
    assert str(caught.value).startswith("profile h200: ")
    assert message in str(caught.value)


def test_a_figure_needs_its_source() -> None:
    with pytest.raises(ProfileError, match=r"cores is 264, wanted \{ value = …"):
        parse("\n".join("cores = 264" if x.startswith("cores") else x for x in text_of("h200").splitlines()), "h200")


def test_the_digest_does_not_depend_on_line_ends() -> None:
    text = text_of("h200")
    assert parse(text.replace("\n", "\r\n"), "h200").digest == load("h200").digest
    assert parse(text + "# more\n", "h200").digest != load("h200").digest


def test_every_capability_is_used_by_some_profile() -> None:
    used = {c for n in names() for b in load(n).backends.values() for c in b.capabilities}
    assert used == set(CAPABILITIES)


def test_loading_stays_off_the_heavy_imports() -> None:
    code = "import sys; import a2agen.targets.profile as p; p.load('h200'); print(*sys.modules)"
    modules = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout.split()
    assert not {"numpy", "jinja2", "ml_dtypes", "greenlet"} & set(modules)


def test_an_h100_differs_from_an_h200_in_its_memory() -> None:
    ours, other = load("h100"), load("h200")
    assert ours.heap_max_bytes == 80 * 10**9 - (8 << 30)
    assert other.heap_max_bytes == 141 * 10**9 - (8 << 30)
    assert "not run" in ours.description
    assert (ours.cores, {n: link.reach for n, link in ours.links.items()}) == (264, {"ldst": 8, "ce": 8, "put": 1024})
    assert [n for n, link in ours.links.items() if link.leaves_node] == ["put"]
