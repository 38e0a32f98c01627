"""The plan: what every core and every host does, as a small tree of operations with symbolic indices.

Whoever reads a plan (a template, an engine, a cost model, a picture) sees the same program: all protocol logic is in
it. Indices stay multi-dimensional; turning them into offsets is the reader's job. An expression's names are extents of
the exchange, constants of the plan, arguments of the kernel and variables that operations around it bind.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from a2agen.ir.expr import Expr
from a2agen.ir.host import Clear as Clear  # noqa: PLC0414  # part of the plan
from a2agen.ir.host import Fork as Fork  # noqa: PLC0414
from a2agen.ir.host import HostBarrier as HostBarrier  # noqa: PLC0414
from a2agen.ir.host import HostCopy as HostCopy  # noqa: PLC0414
from a2agen.ir.host import HostOp as HostOp  # noqa: PLC0414
from a2agen.ir.host import Join as Join  # noqa: PLC0414
from a2agen.ir.host import Launch as Launch  # noqa: PLC0414
from a2agen.ir.host import Synchronize as Synchronize  # noqa: PLC0414
from a2agen.ir.memories import FlagBlocks as FlagBlocks  # noqa: PLC0414
from a2agen.ir.memories import Memory as Memory  # noqa: PLC0414
from a2agen.ir.memories import Slab as Slab  # noqa: PLC0414
from a2agen.ir.model import Schedule
from a2agen.ir.places import Access as Access  # noqa: PLC0414
from a2agen.ir.places import Offsets as Offsets  # noqa: PLC0414
from a2agen.ir.places import TileAxis as TileAxis  # noqa: PLC0414
from a2agen.ir.signals import Word as Word  # noqa: PLC0414
from a2agen.ir.signals import Words as Words  # noqa: PLC0414


class Op:
    """Base of all operations of a core."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Let(Op):
    """Bind a name to a value. `about` says what it is, where the name does not."""

    name: str
    value: Expr
    about: str = ""


@dataclass(frozen=True, slots=True)
class Loop(Op):
    """`name` takes first, first + step, … below `end`.

    `token` names what the waits in it add up to, which stands for all of them behind it, even where it runs never.
    """

    name: str
    first: Expr
    end: Expr
    step: Expr
    body: tuple[Op, ...]
    about: str = ""
    token: str = ""


@dataclass(frozen=True, slots=True)
class When(Op):
    """The body, in the turn of the loop around it in which its variable `name` equals `value`."""

    name: str
    value: Expr
    body: tuple[Op, ...]
    about: str = ""


@dataclass(frozen=True, slots=True)
class Copy(Op):
    """Load a tile and store it, masked at the axes' ends. Both may be asynchronous until the next fence.

    `flag` is what the flag of every block is set to that the tile writes, where the target has flag blocks.
    """

    source: Access
    target: Access
    tile: tuple[TileAxis, ...]
    flag: Expr | None = None


@dataclass(frozen=True, slots=True)
class Load(Op):
    """The first half of a copy: load a tile, masked at the axes' ends. The next store is of what it loaded.

    What stands between the two need not be waited for by the load.
    """

    source: Access
    tile: tuple[TileAxis, ...]


@dataclass(frozen=True, slots=True)
class Aim(Op):
    """Bind the address of the tile that the next store is to, which takes a while at another rank."""

    target: Access


@dataclass(frozen=True, slots=True)
class Store(Op):
    """The second half of a copy: store the tile that was loaded last, as far as it was loaded.

    `aimed`: to the address that is bound. Said here, as in `After`, so that a reader needs not know which `Aim` holds
    where it is, loops and turns further in.
    """

    target: Access
    tile: tuple[TileAxis, ...]
    aimed: bool = False


@dataclass(frozen=True, slots=True)
class WaitFlags(Op):
    """Wait until the flag of every block that holds elements of the tile equals `value`."""

    source: Access
    tile: tuple[TileAxis, ...]
    value: Expr


@dataclass(frozen=True, slots=True)
class ClearFlags(Op):
    """Set the flag of every block that holds elements of the tile to zero, at this rank."""

    target: Access
    tile: tuple[TileAxis, ...]


@dataclass(frozen=True, slots=True)
class Signal:
    """A word at the peer that a put sets to `value` when its data is there."""

    word: Word
    value: Expr


@dataclass(frozen=True, slots=True)
class Put(Op):
    """Write `elements` contiguous elements to `peer` by the engine. The peer sees the data after a quiet, or when the
    signal or the flags in the data say so.

    The source must stay as it is until a quiet, of the queue where there are several. `queue`: which of several to the
    peer. `via`: the rank whose link the request takes. `submission`: whether the engine is told at once, or of a whole
    batch: the last request of it submits those that were deferred, of the same peer and queue.
    """

    source: Access
    target: Access
    elements: Expr
    peer: Expr
    queue: Expr | None = None
    via: Expr | None = None
    signal: Signal | None = None
    submission: Literal["now", "defer", "submit"] = "now"


@dataclass(frozen=True, slots=True)
class Wait(Op):
    """Wait until the word, here or at `rank`, equals `value`; `token` is what accesses must carry to come after it.

    `adds`: to the token of a loop around it.
    """

    word: Word
    value: Expr
    token: str
    rank: Expr | None = None
    adds: bool = False


@dataclass(frozen=True, slots=True)
class Notify(Op):
    """Set the word at `rank` to `value`, or add `value` to it, after everything that a fence or quiet has completed.

    `tokens` name the waits that it comes after. `between_nodes`: `rank` may be on another machine. On a GPU such a
    notify comes after what a quiet has completed, and not after stores that a fence alone has ordered.
    """

    word: Word
    rank: Expr
    value: Expr
    how: Literal["set", "add"] = "set"
    tokens: tuple[str, ...] = ()
    between_nodes: bool = False


@dataclass(frozen=True, slots=True)
class Fence(Op):
    """Order this core's loads and stores so far before its later notifies, and on a GPU what each of the core's threads
    has quieted by itself.

    `after_notify`: only the core's own later waits must come after its notify (on a GPU a core is many warps).
    """

    after_notify: bool = False


@dataclass(frozen=True, slots=True)
class Quiet(Op):
    """Wait until every put of this core has arrived; with a `peer` those to it alone, with a `queue` those on it."""

    peer: Expr | None = None
    queue: Expr | None = None


@dataclass(frozen=True, slots=True)
class Barrier(Op):
    """Every core of every rank joins; orders their loads and stores, not their puts."""


@dataclass(frozen=True, slots=True)
class EpochLoad(Op):
    """Bind `name` to this launch's number, 1 for the first: one more than what the core's own word says."""

    name: str


@dataclass(frozen=True, slots=True)
class After(Op):
    """Make all later accesses to a memory of this rank depend on a wait, as far as this core makes them.

    `aimed`: the store to the address that is bound, too.
    """

    memory: str
    token: str
    aimed: bool = False


@dataclass(frozen=True, slots=True)
class EpochAfter(Op):
    """Make this launch's number depend on a wait: the launch, whose last thing is to store it, ends after the wait."""

    name: str
    token: str


@dataclass(frozen=True, slots=True)
class EpochStore(Op):
    """Store this launch's number in the core's own word, for the next launch.

    On a GPU, where a core is many warps, all of them have met since they read it.
    """

    name: str


def inner(op: Op) -> tuple[Op, ...]:
    """The operations that an operation holds: those of a loop, or of one of its turns."""
    return op.body if isinstance(op, Loop | When) else ()


@dataclass(frozen=True, slots=True)
class Part:
    """Cores of a class that run one program. `first`: the lanes below it, `rest`: the lanes from it on, else all
    lanes."""

    roles: tuple[str, ...]
    body: tuple[Op, ...]
    first: Expr | None = None
    rest: Expr | None = None


@dataclass(frozen=True, slots=True)
class CoreClass:
    """All cores, or the even or odd ones. The name `lane` counts them within the class; `lanes` is how many there
    are."""

    cores: Literal["all", "even", "odd"]
    lanes: Expr
    parts: tuple[Part, ...]


@dataclass(frozen=True, slots=True)
class Kernel:
    """What the cores of one launch do: `prologue` and `epilogue` are for all of them.

    `side`: on which side of copies that the host issues it runs, None where cores move the data themselves. The two
    kernels of a launch count their launches in epochs of their own.
    """

    name: str
    prologue: tuple[Op, ...]
    classes: tuple[CoreClass, ...]
    epilogue: tuple[Op, ...]
    side: Literal["entry", "exit"] | None = None

    @property
    def epochs(self) -> str:
        """The name of the epochs that it counts."""
        return "epochs" if self.side is None else f"{self.side}_epochs"


@dataclass(frozen=True, slots=True)
class Plan:
    """One schedule, lowered.

    `tuned` names constants for which the launcher chooses a power of two by the shape, with the axis that each is of,
    None for the axes that lie together on both sides. `constants` has the values that hold without a launcher.
    `counts` are values that hold for the whole launch, such as the number of blocks. `kernels` are in the order of
    their launches.
    """

    schedule: Schedule = field(repr=False)
    memories: tuple[Memory, ...]
    words: tuple[Words, ...]
    constants: tuple[tuple[str, int], ...]
    offsets: tuple[Offsets, ...]
    counts: tuple[Let, ...]
    cores: int
    kernels: tuple[Kernel, ...]
    host: tuple[HostOp, ...]
    uses_epochs: bool
    tuned: tuple[tuple[str, str | None], ...] = ()

    @property
    def kernel(self) -> Kernel:
        """The kernel of a plan that has one. Raises ValueError where a host role needs two."""
        (kernel,) = self.kernels
        return kernel

    def memory(self, name: str) -> Memory:
        return next(m for m in self.memories if m.name == name)

    def region(self, name: str) -> Words:
        return next(w for w in self.words if w.name == name)
