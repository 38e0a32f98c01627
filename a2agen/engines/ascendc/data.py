"""Inputs and results of a host program in files, as its `--input FOLDER/in --output FOLDER/out` has them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from a2agen.engines.cpu.dtypes import BY_SPEC_NAME
from a2agen.engines.cpu.errors import KernelError
from a2agen.engines.cpu.program import Exchange
from a2agen.engines.cpu.reference import Reference
from a2agen.engines.setups import Setup


def input_files(exchange: Exchange, setup: Setup, launches: int, folder: Path) -> None:
    """Write the inputs of all launches at all ranks into a folder."""
    reference = Reference(exchange, setup.values)
    for launch in range(launches):
        for rank in range(setup.values[exchange.ranks]):
            reference.source(launch, rank).tofile(folder / f"in.{rank}.{launch}.bin")


def host_arguments(exchange: Exchange, setup: Setup, launches: int, folder: Path) -> list[str]:
    """Arguments of the host program for a setup: its inputs lie in the folder, and its results go there."""
    dims = [part for name in exchange.dims for part in (f"--{name}", setup.values[name])]
    counts = ["--ranks", setup.values[exchange.ranks], *dims, "--launches", launches, "--cores", setup.cores]
    return [str(part) for part in (*counts, "--input", folder / "in", "--output", folder / "out")]


def differences(exchange: Exchange, setup: Setup, launches: int, folder: Path) -> Iterator[str]:
    """Where results in a folder differ from the reference; takes the files away.

    Raises KernelError where a result is missing or has another size.
    """
    reference = Reference(exchange, setup.values)
    for launch in range(launches):
        for rank in range(setup.values[exchange.ranks]):
            expected = reference.result(launch, rank)
            path = folder / f"out.{rank}.{launch}.bin"
            if not path.exists():
                raise KernelError(f"the host program of rank {rank} writes no result of launch {launch + 1}")
            found = np.fromfile(path, dtype=BY_SPEC_NAME[exchange.source.dtype].bits)
            path.unlink()
            if found.size != expected.size:
                raise KernelError(f"{exchange.result.name} has {found.size} elements, not {expected.size}")
            found = found.reshape(expected.shape)
            if not np.array_equal(found, expected):
                different = np.argwhere(found != expected)
                place = ", ".join(str(int(i)) for i in different[0])
                yield (
                    f"{exchange.result.name}[{place}] of rank {rank} differs from the reference after launch "
                    f"{launch + 1}, {len(different)} of {found.size} elements do"
                )
