"""The launch-protocol table: what makes one launch safe after another, for everything that the language can say.

A kernel is launched again and again on one stream, and ranks drift. A row gives the synchronisation that `ready`,
`free` and `rounds` of a phase stand for, or the reason why they stand for nothing that works. Lint, lowering and the
documentation read the table; the exhaustive model in this package explores every row of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import product
from typing import Literal, TypeVar

ReadyKind = Literal["none", "barrier", "notify", "signal", "flag"]
FreeKind = Literal["none", "credit", "barrier"]
Unit = Literal["tile", "block", "peer"]
Rounds = Literal["reset", "epoch"]
Place = Literal["staging", "out"]
WordValue = Literal["one", "round"]
Clear = Literal["launcher", "reader"]
Safety = Literal["back to back", "host", "no"]
Shapes = Literal["any", "fixed halves", "one"]

Ready = tuple[ReadyKind, Unit | None]
Free = tuple[FreeKind, Unit | None]
_Cell = TypeVar("_Cell")

READIES: tuple[Ready, ...] = (
    ("none", None),
    ("barrier", None),
    ("notify", "tile"),
    ("notify", "block"),
    ("notify", "peer"),
    ("signal", "block"),
    ("signal", "peer"),
    ("flag", None),
)
FREES: tuple[Free, ...] = (("none", None), ("credit", "tile"), ("credit", "peer"), ("barrier", None))
ROUNDS: tuple[Rounds, ...] = ("reset", "epoch")
PLACES: tuple[Place, ...] = ("staging", "out")


@dataclass(frozen=True, slots=True)
class Protocol:
    """The synchronisation of one path, as flags that the lowering and the model both read.

    host: before a launch the launcher synchronises the stream and enters one barrier of all ranks' hosts.
    start_barrier: a device barrier when the launch starts. block_barrier: one after every block.
    parity: data and words are doubled, and launch n uses half n % 2.
    enter: a rank that starts launch n stores n in one word at every peer; a writer waits for it by equality.
    mailbox: a word is 0 when empty and 1 when full; the writer waits for 0, the reader stores it.
    word_value: what an announcement stores, 1 or the number of the launch; None where nothing is stored.
    clear: who zeroes words: the launcher before its host barrier, or the reader when it has read.
    wait_all: the kernel ends only when it has seen every announcement to its rank.
    safe: "back to back" with stream order alone; "host" only with the launcher's host barrier; "no" for a row that is
    an error.
    shapes: which shapes launches in a row may have that use the same memory and words. "any"; "fixed halves", any as
    long as each half of the data and of the words stays where it is; "one", where a word must stay with its data. The
    rest of `safe` holds within that.
    """

    name: str
    safe: Safety
    host: bool = False
    start_barrier: bool = False
    block_barrier: bool = False
    parity: bool = False
    enter: bool = False
    mailbox: bool = False
    word_value: WordValue | None = None
    clear: Clear | None = None
    wait_all: bool = False
    shapes: Shapes = "any"


@dataclass(frozen=True, slots=True)
class Row:
    """One row: the combinations that it covers, and what they stand for.

    `slots_reused`: whether blocks of one launch share a slot; both where it makes no difference. `error` says in words
    why the combination is refused; `protocol` is then what would be left to emit, which the model shows to fail.
    """

    ready: tuple[Ready, ...]
    free: tuple[Free, ...]
    rounds: tuple[Rounds, ...]
    place: tuple[Place, ...]
    slots_reused: tuple[bool, ...]
    protocol: Protocol
    remark: str = ""
    error: str | None = None

    def covers(self, ready: Ready, free: Free, rounds: Rounds, place: Place, slots_reused: bool) -> bool:
        return (
            ready in self.ready
            and free in self.free
            and rounds in self.rounds
            and place in self.place
            and slots_reused in self.slots_reused
        )


def _row(
    ready: str, free: str, rounds: str, place: str, slots: str, protocol: Protocol, remark: str = "", error: str = ""
) -> Row:
    """A row from words: alternatives are separated by commas, `any` stands for all of a column, a kind without its
    unit for all its units."""

    def pick(words: str, known: tuple[_Cell, ...], show: Callable[[_Cell], str]) -> tuple[_Cell, ...]:
        wanted = [word.strip() for word in words.split(",")]
        return tuple(k for k in known if any(w in ("any", show(k), show(k).split(" ")[0]) for w in wanted))

    return Row(
        ready=pick(ready, READIES, phrase),
        free=pick(free, FREES, phrase),
        rounds=pick(rounds, ROUNDS, str),
        place=pick(place, PLACES, str),
        slots_reused=pick(slots, (False, True), lambda reused: "again" if reused else "once"),
        protocol=protocol,
        remark=remark,
        error=error or None,
    )


def phrase(clause: Ready | Free) -> str:
    """A ready or free clause in words: `notify per tile`, `barrier`."""
    kind, unit = clause
    return kind if unit is None else f"{kind} per {unit}"


_STREAM = Protocol("none", "back to back")
_HOST_BARRIER = Protocol("HOST + barrier per block", "host", host=True, block_barrier=True)
_START = Protocol("START + barrier per block", "back to back", start_barrier=True, block_barrier=True)
_HOST = Protocol("HOST", "host", host=True, word_value="one", clear="launcher")
_HOST_OUT = Protocol("HOST", "host", host=True, word_value="one", clear="launcher", wait_all=True)
_PARITY = Protocol("PARITY", "back to back", parity=True, word_value="round", shapes="fixed halves")
_MAILBOX = Protocol("MAILBOX", "back to back", mailbox=True, word_value="one", clear="reader", shapes="one")
_ENTER_MAILBOX = Protocol("ENTER + MAILBOX", "back to back", enter=True, mailbox=True, word_value="one", clear="reader")
_ENTER = Protocol("ENTER, words carry n", "back to back", enter=True, word_value="round")
_ENTER_OUT = Protocol("ENTER, words carry n", "back to back", enter=True, word_value="round", wait_all=True)
_FLAG_PARITY = Protocol("flag = n, PARITY", "back to back", parity=True, word_value="round", shapes="fixed halves")
_FLAG_ENTER = Protocol("flag = n, ENTER", "back to back", enter=True, word_value="round")
_FLAG_HOST = Protocol("reader clears, then HOST", "host", host=True, word_value="one", clear="reader")

# What is left to emit where something is missing.
_NOTHING = Protocol("nothing", "no")
_BARRIERS = Protocol("barrier per block", "no", block_barrier=True)
_ONES = Protocol("words carry 1", "no", word_value="one")
_NUMBERS = Protocol("words carry n", "no", word_value="round")
_NUMBERS_OUT = Protocol("words carry n", "no", word_value="round", wait_all=True)
_NEVER_EMPTY = Protocol("MAILBOX that nobody empties", "no", mailbox=True, word_value="one", wait_all=True)

_REUSED = "blocks of one launch share a slot, and nothing frees it before the next of them is written"
_PEER_WITHIN = f"{_REUSED}: a credit per peer frees from launch to launch, nothing within one"
_NO_NUMBER = "a credit per peer says which launch has started, and rounds reset numbers no launch; say rounds epoch"
_NO_BARRIER = "free barrier means the barrier of ready barrier, and this phase has none"
_UNITS = "units differ: the reader frees tile by tile what the writer announces with one word"

TABLE: tuple[Row, ...] = (
    _row("any", "any", "any", "out", "again", _NUMBERS_OUT, error="an output has no slots that blocks could share"),
    # Nothing announced.
    _row("none", "none", "any", "any", "once", _STREAM, "only where no other rank writes: the stream orders the rest"),
    _row(
        *("none", "none", "any", "staging", "again", _NOTHING),
        error="what is not announced is read by later work of the stream, and by then a later block has the slot",
    ),
    _row(
        *("none", "credit, barrier", "any", "any", "any", _NOTHING),
        error="what is not announced is read by no phase of the launch, so nobody frees it",
    ),
    # A barrier of all cores of all ranks after every block.
    _row(
        *("barrier", "none, barrier", "reset", "any", "any", _HOST_BARRIER),
        "a slot that blocks share needs a second one",
    ),
    _row(
        *("barrier", "none, barrier", "epoch", "any", "any", _START),
        "a slot that blocks share needs a second one; a barrier at kernel end instead of START is wrong for an output, "
        "which the stream still reads",
    ),
    _row(
        *("barrier", "credit", "any", "any", "any", _BARRIERS),
        error="a barrier joins all ranks, and a credit answers the word of one writer; say free barrier or free none",
    ),
    # A word per tile, block or peer; a put with signal brings its word along.
    _row("notify, signal", "none", "reset", "staging", "once", _HOST),
    _row("notify, signal", "none", "reset", "out", "once", _HOST_OUT),
    _row(
        *("notify, signal", "none", "epoch", "staging", "once", _PARITY),
        "with >= instead of equality, doubled data is enough; nothing is doubled that its own rank alone writes",
    ),
    _row(
        *("notify, signal", "none", "epoch", "out", "once", _NUMBERS_OUT),
        error="a faster rank's next launch overwrites the output while the stream reads it; "
        "say free credit per peer, or ready barrier",
    ),
    _row(
        *("notify, signal", "none", "any", "staging", "again", _NUMBERS),
        error=f"{_REUSED}; say ready notify per tile and free credit per tile",
    ),
    _row(
        *("notify per tile", "credit per tile", "reset", "staging", "any", _MAILBOX),
        "one writer core and one reader core for each word",
    ),
    _row(
        *("notify per tile", "credit per tile", "epoch", "staging", "any", _ENTER_MAILBOX),
        "one writer core and one reader core for each word; where no slot is shared, credit per peer needs less",
    ),
    _row(
        *("notify per tile", "credit per tile", "any", "out", "once", _NEVER_EMPTY),
        error="no phase reads an output, so nobody frees its tiles; say free credit per peer and rounds epoch",
    ),
    _row("notify per block, notify per peer, signal", "credit per tile", "any", "any", "any", _ONES, error=_UNITS),
    _row("notify, signal", "credit per peer", "epoch", "staging", "once", _ENTER),
    _row(
        *("notify, signal", "credit per peer", "epoch", "out", "once", _ENTER_OUT),
        "the credit goes out at launch start, in stream order after the last use of the output",
    ),
    _row("notify, signal", "credit per peer", "epoch", "staging", "again", _NUMBERS, error=_PEER_WITHIN),
    _row("notify", "credit per peer", "reset", "any", "any", _ONES, error=_NO_NUMBER),
    _row("signal", "credit per peer", "reset", "staging", "once", _HOST, "the host barrier frees, no credit is sent"),
    _row("signal", "credit per peer", "reset", "out", "once", _HOST_OUT, "the host barrier frees, no credit is sent"),
    _row("signal", "credit per peer", "reset", "staging", "again", _ONES, error=_PEER_WITHIN),
    _row("notify, signal", "barrier", "any", "any", "any", _ONES, error=_NO_BARRIER),
    # Data that carries its own flag.
    _row("flag", "any", "any", "out", "once", _NUMBERS_OUT, error="an output has no flag blocks, only a buffer has"),
    _row("flag", "none", "reset", "staging", "once", _FLAG_HOST),
    _row("flag", "none", "epoch", "staging", "once", _FLAG_PARITY, "a stale flag is n - 2, so nothing is cleared"),
    _row("flag", "none", "any", "staging", "again", _NUMBERS, error=f"{_REUSED}; give every block a slot of its own"),
    _row("flag", "credit per peer", "epoch", "staging", "once", _FLAG_ENTER),
    _row("flag", "credit per peer", "epoch", "staging", "again", _NUMBERS, error=_PEER_WITHIN),
    _row("flag", "credit per peer", "reset", "staging", "any", _ONES, error=_NO_NUMBER),
    _row(
        *("flag", "credit per tile", "any", "staging", "any", _ONES),
        error="a credit per tile empties the word of a tile, and a flag has none; say free credit per peer",
    ),
    _row("flag", "barrier", "any", "staging", "any", _ONES, error=_NO_BARRIER),
)
"""The rows, from special to general: the first that covers a combination counts."""


def lookup(
    ready: ReadyKind,
    ready_unit: Unit | None,
    free: FreeKind,
    free_unit: Unit | None,
    rounds: Rounds,
    place: Place,
    slots_reused: bool,
) -> Row:
    """The row of a combination. ValueError for a unit that the grammar cannot say, such as `notify` without one.

    `place` is "out" for a symmetric output and "staging" for a buffer that a phase of the same launch reads.
    """
    if (ready, ready_unit) not in READIES or (free, free_unit) not in FREES:
        raise ValueError(f"no clause: ready {phrase((ready, ready_unit))}, free {phrase((free, free_unit))}")
    return next(r for r in TABLE if r.covers((ready, ready_unit), (free, free_unit), rounds, place, slots_reused))


def combinations() -> Iterator[tuple[Ready, Free, Rounds, Place, bool]]:
    """Everything that the grammar can say, as arguments of `Row.covers`."""
    return product(READIES, FREES, ROUNDS, PLACES, (False, True))
