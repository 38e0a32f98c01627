"""`a2agen build`: take kernels through a target's own compilers, without a device."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from a2agen.cli.app import CLEAN, FOUND
from a2agen.cli.output import show, without_advice
from a2agen.cli.selection import Chosen, runnable, schedules
from a2agen.cli.specs import findings_of, load, sources_of
from a2agen.cli.tree import Tree, WriteError

if TYPE_CHECKING:
    from a2agen.engines.ascend_ir.build import Built
    from a2agen.engines.ascend_ir.compilers import StandIn
    from a2agen.engines.ascend_ir.environment import Environment

ENGINES = ("ascend-ir",)


@dataclass(frozen=True, slots=True)
class Options:
    """Where the results go: stages to `keep`, the table to `table` or, with `check`, compared with it."""

    keep: Path | None
    table: Path | None
    check: bool


@click.command("build", short_help="Take kernels through Ascend's compilers.")
@click.argument("paths", metavar="[SPEC...]", nargs=-1, type=click.Path())
@click.option("--engine", type=click.Choice(ENGINES), default="ascend-ir", show_default=True, help="The compilers.")
@click.option("--setup", is_flag=True, help="Install the compilers in .venv-ascend first, unless they are there.")
@click.option("--schedule", metavar="NAME", help="Only this schedule.")
@click.option(
    "--chip", "wanted", metavar="CHIP", multiple=True, help="Only this chip; by default those of all profiles."
)
@click.option("--keep", type=click.Path(), help="Folder to write each kernel's stages to.")
@click.option("--table", type=click.Path(), help="Markdown file to write the results to.")
@click.option("--check", "only_check", is_flag=True, help="Do not write the table; fail where it is out of date.")
@click.option("--format", "form", type=click.Choice(("text", "json")), default="text", show_default=True)
def command(
    paths: tuple[str, ...],
    engine: str,
    setup: bool,
    schedule: str | None,
    wanted: tuple[str, ...],
    keep: str | None,
    table: str | None,
    only_check: bool,
    form: str,
) -> int:
    """Take the kernels of specs through the compilers of Ascend down to final HIVM, without a device.

    A kernel passes when the compilers accept it, final HIVM still has every wait, notify, copy, loop and barrier of its
    plan, and the planned on-chip memory is what was predicted. Schedules for other vendors are left out.
    """
    if not paths and not setup:
        raise click.UsageError("name a SPEC, or --setup")
    if only_check and table is None:
        raise click.UsageError("--check compares with a table; name it by --table")
    environment = _environment(setup)
    if not paths:
        return CLEAN
    specs = load(paths)
    sound = [spec for spec in specs if not spec.fails]
    chosen, refused = runnable(_of_ascend(schedules(sound, schedule)), engine) if sound else ([], ())
    chips = _chips(wanted)
    findings = without_advice((*findings_of(specs), *refused))
    if findings and form == "text":
        show(findings, sources_of(specs))
    builds = []
    options = Options(None if keep is None else Path(keep), None if table is None else Path(table), only_check)
    for built in _builds(chosen, chips, environment):
        builds.append(built)
        if options.keep is not None:
            _write_stages(built, options.keep)
        if form == "text":
            _show(built)
    if form == "json":
        from a2agen.render.json import document, records

        click.echo(document(builds=[_record(b) for b in builds], findings=records(findings)))
    elif builds:
        _close(builds)
    code = _tabulate(builds, options, form) if not findings else FOUND
    return FOUND if any(b.faults for b in builds) else code


def _environment(setup: bool) -> Environment:
    from a2agen.engines.ascend_ir.environment import SetupError, find, set_up

    try:
        return set_up(lambda step: click.echo(step, err=True)) if setup else find()
    except SetupError as missing:
        raise click.ClickException(str(missing)) from missing


def _of_ascend(chosen: list[Chosen]) -> list[Chosen]:
    found = [c for c in chosen if c.schedule.target.vendor == "ascend"]
    if not found:
        raise click.UsageError("no schedule named is for an Ascend target")
    return found


def _chips(wanted: tuple[str, ...]) -> tuple[str, ...]:
    from a2agen.engines.ascend_ir.build import chips

    for chip in wanted:
        if chip not in chips():
            raise click.UsageError(f"no profile has a chip {chip}; there are {', '.join(chips())}")
    return tuple(dict.fromkeys(wanted)) or chips()


def _builds(chosen: list[Chosen], chips: tuple[str, ...], environment: Environment) -> Iterator[Built]:
    from a2agen.engines.ascend_ir.build import build, forms
    from a2agen.engines.ascend_ir.compilers import Compilers

    with Compilers(environment) as compilers:
        for c in chosen:
            for chip in chips:
                for form in forms(chip):
                    yield build(c.schedule, c.checked.source, chip, form, compilers)


def _show(built: Built) -> None:
    name = f"{built.schedule.exchange.name}/{built.schedule.name}"
    verdict = "WRONG" if built.faults else f"{built.ub_bytes} bytes on chip"
    click.echo(f"{name}  {built.chip}  {_real(built.form)}  {verdict}  {built.answer.seconds:.2f} s")
    for fault in built.faults:
        click.echo("    " + fault.replace("\n", "\n    "))


def _real(form: StandIn) -> str:
    from a2agen.engines.ascend_ir.table import FORMS

    return f"real operations: {FORMS[form]}"


def _close(builds: list[Built]) -> None:
    wrong = sum(bool(b.faults) for b in builds)
    verdict = "all down to final HIVM with every operation of the plan" if not wrong else f"{wrong} wrong"
    seconds = sum(b.answer.seconds for b in builds)
    click.echo(f"{len(builds)} build{'' if len(builds) == 1 else 's'}, {verdict}, {seconds:.1f} s")


def _record(built: Built) -> dict[str, object]:
    return {
        "exchange": built.schedule.exchange.name,
        "schedule": built.schedule.name,
        "target": built.schedule.target.name,
        "chip": built.chip,
        "real": built.form,
        "ub_bytes": built.ub_bytes,
        "predicted_bytes": built.predicted_bytes,
        "operations": built.operations,
        "symbols": built.symbols,
        "seconds": round(built.answer.seconds, 3),
        "faults": list(built.faults),
    }


def _write_stages(built: Built, folder: Path) -> None:
    path = folder / built.schedule.exchange.name / built.schedule.name / built.chip / built.form
    try:
        path.mkdir(parents=True, exist_ok=True)
        for stage, text in built.answer.texts.items():
            (path / f"{stage}.mlir").write_text(text, encoding="utf-8")
    except OSError as failure:
        raise click.ClickException(f"can't write {failure.filename}: {failure.strerror}") from failure


def _tabulate(builds: list[Built], options: Options, form: str) -> int:
    """Writes the table, or compares with it."""
    if options.table is None or any(b.faults for b in builds):
        return CLEAN
    from a2agen.engines.ascend_ir.table import markdown

    path = options.table
    tree = Tree(path.parent, {".": ""}, {path.name: markdown(builds)})
    if options.check:
        try:
            fresh = path.read_text(encoding="utf-8") == tree.files[path.name]
        except (OSError, UnicodeDecodeError):
            fresh = False
        if not fresh and form == "text":
            click.echo(f"{path}: out of date; run the same command without --check")
        return CLEAN if fresh else FOUND
    try:
        written = tree.write()
    except WriteError as failure:
        raise click.ClickException(str(failure)) from failure
    if written and form == "text":
        click.echo(f"wrote {path}")
    return CLEAN
