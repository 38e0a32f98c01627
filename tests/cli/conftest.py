"""Commands run in this process, with stand-ins for the stages behind them."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from a2agen.cli.app import run
from a2agen.findings import Finding, Severity
from a2agen.ir.bounds import Bounds, Extent
from a2agen.source import Source, Span


@dataclass(frozen=True)
class Done:
    code: int
    out: str
    err: str


@pytest.fixture
def cli(capsys: pytest.CaptureFixture[str]) -> Callable[..., Done]:
    """Runs a command line; returns its exit code and what it printed."""

    def call(*arguments: object) -> Done:
        code = run([str(a) for a in arguments])
        captured = capsys.readouterr()
        return Done(code, captured.out, captured.err)

    return call


@pytest.fixture
def stand_in(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Puts a module of the given name in place for one test, whether or not a real one exists."""

    def install(name: str, **members: Any) -> None:
        parts = name.split(".")
        for i in range(1, len(parts)):
            parent = ".".join(parts[:i])
            try:
                import_module(parent)
            except ModuleNotFoundError:
                monkeypatch.setitem(sys.modules, parent, ModuleType(parent))
        module = ModuleType(name)
        for member, value in members.items():
            setattr(module, member, value)
        monkeypatch.setitem(sys.modules, name, module)

    return install


@dataclass(frozen=True)
class Named:
    name: str


@dataclass(frozen=True)
class FakeCase:
    name: str
    values: dict[str, int]


SPAN = Span(1, 1, 1, 2)


BOUNDS = Bounds((Extent("W", 2, 8, SPAN), Extent("S", 1, 64, SPAN)))


@dataclass(frozen=True)
class FakeExchange:
    name: str = "swap"
    ranks: str = "W"
    cases: tuple[FakeCase, ...] = (FakeCase("tiny", {"W": 2, "S": 3}), FakeCase("big", {"W": 4, "S": 8}))
    bounds: Bounds = BOUNDS


@dataclass(frozen=True)
class FakeSchedule:
    name: str
    exchange: FakeExchange = field(default_factory=FakeExchange)
    target: Named = Named("ascend910c")
    emit: str = "triton_dist"
    auto: str | None = None
    phases: tuple[object, ...] = ()

    @property
    def declared(self) -> str:
        return self.name


@dataclass(frozen=True)
class FakeChecked:
    source: Source
    findings: tuple[Finding, ...] = ()
    schedules: tuple[FakeSchedule, ...] = ()

    def sound(self, schedule: FakeSchedule) -> bool:
        return True


def finding(source: Source, severity: Severity = Severity.ERROR, **changes: Any) -> Finding:
    """A finding on the second line of a source."""
    values = {"code": "A301", "message": "no such link", "span": Span(2, 3, 2, 6), "help": None, **changes}
    return Finding(path=source.path, severity=severity, **values)


@pytest.fixture
def checks(stand_in: Callable[..., None]) -> None:
    """A checker: `# error`, `# warning` and `# advice` in a spec are findings, `schedule NAME` is a schedule."""

    def check(source: Source) -> FakeChecked:
        found = tuple(finding(source, s) for s in Severity if f"# {s.value}" in source.text)
        names = [line.split()[1] for line in source.text.splitlines() if line.startswith("schedule ")]
        return FakeChecked(source, found, tuple(map(FakeSchedule, names)))

    stand_in("a2agen.passes.check", check=check)


@pytest.fixture
def emits(checks: None, stand_in: Callable[..., None]) -> None:
    """Back ends that can't emit schedules whose names begin with `hard`."""

    def unsupported(schedule: FakeSchedule, source: Source) -> tuple[Finding, ...]:
        return (finding(source, code="A399", message="not emitted"),) if schedule.name.startswith("hard") else ()

    stand_in("a2agen.emit.unsupported", unsupported=unsupported)


@pytest.fixture
def compiles(checks: None, stand_in: Callable[..., None]) -> None:
    """A compiler: two files for each schedule, both with the spec's text; `# unemitted` is an error of the back end."""

    def compile_spec(checked: FakeChecked, source: Source) -> tuple[dict[str, str], tuple[Finding, ...]]:
        files = {
            f"swap/{s.name}/{name}": source.text for s in checked.schedules for name in ("kernel.py", "manifest.json")
        }
        found = (finding(source, code="A390", message="not emitted"),) if "# unemitted" in source.text else ()
        return files, found

    stand_in("a2agen.emit.compile", compile_spec=compile_spec)


@pytest.fixture
def specs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Path]:
    """Makes spec files in the current folder: `specs(a="text")` makes a.a2a, and returns the folder."""
    monkeypatch.chdir(tmp_path)

    def make(**texts: str) -> Path:
        for name, text in texts.items():
            (tmp_path / f"{name}.a2a").write_text(text, encoding="utf-8")
        return tmp_path

    return make
