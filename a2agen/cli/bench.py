"""`a2agen bench`: time generated kernels on devices, against what a user would take instead."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from a2agen.cli.app import CLEAN, FOUND
from a2agen.cli.gpus import machine_for, speaks
from a2agen.cli.output import format_option, show, without_advice
from a2agen.cli.selection import Chosen, Shape, runnable, schedules, shape_options, shapes
from a2agen.cli.specs import findings_of, load, sources_of, specs_argument

if TYPE_CHECKING:
    from collections.abc import Iterator

    from a2agen.engines.cuda.run import Machine, Outcome

WAYS = ("eager", "graph")


@click.command("bench", short_help="Time kernels on GPUs, verified bit for bit.")
@specs_argument
@shape_options
@click.option("--engine", type=click.Choice(("cuda", "cpu")), default="cuda", show_default=True, help="What runs it.")
@click.option(
    "--batches", type=click.IntRange(3), default=13, show_default=True, help="Batches of launches that are timed."
)
@format_option()
def command(
    paths: tuple[str, ...],
    schedule: str | None,
    case: str | None,
    extents: tuple[str, ...],
    engine: str,
    batches: int,
    form: str,
) -> int:
    """Time the kernels of specs against all_to_all_single and a permute, one rank a GPU.

    Times are microseconds of a call, the slower rank's, over batches of launches: one after the other on a stream, and
    as a CUDA graph. Results are compared bit for bit before and after.
    """
    if engine == "cpu":
        raise click.UsageError("the cpu engine simulates, and simulated time is no speed: take --engine cuda")
    specs = load(paths)
    sound = [spec for spec in specs if not spec.fails]
    chosen, refused = runnable(schedules(sound, schedule), engine) if sound else ([], ())
    work = shapes(chosen, case, extents) if chosen else []
    machine = machine_for(work, shared=False) if work else None
    findings = without_advice((*findings_of(specs), *refused))
    speaking = speaks(machine)
    if findings and form == "text" and speaking:
        show(findings, sources_of(specs))
    results = [(c, s, _measure(c, s, machine, batches)) for c, s in work] if machine is not None else []
    if speaking and form == "json":
        from a2agen.render.json import document, records

        click.echo(document(results=[_record(*result) for result in results], findings=records(findings)))
    elif speaking:
        _report(results)
        if findings:
            from a2agen.render.text import summary

            click.echo(f"{summary(findings, len(specs))}; what is at fault was not timed")
    return CLEAN if not findings and all(outcome.verified for _, _, outcome in results) else FOUND


def _measure(chosen: Chosen, shape: Shape, machine: Machine, batches: int) -> Outcome:
    from a2agen.engines.cuda.run import execute

    return execute(chosen.checked, chosen.schedule, shape.values, machine, batches=batches)


def _record(chosen: Chosen, shape: Shape, outcome: Outcome) -> dict[str, object]:
    times = outcome.times or {}
    return {
        "spec": chosen.spec.path,
        **chosen.record,
        "target": chosen.schedule.target.name,
        "case": shape.case,
        "values": shape.values,
        "engine": "cuda",
        "verified": outcome.verified,
        "bytes": times.get("bytes"),
        "ours": _times(times.get("ours")),
        "baseline": _times(times.get("baseline")),
        "environment": times.get("environment"),
        "seconds": round(outcome.seconds, 3),
        "error": outcome.error,
    }


def _times(found: dict[str, Any] | None) -> dict[str, object] | None:
    """Microseconds by their names; a way in which nothing was timed is null."""
    if found is None:
        return None
    names = ("median", "min", "max")
    return {way: found[way] and dict(zip(names, found[way], strict=True)) for way in WAYS}


def _report(results: list[tuple[Chosen, Shape, Outcome]]) -> None:
    """Prints a table of times, and what went wrong."""
    from a2agen.passes.columns import columns

    rows = [("schedule", "shape", "bytes", "", "median us", "min", "max", "nccl + permute", "times faster")]
    for chosen, shape, outcome in results:
        if outcome.verified and outcome.times is not None:
            rows += [(_name(chosen), str(shape), *cells) for cells in _cells(outcome.times)]
    if len(rows) > 1:
        click.echo("\n".join(columns(rows)))
    for chosen, shape, outcome in results:
        if not outcome.verified:
            click.echo(f"{_name(chosen)}  {shape}  not verified")
            click.echo("    " + (outcome.error or "").replace("\n", "\n    "))


def _cells(times: dict[str, Any]) -> Iterator[tuple[str, str, str, str, str, str, str]]:
    """The cells of each way in which something was timed; there is no graph of a launch that waits on the host."""
    for way in WAYS:
        ours, baseline = times["ours"][way], times["baseline"][way]
        if ours is not None:
            median, least, most = (f"{x:.1f}" for x in ours)
            yield str(times["bytes"]), way, median, least, most, f"{baseline[0]:.1f}", f"{baseline[0] / ours[0]:.2f}"


def _name(chosen: Chosen) -> str:
    return f"{chosen.schedule.exchange.name}/{chosen.schedule.name}"
