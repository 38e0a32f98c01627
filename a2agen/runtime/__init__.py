"""What a generated launcher needs at run time: a communicator, memory of one operator, and argument checks.

This package imports neither the compiler nor torch; a launcher works where a2agen's compiler is not installed.
"""

from a2agen.runtime.arguments import cdiv, check_apart, check_bound, check_extent, check_out, check_tensor
from a2agen.runtime.communicator import Communicator, SideStreams
from a2agen.runtime.connect import connect
from a2agen.runtime.engines import EngineCosts, fastest
from a2agen.runtime.tiles import Costs, tile, tile_time
from a2agen.runtime.tracing import enrol, traced
from a2agen.runtime.workspace import Workspace

__all__ = [
    "Communicator",
    "Costs",
    "EngineCosts",
    "SideStreams",
    "Workspace",
    "cdiv",
    "check_apart",
    "check_bound",
    "check_extent",
    "check_out",
    "check_tensor",
    "connect",
    "enrol",
    "fastest",
    "tile",
    "tile_time",
    "traced",
]
