"""What `a2agen build` needs of the compilers of a vendor: how they are set up and used, and how results are shown."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, ClassVar, Generic, TypeVar

from a2agen.cli.selection import Chosen

B = TypeVar("B")


class Builder(ABC, Generic[B]):
    """The compilers of an engine; what a build gives is for them alone to look into."""

    engine: ClassVar[str]
    vendor: ClassVar[str]
    of_vendor: ClassVar[str]
    """The vendor's targets, in words."""
    closing: ClassVar[str]
    """What is said after all builds, of which none has a fault."""

    @abstractmethod
    def prepare(self, say: Callable[[str], None] | None) -> None:
        """Find the environment, or set it up where `say` is given, which is told of each step. Raises SetupError."""

    @abstractmethod
    def chips(self) -> tuple[str, ...]:
        """The chips that there are kernels for."""

    def left_out(self, chosen: Chosen) -> str | None:  # noqa: ARG002
        """Why the compilers cannot take a schedule that is emitted for them, None where they can."""
        return None

    @abstractmethod
    def builds(self, chosen: Sequence[Chosen], chips: Sequence[str]) -> Iterator[B]:
        """All builds of these schedules for these chips."""

    @abstractmethod
    def faults(self, built: B) -> tuple[str, ...]:
        """What is wrong, in words."""

    @abstractmethod
    def line(self, built: B) -> str:
        """One build in a line."""

    @abstractmethod
    def seconds(self, built: B) -> float:
        """What a build took by the clock."""

    @abstractmethod
    def record(self, built: B) -> dict[str, Any]:
        """One build as JSON has it."""

    @abstractmethod
    def stages(self, built: B) -> tuple[Sequence[str], Mapping[str, str]]:
        """Folders, outer first, and files with their texts, for what a kernel became on the way."""

    @abstractmethod
    def table(self, builds: Sequence[B]) -> str:
        """The table of builds without faults, as Markdown."""
