"""The program that runs in the compilers' environment: a job to a line of its input, an answer to a line of its
output."""

from __future__ import annotations

import io
import json
import os
import sys
import tempfile
import time
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any, TextIO

from a2agen.engines.ascend_ir import lowering, pipeline
from a2agen.engines.ascend_ir.custom import MarkError, with_operations

_FINAL = ("stock", "dist")


def serve(jobs: TextIO, answers: TextIO, compilers: Path) -> None:
    """Answer jobs until their end."""
    with tempfile.TemporaryDirectory(prefix="a2agen-") as place:
        root = Path(place)
        stand_ins = root / "bin"
        stand_ins.mkdir()
        pipeline.stand_in(stand_ins)
        for number, line in enumerate(jobs):
            folder = root / str(number)
            folder.mkdir()
            # What the compilers print must not get between the answers.
            with redirect_stdout(io.StringIO()):
                answer = answered(json.loads(line), folder, compilers, stand_ins)
            answers.write(json.dumps(answer) + "\n")
            answers.flush()
            if answer["ended"]:
                os._exit(0)


def answered(job: dict[str, Any], folder: Path, compilers: Path, stand_ins: Path) -> dict[str, Any]:
    """All stages of a job as far as they go: their texts by name, and the stage that failed with its error."""
    started, busy = time.monotonic(), _busy()
    texts: dict[str, str] = {}
    answer: dict[str, Any] = {"texts": texts, "ub_bytes": None, "stage": None, "error": None, "ended": False}
    try:
        lowering.install(job["form"])
        (folder / "kernel.py").write_text(job["kernel"], encoding="utf-8")
        kernel = lowering.load(folder / "kernel.py", job["name"])
        lowering.lower(kernel, job["types"], job["constants"], job["chip"], texts)
        if job["run"] is not None:
            answer["error"] = _run(job["run"], texts["ttadapter"], compilers, folder)
            answer["stage"] = "run" if answer["error"] else None
            # Threads that hang end with the process.
            answer["ended"] = answer["error"] is not None
        if job["form"] in _FINAL:
            text = texts["operations"] = with_operations(texts["ttadapter"])
            scratch = folder / "final"
            scratch.mkdir()
            final = pipeline.compile_(text, job["chip"], compilers, stand_ins, scratch)
            texts["hivm"], answer["ub_bytes"] = final.text, final.ub_bytes
    except Exception as failure:  # whatever a compiler raises is its verdict
        answer["stage"], answer["error"] = _stage(texts, failure), _text(failure)
    answer["seconds"], answer["cpu_seconds"] = time.monotonic() - started, _busy() - busy
    return answer


def _busy() -> float:
    """Processor time of this process and of the programs that it ran."""
    return sum(os.times()[:4])


def _run(request: dict[str, Any], text: str, compilers: Path, folder: Path) -> str | None:
    from a2agen.engines.ascend_ir.ranks import Ranks  # noqa: PLC0415  # a compiler for the CPU, which few jobs need

    scratch = folder / "run"
    scratch.mkdir()
    return Ranks(request, text, compilers, scratch).run(request["seconds"])


def _stage(texts: dict[str, str], failure: Exception) -> str:
    if isinstance(failure, MarkError):
        return "marks"
    return "ttir" if "ttir" not in texts else "ttadapter" if "ttadapter" not in texts else "behind ttadapter"


def _text(failure: Exception) -> str:
    """The error in one line; of a program that a signal ended, that and no more."""
    said = getattr(failure, "stderr", None)
    if said:
        text = said.decode(errors="replace") if isinstance(said, bytes) else str(said)
        lines = [line for line in text.splitlines() if "error" in line or "Assertion" in line]
        return f"{failure}: {lines[0] if lines else text[:200]}"[:1000] if len(str(failure)) < 200 else _ended(failure)
    return f"{type(failure).__name__}: {failure}"[:2000]


def _ended(failure: Exception) -> str:
    return "triton-adapter-opt " + str(failure).rsplit("]' ", 1)[-1]


if __name__ == "__main__":
    serve(sys.stdin, sys.stdout, Path(sys.argv[1]))
