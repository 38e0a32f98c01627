"""`a2agen run`: run generated kernels and compare with the reference, bit for bit."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

import click
from click.core import ParameterSource

from a2agen.cli.app import CLEAN, FOUND
from a2agen.cli.following import followed, then_option
from a2agen.cli.gpus import machine_for, speaks
from a2agen.cli.output import format_option, many, show, without_advice
from a2agen.cli.selection import (
    Chosen,
    Shape,
    memory_option,
    must_fit_memory,
    runnable,
    schedules,
    shape_options,
    shapes,
)
from a2agen.cli.specs import findings_of, load, sources_of, specs_argument
from a2agen.cli.tools import must_have_tools, tools

if TYPE_CHECKING:
    from a2agen.engines.cpu.run import Outcome as Simulated
    from a2agen.engines.cuda.run import Machine
    from a2agen.engines.cuda.run import Outcome as Launched

    Outcome = Simulated | Launched

ENGINES = ("cpu", "cuda")
SANITIZERS = ("thread", "address")


@dataclass(frozen=True, slots=True)
class Options:
    """How often and in what order a kernel runs; `machine` is what the engine `cuda` has found."""

    engine: str
    launches: int
    interleavings: int
    seed: int
    sanitizer: str | None
    machine: Machine | None = None


@click.command("run", short_help="Run kernels and verify them bit for bit.")
@specs_argument
@shape_options
@click.option("--engine", type=click.Choice(ENGINES), default="cpu", show_default=True, help="What runs the kernel.")
@click.option("--launches", type=click.IntRange(1), default=3, show_default=True, help="Launches in a row.")
@click.option("--interleavings", type=click.IntRange(1), default=5, show_default=True, help="Orders of the cores.")
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="Seed of the first interleaving.")
@click.option("--sanitizer", type=click.Choice(SANITIZERS), help="Run Ascend C on threads, with few cores, under this.")
@then_option
@memory_option
@format_option()
def command(
    paths: tuple[str, ...],
    schedule: str | None,
    case: str | None,
    extents: tuple[str, ...],
    engine: str,
    launches: int,
    interleavings: int,
    seed: int,
    sanitizer: str | None,
    then: tuple[str, ...],
    memory: int | None,
    form: str,
) -> int:
    """Run the kernels of specs and compare with the reference, bit for bit.

    All schedules and cases run unless --schedule, --case or -D narrow them.
    """
    if engine == "cuda":
        _must_be_of_cpu("interleavings", "sanitizer", "memory", "then")
    specs = load(paths)
    sound = [spec for spec in specs if not spec.fails]
    chosen, refused = runnable(schedules(sound, schedule), engine) if sound else ([], ())
    work = followed(shapes(chosen, case, extents), then, launches) if chosen else []
    machine = None
    if engine == "cuda":
        machine = machine_for(work, shared=True) if work else None
    else:
        must_fit_memory(work, memory)
    options = Options(engine, launches, interleavings, seed, sanitizer, machine)
    if sanitizer is not None:
        _must_be_ascendc(chosen)
    if work:
        must_have_tools(chosen)
    findings = without_advice((*findings_of(specs), *refused))
    speaking = speaks(machine)
    if findings and form == "text" and speaking:
        show(findings, sources_of(specs))
    if form == "text" and speaking:
        results = _report(work, options)
    else:
        with tools():
            results = [(c, s, _execute(c, s, options)) for c, s in work]
    if not speaking:
        pass
    elif form == "json":
        from a2agen.render.json import document, records

        records_of_runs = [_record(c, s, options, outcome) for c, s, outcome in results]
        click.echo(document(results=records_of_runs, findings=records(findings)))
    elif findings:
        from a2agen.render.text import summary

        click.echo(f"{summary(findings, len(specs))}; what is at fault was not run")
    return CLEAN if not findings and all(outcome.verified for _, _, outcome in results) else FOUND


def _must_be_of_cpu(*names: str) -> None:
    """Raises `click.UsageError` for an option that was given, and means nothing on a device."""
    context = click.get_current_context()
    for name in names:
        if context.get_parameter_source(name) is ParameterSource.COMMANDLINE:
            raise click.UsageError(f"--{name} is for the cpu engine: a GPU takes its own order and memory")


def _must_be_ascendc(chosen: list[Chosen]) -> None:
    """Raises `click.UsageError` for a schedule that no sanitizer can run."""
    for schedule in (c.schedule for c in chosen):
        if schedule.emit != "ascendc":
            raise click.UsageError(f"--sanitizer is for Ascend C, and {schedule.name} is emitted as {schedule.emit}")


def _execute(chosen: Chosen, shape: Shape, options: Options) -> Outcome:
    if options.machine is not None:
        from a2agen.engines.cuda.run import execute

        return execute(
            chosen.checked,
            chosen.schedule,
            shape.values,
            options.machine,
            launches=options.launches,
            seed=options.seed,
        )
    # numpy and the executor
    if options.sanitizer is not None:
        from a2agen.engines.ascendc.threads import run_sanitized

        return run_sanitized(
            chosen.checked,
            chosen.schedule,
            shape.values,
            sanitizer=options.sanitizer,
            launches=options.launches,
            interleavings=options.interleavings,
            seed=options.seed,
        )
    if chosen.schedule.emit == "ascendc":
        from a2agen.engines.ascendc.run import run_schedule
    else:
        from a2agen.engines.cpu.run import run_schedule

    return run_schedule(
        chosen.checked,
        chosen.schedule,
        shape.values,
        launches=options.launches,
        interleavings=options.interleavings,
        seed=options.seed,
        **({"then": shape.then} if shape.then else {}),
    )


def _record(chosen: Chosen, shape: Shape, options: Options, outcome: Outcome) -> dict[str, object]:
    return {
        "spec": chosen.spec.path,
        **chosen.record,
        "target": chosen.schedule.target.name,
        "case": shape.case,
        **({"then": shape.then} if shape.then else {}),
        "engine": options.engine,
        "verified": outcome.verified,
        "launches": outcome.launches,
        "interleavings": outcome.interleavings,
        "seed": options.seed,
        "seconds": round(outcome.seconds, 3),
        "error": None if outcome.verified else _error(outcome),
    }


def _report(work: list[tuple[Chosen, Shape]], options: Options) -> list[tuple[Chosen, Shape, Outcome]]:
    """Runs and prints a line for each as it ends."""
    results = []
    widths = [max((len(cell) for cell in cells), default=0) for cells in zip(*map(_cells, work), strict=True)]
    for chosen, shape in work:
        with tools():
            outcome = _execute(chosen, shape, options)
        results.append((chosen, shape, outcome))
        label = "  ".join(cell.ljust(width) for cell, width in zip(_cells((chosen, shape)), widths, strict=True))
        verdict = "verified" if outcome.verified else "WRONG   "
        times = many(outcome.launches, "launch", "launches")
        if options.machine is None:
            times += f" x {many(outcome.interleavings, 'interleaving')}"
        click.echo(f"{label}  {verdict}  {times}  {outcome.seconds:6.2f} s")
        if not outcome.verified:
            click.echo("    " + _error(outcome).replace("\n", "\n    "))
    if results:
        right = sum(outcome.verified for _, _, outcome in results)
        verdict = "all verified bit for bit" if right == len(results) else f"{len(results) - right} wrong"
        seconds = sum(outcome.seconds for _, _, outcome in results)
        runs = many(len(results), "run")
        click.echo(f"{runs} on the {options.engine} engine, {verdict}, {seconds:.1f} s")
    return results


def _cells(item: tuple[Chosen, Shape]) -> tuple[str, ...]:
    chosen, shape = item
    schedule = chosen.schedule
    return f"{schedule.exchange.name}/{schedule.name}", schedule.target.name, shape.case or "-", str(shape)


def _error(outcome: Outcome) -> str:
    """Why a run is not verified, in words."""
    error: str | None = outcome.error
    if error is not None:
        return error
    from a2agen.cli.simulate import describe

    simulated = cast("Simulated", outcome)
    interleavings = many(simulated.interleavings, "interleaving")
    counts = f"of {interleavings} {simulated.wrong} wrong, {simulated.deadlocks} deadlocked"
    return "\n".join([counts, *(describe(f) for f in simulated.findings[:3])])
