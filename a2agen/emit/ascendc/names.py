"""Names that a kernel in Ascend C and its host program make for themselves."""

from __future__ import annotations

from collections.abc import Iterator

from a2agen.ir.model import Schedule
from a2agen.passes.lower.unlowered import Unlowered

_KERNEL = """
    AscendC At CeilDiv Element EVENT_ID0 EVENT_ID1 FLAG_BLOCK FLAG_PAYLOAD GM_ADDR Init Kernel Max Min Process TileMover
    WaitAll WaitFlags a2a at batch bfloat16_t block_idx block_num event_t half kernel mover n pipe pipe_t requests
    staging submission
"""
_HOST = """
    Admits CASES Case Connect EXTENTS Extent FileName Finish Host Local Number Options Parse Prepare Require Right Run
    SetCase SetExtent SetOption Shape Symmetric USAGE Value aclrtStream input inputs launch main needed options origin
    page result results right shape size_t std stream unique_id
"""
_TAKEN = frozenset((*_KERNEL.split(), *_HOST.split()))


def refused(schedule: Schedule) -> Iterator[Unlowered]:
    """Extents, tensors and buffers that are called as something of the kernel or of the host program."""
    named = [(e.name, e.span) for e in schedule.exchange.bounds.extents]
    named += [(s.name, s.span) for s in schedule.storages]
    for name, span in named:
        if name in _TAKEN or name.endswith(("_bytes", "_flags")) or name.startswith(("Run", "at_", "acl")):
            what = f"the name {name}, which emitted C++ makes for itself,"
            yield Unlowered(what, span, "choose another name")
