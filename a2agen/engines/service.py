"""A module that runs in another environment and answers requests: a line of JSON for each, one after the other."""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
from pathlib import Path
from types import TracebackType
from typing import Any, TypeVar

import a2agen


class EndedError(Exception):
    """The process ended instead of answering; the text is the last that it said."""


S = TypeVar("S", bound="Service")


class Service:
    """A context in which requests are answered. The process starts at the first one, and again after it has ended."""

    def __init__(self, python: Path, module: str, arguments: tuple[str, ...] = ()) -> None:
        self._command = [str(python), "-m", module, *arguments]
        self._process: subprocess.Popen[str] | None = None
        self._folder = tempfile.TemporaryDirectory(prefix="a2agen-")

    def __enter__(self: S) -> S:
        # The environment sees this package and nothing else of where it is installed.
        (Path(self._folder.name) / "a2agen").symlink_to(Path(a2agen.__file__).parent)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stop()
        self._folder.cleanup()

    def ask(self, request: dict[str, Any]) -> dict[str, Any]:
        """The answer to a request, as the module gives it. One with a true `ended` is the last of its process.

        Raises EndedError where the process dies of the request.
        """
        process = self._process or self._start()
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            process.stdin.write(json.dumps(request) + "\n")
            process.stdin.flush()
            line = process.stdout.readline()
        except BrokenPipeError:
            line = ""
        if line:
            answer: dict[str, Any] = json.loads(line)
            if answer.get("ended"):
                self._stop()
            return answer
        code = process.wait()
        said = process.stderr.read() if process.stderr is not None else ""
        self._stop()
        raise EndedError((said.strip().splitlines() or [f"code {code}"])[-1])

    def _start(self) -> subprocess.Popen[str]:
        environment = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "TRITON"))}
        environment |= {"PYTHONPATH": self._folder.name, "PYTHONDONTWRITEBYTECODE": "1"}
        self._process = subprocess.Popen(
            self._command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=environment | {"TRITON_CACHE_DIR": str(Path(self._folder.name) / "cache")},
            cwd=self._folder.name,
        )
        return self._process

    def _stop(self) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        for stream in (process.stdin, process.stdout, process.stderr):
            if stream is not None:
                stream.close()
        process.wait()
