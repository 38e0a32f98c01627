"""What there is to run on: GPUs of this machine, and the job of torchrun that this process is of. No torch here."""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass

PROBE_SECONDS = 120
_PROBE = "import json, torch; print(json.dumps({'gpus': torch.cuda.device_count(), 'torch': torch.__version__}))"


class UnavailableError(Exception):
    """There is nothing to run on; the text says what is missing and what to do."""


@dataclass(frozen=True, slots=True)
class Place:
    """This process's place in a job of torchrun: its rank, and how many there are in all and on this machine."""

    rank: int
    size: int
    local: int


def place(environment: Mapping[str, str] = os.environ) -> Place | None:
    """The place that torchrun gives in the environment, None for a process by itself.

    Raises UnavailableError for variables that are no numbers.
    """
    if "RANK" not in environment or "WORLD_SIZE" not in environment:
        return None
    size = environment["WORLD_SIZE"]
    texts = environment["RANK"], size, environment.get("LOCAL_WORLD_SIZE", size)
    if not all(text.isdecimal() for text in texts):
        raise UnavailableError(f"RANK, WORLD_SIZE and LOCAL_WORLD_SIZE must be numbers, found {', '.join(texts)}")
    return Place(*map(int, texts))


def gpus() -> int:
    """How many GPUs of NVIDIA torch finds here, one at least.

    Raises UnavailableError without torch, Triton or a GPU. torch is loaded by a process of its own.
    """
    for package in ("torch", "triton"):
        if importlib.util.find_spec(package) is None:
            raise UnavailableError(
                f"the cuda engine needs {package}, which is not installed here: "
                "install torch for CUDA (it brings Triton); `a2agen run --engine cpu` simulates without"
            )
    try:
        done = subprocess.run(
            [sys.executable, "-c", _PROBE], capture_output=True, text=True, timeout=PROBE_SECONDS, check=False
        )
        found = json.loads(done.stdout.strip().splitlines()[-1])
    except (subprocess.TimeoutExpired, OSError, ValueError, IndexError) as failure:
        raise UnavailableError(
            f"torch does not start here ({type(failure).__name__}); `a2agen run --engine cpu` simulates without"
        ) from failure
    if not found["gpus"]:
        raise UnavailableError(
            f"torch {found['torch']} finds no NVIDIA GPU here: see nvidia-smi and CUDA_VISIBLE_DEVICES; "
            "`a2agen run --engine cpu` simulates without"
        )
    return int(found["gpus"])
