"""Structs of cuda.h: for each field of ours the name there, its offset and its size in bytes, on 64-bit Linux.

NVIDIA CUDA Driver API, CUDA_MEMCPY2D and CUstreamBatchMemOpParams (`CUstreamMemOpWaitValueParams`).
"""

from __future__ import annotations

FIELDS: dict[str, dict[str, tuple[str, int, int]]] = {
    "Plane": {
        "source_x": ("srcXInBytes", 0, 8),
        "source_y": ("srcY", 8, 8),
        "source_type": ("srcMemoryType", 16, 4),
        "source_host": ("srcHost", 24, 8),
        "source": ("srcDevice", 32, 8),
        "source_array": ("srcArray", 40, 8),
        "source_pitch": ("srcPitch", 48, 8),
        "target_x": ("dstXInBytes", 56, 8),
        "target_y": ("dstY", 64, 8),
        "target_type": ("dstMemoryType", 72, 4),
        "target_host": ("dstHost", 80, 8),
        "target": ("dstDevice", 88, 8),
        "target_array": ("dstArray", 96, 8),
        "target_pitch": ("dstPitch", 104, 8),
        "width": ("WidthInBytes", 112, 8),
        "height": ("Height", 120, 8),
    },
    "WordOp": {
        "operation": ("waitValue.operation", 0, 4),
        "address": ("waitValue.address", 8, 8),
        "value": ("waitValue.value64", 16, 8),
        "flags": ("waitValue.flags", 24, 4),
    },
}
C_NAMES = {"Plane": "CUDA_MEMCPY2D", "WordOp": "CUstreamBatchMemOpParams"}
SIZES = {"Plane": 128, "WordOp": 48}
CONSTANTS = {
    "UNIFIED": "CU_MEMORYTYPE_UNIFIED",
    "WAIT": "CU_STREAM_MEM_OP_WAIT_VALUE_64",
    "WRITE": "CU_STREAM_MEM_OP_WRITE_VALUE_64",
    "EQUAL": "CU_STREAM_WAIT_VALUE_EQ",
    "NO_TIMING": "CU_EVENT_DISABLE_TIMING",
}
