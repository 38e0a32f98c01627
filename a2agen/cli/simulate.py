"""`a2agen simulate`: look for races, deadlocks and wrong outputs over many interleavings of a kernel."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from a2agen.cli.app import CLEAN, FOUND
from a2agen.cli.following import followed, then_option
from a2agen.cli.output import format_option, many, show, without_advice
from a2agen.cli.selection import (
    Chosen,
    Shape,
    memory_option,
    must_fit_memory,
    narrowed,
    runnable,
    schedules,
    shape_options,
)
from a2agen.cli.specs import Spec, findings_of, load, must_be_file, sources_of
from a2agen.cli.tools import must_have_tools, tools

if TYPE_CHECKING:
    from a2agen.engines.cpu.run import Outcome, SimFinding
    from a2agen.findings import Finding

_OF_KERNEL = "a2agen simulate --kernel FILE --spec SPEC [--schedule NAME]"


@click.command("simulate", short_help="Look for races, deadlocks and wrong outputs.")
@click.argument("path", metavar="[SPEC]", required=False, type=click.Path())
@click.option("--kernel", type=click.Path(), help="A kernel file, hand-edited perhaps, in place of the compiled one.")
@click.option("--spec", "spec_of_kernel", type=click.Path(), help="The spec that --kernel is for.")
@shape_options
@click.option("--interleavings", type=click.IntRange(1), default=50, show_default=True, help="Orders of the cores.")
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="Seed of the first interleaving.")
@click.option("--cores", type=click.IntRange(1), help="Cores of a launch; few, unless given.")
@click.option("--launches", type=click.IntRange(1), default=3, show_default=True, help="Launches in a row.")
@then_option
@memory_option
@format_option()
def command(
    path: str | None,
    kernel: str | None,
    spec_of_kernel: str | None,
    schedule: str | None,
    case: str | None,
    extents: tuple[str, ...],
    interleavings: int,
    seed: int,
    cores: int | None,
    launches: int,
    then: tuple[str, ...],
    memory: int | None,
    form: str,
) -> int:
    """Search the interleavings of kernels for races, deadlocks and wrong outputs.

    Checks the kernels that SPEC compiles to, or with --kernel and --spec a kernel file. Small shapes are derived
    from the schedule unless --case or -D give one.
    """
    specs = load((_spec_path(path, kernel, spec_of_kernel),))
    faults = without_advice(findings_of(specs))
    if faults:
        _refuse(specs, faults, form)
        return FOUND
    of_spec = schedules(specs, schedule)
    if kernel is not None:
        _must_be_one(of_spec)
    work = narrowed(of_spec, case, extents)
    if then:
        shaped = [(chosen, shape) for chosen, shape in work if shape is not None]
        if not shaped:
            raise click.UsageError("--then changes a shape: give the first one by --case or -D")
        work = [*followed(shaped, then, launches)]
    _, refused = runnable([chosen for chosen, _ in work], "cpu")
    if refused:
        _refuse(specs, refused, form)
        return FOUND
    must_have_tools(c for c, _ in work)
    must_fit_memory(work, memory)
    if cores is not None:
        _must_suit(cores, work)
    outcomes = []
    for chosen, shape in work:
        with tools():
            outcome = _simulate(
                chosen,
                shape,
                kernel=Path(kernel) if kernel else None,
                cores=cores,
                launches=launches,
                interleavings=interleavings,
                seed=seed,
            )
        if outcome.error is not None:
            raise click.ClickException(_at_fault(kernel or chosen.schedule.name, outcome.error))
        outcomes.append((chosen, outcome))
        if form == "text":
            _show(chosen, outcome)
    if form == "json":
        click.echo(_document(outcomes))
    return CLEAN if all(_clean(outcome) for _, outcome in outcomes) else FOUND


def describe(finding: SimFinding) -> str:
    """A finding of the simulator on one line: what, where, and what shows it again."""
    again = f" (at {_setup(finding.shape, finding.cores)}, seed {finding.seed})"
    return f"{finding.kind}: {finding.text}{again}"


def _at_fault(name: str, error: str) -> str:
    """What went wrong, behind the name of what it went wrong with, which an error of a file begins with by itself."""
    return error if error.startswith(f"{name}:") else f"{name}: {error}"


def _setup(values: dict[str, int], cores: int) -> str:
    return f"{' '.join(f'{name}={value}' for name, value in values.items())} with {many(cores, 'core')}"


def _spec_path(path: str | None, kernel: str | None, spec_of_kernel: str | None) -> str:
    if kernel is None:
        if path is None or spec_of_kernel is not None:
            raise click.UsageError(f"name one SPEC, or a kernel by `{_OF_KERNEL}`")
        return path
    if spec_of_kernel is None:
        raise click.UsageError(f"--kernel wants the spec that it is for by --spec: `{_OF_KERNEL}`")
    if path is not None:
        raise click.UsageError(f"a kernel's spec is named by --spec alone, and {path} is one more: `{_OF_KERNEL}`")
    must_be_file(kernel, "the kernel")
    try:
        Path(kernel).read_text(encoding="utf-8")
    except OSError as failure:
        raise click.UsageError(f"can't read {kernel}: {failure.strerror}") from failure
    except UnicodeDecodeError as failure:
        raise click.UsageError(f"can't read {kernel}: it is not UTF-8") from failure
    return spec_of_kernel


def _must_be_one(chosen: list[Chosen]) -> None:
    """Raises `click.UsageError` where a kernel could be that of several schedules."""
    names = list(dict.fromkeys(c.schedule.declared for c in chosen))
    if len(names) > 1:
        raise click.UsageError(f"the spec has schedules {', '.join(names)}: say which by --schedule: `{_OF_KERNEL}`")


def _must_suit(cores: int, work: list[tuple[Chosen, Shape | None]]) -> None:
    """Raises `click.UsageError` where so few cores leave a role without one, which looks like a deadlock, and where a
    launch never has so many."""
    from a2agen.engines.cpu.run import too_few_cores, too_many_cores

    for chosen, shape in work:
        schedule = chosen.schedule
        reason = too_many_cores(schedule, cores) or too_few_cores(schedule, shape.values if shape else None, cores)
        if reason is not None:
            raise click.UsageError(reason)


def _simulate(
    chosen: Chosen,
    shape: Shape | None,
    *,
    kernel: Path | None,
    cores: int | None,
    launches: int,
    interleavings: int,
    seed: int,
) -> Outcome:
    # numpy and the executor
    if chosen.schedule.emit == "ascendc":
        from a2agen.engines.ascendc.run import simulate
    else:
        from a2agen.engines.cpu.run import simulate

    return simulate(
        chosen.checked,
        chosen.schedule,
        shape.values if shape else None,
        kernel=kernel,
        cores=cores,
        launches=launches,
        interleavings=interleavings,
        seed=seed,
        **({"then": shape.then} if shape is not None and shape.then else {}),
    )


def _clean(outcome: Outcome) -> bool:
    return not (outcome.wrong or outcome.deadlocks or outcome.findings)


def _document(results: list[tuple[Chosen, Outcome]]) -> str:
    from a2agen.render.json import document

    findings = [_finding(c, f) for c, outcome in results for f in outcome.findings]
    outcomes = [outcome for _, outcome in results]
    return document(
        interleavings=sum(outcome.interleavings for outcome in outcomes),
        wrong=sum(outcome.wrong for outcome in outcomes),
        deadlocks=sum(outcome.deadlocks for outcome in outcomes),
        findings=findings,
        shapes=[
            {
                **c.record,
                "shape": ran.values,
                **({"then": ran.then} if getattr(ran, "then", ()) else {}),
                "cores": ran.cores,
                "interleavings": ran.interleavings,
            }
            for c, outcome in results
            for ran in outcome.shapes
        ],
    )


def _finding(chosen: Chosen, found: SimFinding) -> dict[str, object]:
    return {
        "kind": found.kind,
        **chosen.record,
        "rank": found.rank,
        "core": found.core,
        "line": found.line,
        "text": found.text,
        "seed": found.seed,
        "shape": found.shape,
        "cores": found.cores,
    }


def _refuse(specs: list[Spec], faults: tuple[Finding, ...], form: str) -> None:
    """Reports a spec that has no kernel to simulate; in JSON its faults are findings of the kind `spec`."""
    if form == "text":
        show(faults, sources_of(specs))
        from a2agen.render.text import summary

        click.echo(f"{summary(faults, len(specs))}; nothing was simulated")
        return
    from a2agen.render.json import document

    nowhere = dict.fromkeys(("exchange", "schedule", "seed", "shape", "cores"))
    findings = [
        {"kind": "spec", "rank": None, "core": None, "line": f.span.line, "text": f"{f.code} {f.message}"} | nowhere
        for f in faults
    ]
    click.echo(document(interleavings=0, wrong=0, deadlocks=0, findings=findings, shapes=[]))


def _show(chosen: Chosen, outcome: Outcome) -> None:
    schedule = chosen.schedule
    name = f"{schedule.exchange.name}/{schedule.name}"
    count = many(outcome.interleavings, "interleaving")
    click.echo(f"{name}: {count}, {_verdict(outcome)}, {outcome.seconds:.1f} s")
    for ran in outcome.shapes:
        click.echo(f"    {ran.interleavings} at {_setup(ran.values, ran.cores)}")
    for finding in outcome.findings:
        click.echo(f"  {describe(finding)}")


def _verdict(outcome: Outcome) -> str:
    if _clean(outcome):
        return "nothing found"
    return f"{many(len(outcome.findings), 'finding')}, {outcome.wrong} wrong, {outcome.deadlocks} deadlocked"
