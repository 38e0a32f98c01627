"""What docs/protocol.md says around the table."""

from __future__ import annotations

import pytest

from a2agen.passes.protocol.explore import Add, Operation, Read, Store, Stream, Wait, explore
from a2agen.passes.protocol.model import Scenario
from a2agen.passes.protocol.table import Protocol
from tests.protocol.paths import path, verdicts

LONG = Scenario(launches=4)
PARITY = path("notify", "block")
BARE = path("notify", "block", protocol=Protocol("words carry n", "no", word_value="round"))
ENTER_PEER = path("notify", "peer", free="credit", free_unit="peer")


def store(cell: str, value: int) -> Store:
    return Store(((cell, value),))


def announcing(ranks: int, launches: int, silent: int | None = None) -> list[Stream]:
    """Streams that announce each launch to everyone and see everyone's, except that `silent` tells rank 0 nothing."""

    def launch(rank: int, number: int) -> list[list[Operation]]:
        peers = [p for p in range(ranks) if p != rank]
        told = [p for p in peers if not (rank == silent and p == 0)]
        heard = [p for p in peers if not (rank == 0 and p == silent)]
        words: list[Operation] = [store(f"{rank} to {p}, {number}", 1) for p in told]
        waits: list[Operation] = [Wait(f"{p} to {rank}, {number}", 1) for p in heard]
        return [words, waits]

    return [[launch(rank, number) for number in range(1, launches + 1)] for rank in range(ranks)]


def packing(launches: int, overlapping: bool = False) -> list[Stream]:
    """A rank that writes a buffer of its own, announces it by the number of the launch and reads it in another core;
    the launches one after the other, or all at once."""
    kernels = [
        [
            [store("buffer", number), store("word", number)],
            [Wait("word", number), Read("buffer", number)],
        ]
        for number in range(1, launches + 1)
    ]
    return [[[core for kernel in kernels for core in kernel]] if overlapping else kernels]


def test_what_its_own_rank_alone_writes_is_not_doubled() -> None:
    assert explore(packing(4)).verdicts == set()
    assert explore(packing(2, overlapping=True)).verdicts == {"HANG", "WRONG"}


@pytest.mark.parametrize("ranks", [2, 3])
def test_skew_lemma(ranks: int) -> None:
    def within_one(launches: tuple[int, ...]) -> bool:
        return max(launches) - min(launches) <= 1

    def level(launches: tuple[int, ...]) -> bool:
        return max(launches) == min(launches)

    assert explore(announcing(ranks, 3), invariant=within_one).safe
    assert explore(announcing(ranks, 3), invariant=level).verdicts == {"BROKEN"}
    assert explore(announcing(ranks, 3, silent=1), invariant=within_one).verdicts == {"BROKEN"}


def test_at_least_removes_the_hang_and_nothing_else() -> None:
    assert verdicts(BARE, LONG) == {"HANG", "WRONG"}
    assert verdicts(BARE, LONG, "waits for at least") == {"WRONG"}


def test_at_least_needs_doubled_data_only() -> None:
    assert verdicts(PARITY, LONG, "words not doubled") == {"HANG"}
    assert verdicts(PARITY, LONG, "words not doubled", "waits for at least") == set()
    assert verdicts(PARITY, LONG, "data not doubled", "waits for at least") == {"WRONG"}


def test_credit_of_an_output_sent_at_the_end_is_wrong() -> None:
    out = path("notify", "peer", free="credit", free_unit="peer", place="out")
    assert verdicts(out, LONG) == set()
    assert verdicts(out, LONG, "enter at kernel end", "waits for at least") == {"WRONG"}


def test_credit_of_staging_may_be_sent_at_the_end() -> None:
    assert verdicts(ENTER_PEER, LONG, "enter at kernel end") == set()


def test_many_cores_need_a_word_each() -> None:
    many = Scenario(launches=2, senders=2, blocks=2)
    assert verdicts(ENTER_PEER, many) == set()
    assert "WRONG" in verdicts(ENTER_PEER, many, "one word for all cores")


def test_many_cores_can_share_a_counter() -> None:
    def rank(me: int, other: int, *, adds: bool) -> Stream:
        cores: list[list[Operation]] = []
        for core in range(2):
            announce = Add(f"word {me}", 1) if adds else store(f"word {me}", 2)
            cores.append([store(f"data {me}, {core}", 7), announce])
        wait: list[Operation] = [Wait(f"word {other}", 2)]
        return [[*cores, [*wait, Read(f"data {other}, 0", 7), Read(f"data {other}, 1", 7)]]]

    assert explore([rank(0, 1, adds=True), rank(1, 0, adds=True)]).safe
    assert explore([rank(0, 1, adds=False), rank(1, 0, adds=False)]).verdicts == {"WRONG"}


def test_a_word_that_counts_launches_must_be_used_in_each() -> None:
    blocks = path("notify", "block", free="credit", free_unit="peer")
    for counted, changing in ((blocks, {"HANG"}), (ENTER_PEER, set())):
        assert verdicts(counted, LONG, "words count by adding") == set()
        two_then_one = Scenario(launches=4, blocks=2, blocks_in_turn=1)
        assert verdicts(counted, two_then_one) == set()
        assert verdicts(counted, two_then_one, "words count by adding") == changing


def test_an_idle_core_that_waits_must_announce() -> None:
    idle = Scenario(launches=3, senders=2, blocks=1)
    assert verdicts(ENTER_PEER, idle) == set()
    assert verdicts(ENTER_PEER, idle, "idle core announces nothing") == {"HANG"}


def test_a_credit_per_word_for_the_last_launch_hangs_when_a_launch_skipped_the_slot() -> None:
    def pair(launches: list[list[int]], *, remembers: bool) -> list[Stream]:
        """A writer and a reader; launch n uses the given slots. The writer waits for the credit of launch n - 1, or of
        the last launch that used the slot."""
        writer: list[list[list[Operation]]] = []
        reader: list[list[list[Operation]]] = []
        last: dict[int, int] = {}
        for number, slots in enumerate(launches, start=1):
            send: list[Operation] = []
            receive: list[Operation] = []
            for slot in slots:
                wanted = last.get(slot, 0) if remembers else number - 1
                last[slot] = number
                send += [Wait(f"credit {slot}", wanted), store(f"data {slot}", number), store(f"word {slot}", number)]
                receive += [Wait(f"word {slot}", number), Read(f"data {slot}", number), store(f"credit {slot}", number)]
            writer.append([send])
            reader.append([receive])
        return [writer, reader]

    assert explore(pair([[0, 1], [0, 1], [0, 1]], remembers=False)).safe
    assert explore(pair([[0, 1], [0], [0, 1]], remembers=False)).verdicts == {"HANG"}
    assert explore(pair([[0, 1], [0], [0, 1]], remembers=True)).safe


def test_a_word_used_twice_in_a_launch_must_not_carry_plain_n() -> None:
    def pair(values: list[int]) -> list[Stream]:
        """Two uses of one slot in a launch, freed by a credit that counts uses."""
        send: list[Operation] = []
        receive: list[Operation] = []
        for use, value in enumerate(values):
            send += [Wait("credit", use), store("data", use + 1), store("word", value)]
            receive += [Wait("word", value), Read("data", use + 1), store("credit", use + 1)]
        return [[[send]], [[receive]]]

    assert explore(pair([1, 2])).safe
    assert "WRONG" in explore(pair([1, 1])).verdicts


def test_tiles_of_one_word_cannot_be_freed_one_by_one() -> None:
    def pair(*, units_agree: bool) -> list[Stream]:
        """A block of two tiles, each with its reader, under a mailbox; one word for both tiles, or one each."""
        word = ["word 0", "word 1"] if units_agree else ["word", "word"]
        send: list[Operation] = []
        for number in (1, 2):
            send += [Wait(w, 0) for w in dict.fromkeys(word)]
            send += [store(f"data {tile}", number) for tile in range(2)]
            send += [store(w, 1) for w in dict.fromkeys(word)]
        readers: list[list[Operation]] = [[], []]
        for tile in range(2):
            for number in (1, 2):
                readers[tile] += [Wait(word[tile], 1), Read(f"data {tile}", number), store(word[tile], 0)]
        return [[[send]], [readers]]

    assert explore(pair(units_agree=True)).safe
    assert {"HANG", "WRONG"} == explore(pair(units_agree=False)).verdicts
