"""What is measured: sizes and rows."""

from __future__ import annotations

from dataclasses import dataclass

KIB, MIB = 1 << 10, 1 << 20
ELEMENT = 2
HEADS = 8


@dataclass(frozen=True, slots=True)
class Shape:
    """A tensor of `nbytes` bytes a rank, in rows of `row` bytes: bf16, eight heads."""

    nbytes: int
    row: int

    def extents(self, ranks: int) -> dict[str, int]:
        return {"W": ranks, "S": self.nbytes // self.row // ranks, "H": HEADS, "D": self.row // ELEMENT // HEADS}

    @property
    def label(self) -> str:
        size = f"{self.nbytes // MIB}M" if self.nbytes >= MIB else f"{self.nbytes // KIB}K"
        row = f"{self.row // KIB}K" if self.row >= KIB else f"{self.row}"
        return f"{size} rows {row}"


def sizes(quick: bool) -> list[Shape]:
    """Powers of two from 64 KiB to 1 GiB at rows of 8 KiB; every fourth of them when it must be quick."""
    powers = range(16, 31, 2) if quick else range(16, 31)
    return [Shape(1 << n, 8 * KIB) for n in powers]


def rows() -> list[Shape]:
    """Other rows at 16 MiB and 256 MiB."""
    return [Shape(size * MIB, row) for size in (16, 256) for row in (512, 2 * KIB, 32 * KIB)]
