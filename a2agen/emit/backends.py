"""All back ends, by the name that `emit` gives them."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from a2agen.emit.ascendc.backend import ASCENDC
from a2agen.emit.backend import Backend
from a2agen.emit.triton_dist.backend import TRITON_DIST

BACKENDS: Mapping[str, Backend] = MappingProxyType({b.name: b for b in (TRITON_DIST, ASCENDC)})
