"""Back ends are found by their names, and what one of them cannot do is a finding."""

from __future__ import annotations

from dataclasses import replace

import pytest

from a2agen.emit import unsupported as module
from a2agen.emit.backend import Backend
from a2agen.emit.backends import BACKENDS
from a2agen.emit.compile import compile_spec
from a2agen.emit.unsupported import unsupported
from a2agen.engines.support import RUNS, unrunnable
from a2agen.findings import Finding
from a2agen.passes.lower.unlowered import Unlowered
from a2agen.source import Source
from a2agen.targets import profile
from tests.passes.spec_texts import EXCHANGE, SCHEDULE, made

SOURCE = Source("spec.a2a", EXCHANGE + SCHEDULE)
(PLAIN,) = made(SOURCE.text).schedules


def texts(findings: tuple[Finding, ...]) -> list[tuple[str, str, str | None]]:
    return [(f.code, f.message, f.help) for f in findings]


def test_every_back_end_is_on_some_target() -> None:
    there = {name for target in profile.names() for name in profile.load(target).backends}
    assert set(BACKENDS) <= there
    assert all(backend.name == name for name, backend in BACKENDS.items())


def test_engines_run_back_ends_that_are_there() -> None:
    assert {name for names in RUNS.values() for name in names} <= set(BACKENDS)


def test_a_supported_schedule_has_files_and_no_finding() -> None:
    files, findings = compile_spec(made(SOURCE.text), SOURCE)
    assert findings == ()
    assert sorted(files) == ["e/s/kernel.py", "e/s/launcher.py", "e/s/manifest.json"]
    assert unrunnable(PLAIN, SOURCE, "cpu") == ()


def test_a_back_end_that_is_not_there_yet(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "BACKENDS", {"triton_dist": BACKENDS["triton_dist"]})
    checked = made(SOURCE.text, ("ascend910c", "ascend950"), ("triton_dist", "ascendc"))
    files, findings = compile_spec(checked, SOURCE)
    assert files == {}
    message = "the back end ascendc is checked, but not emitted yet"
    assert texts(findings) == [("A399", message, "ascend950 also has `emit triton_dist`")]
    assert findings[0].span == checked.schedules[0].emit_span


def test_what_no_plan_can_hold_and_what_a_back_end_refuses(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuses(schedule: object) -> tuple[Unlowered, ...]:
        return (Unlowered("the moon", PLAIN.span, "use the sun"),)

    picky = Backend("triton_dist", BACKENDS["triton_dist"].files, refuses)
    monkeypatch.setattr(module, "BACKENDS", {"triton_dist": picky})
    assert texts(unsupported(PLAIN, SOURCE)) == [("A399", "the moon is checked, but not emitted yet", "use the sun")]
    send = PLAIN.phases[0]
    hosted = replace(PLAIN, phases=(replace(send, role=replace(send.role, cores="host")), *PLAIN.phases[1:]))
    assert {m for _, m, _ in texts(unsupported(hosted, SOURCE))} >= {
        "a host role beside roles of cores is checked, but not emitted yet",
        "the moon is checked, but not emitted yet",
    }


def test_a_kernel_that_an_engine_does_not_run() -> None:
    message = "what the back end listing emits does not run on the cpu engine yet"
    assert texts(unrunnable(replace(PLAIN, emit="listing"), SOURCE, "cpu")) == [
        ("A399", message, "it runs triton_dist, ascendc")
    ]
