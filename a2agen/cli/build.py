"""`a2agen build`: take kernels through a target's own compilers, without a device."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from a2agen.cli.app import CLEAN, FOUND
from a2agen.cli.output import format_option, show, without_advice
from a2agen.cli.selection import Chosen, runnable, schedules
from a2agen.cli.specs import findings_of, load, sources_of
from a2agen.cli.tree import Tree, WriteError

if TYPE_CHECKING:
    from a2agen.cli.building import Builder

ENGINES = ("ascend-ir", "ptx")


@dataclass(frozen=True, slots=True)
class Options:
    """Where the results go: stages to `keep`, the table to `table` or, with `check`, compared with it."""

    keep: Path | None
    table: Path | None
    check: bool


@click.command("build", short_help="Take kernels through a target's own compilers.")
@click.argument("paths", metavar="[SPEC...]", nargs=-1, type=click.Path())
@click.option("--engine", type=click.Choice(ENGINES), default="ascend-ir", show_default=True, help="The compilers.")
@click.option(
    "--setup", is_flag=True, help="Install the compilers in .venv-ascend or .venv-nvidia first, unless they are there."
)
@click.option("--schedule", metavar="NAME", help="Only this schedule.")
@click.option(
    "--chip", "wanted", metavar="CHIP", multiple=True, help="Only this chip; by default those of all profiles."
)
@click.option("--keep", type=click.Path(), help="Folder to write each kernel's stages to.")
@click.option("--table", type=click.Path(), help="Markdown file to write the results to.")
@click.option("--check", "only_check", is_flag=True, help="Do not write the table; fail where it is out of date.")
@format_option()
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
    """Take the kernels of specs through the compilers of their vendor, without a device.

    With ascend-ir to final HIVM: a kernel passes when the compilers accept it, final HIVM still has every wait, notify,
    copy, loop and barrier of its plan, and the planned on-chip memory is what was predicted.

    With ptx to machine code for NVIDIA, for the tiles that the launcher chooses at a few shapes: a kernel passes when
    every operation of its plan is there and in order, of system scope, as wide as the shape allows, without spills, and
    when all programs that the launcher starts run at the same time.

    Schedules for other vendors are left out.
    """
    if not paths and not setup:
        raise click.UsageError("name a SPEC, or --setup")
    if only_check and table is None:
        raise click.UsageError("--check compares with a table; name it by --table")
    builder = _builder(engine, setup)
    if not paths:
        return CLEAN
    specs = load(paths)
    sound = [spec for spec in specs if not spec.fails]
    chosen, refused = runnable(_of_vendor(schedules(sound, schedule), builder), engine) if sound else ([], ())
    chips = _chips(wanted, builder)
    findings = without_advice((*findings_of(specs), *refused))
    if findings and form == "text":
        show(findings, sources_of(specs))
    options = Options(None if keep is None else Path(keep), None if table is None else Path(table), only_check)
    left_out = {_name(c): why for c in chosen if (why := builder.left_out(c)) is not None}
    builds: list[Any] = []
    for built in builder.builds([c for c in chosen if _name(c) not in left_out], chips):
        builds.append(built)
        if options.keep is not None:
            _write_stages(builder, built, options.keep)
        if form == "text":
            click.echo(builder.line(built))
            for fault in builder.faults(built):
                click.echo("    " + fault.replace("\n", "\n    "))
    if form == "json":
        from a2agen.render.json import document, records

        records_of = [builder.record(b) for b in builds]
        click.echo(document(builds=records_of, left_out=left_out, findings=records(findings)))
    else:
        for name, why in left_out.items():
            click.echo(f"{name}  left out: {why}")
        if builds:
            _close(builder, builds)
    code = _tabulate(builder, builds, options, form) if not findings else FOUND
    return FOUND if any(map(builder.faults, builds)) else code


def _builder(engine: str, setup: bool) -> Builder[Any]:
    from a2agen.engines.venvs import SetupError

    builder: Builder[Any]
    if engine == "ptx":
        from a2agen.cli.build_ptx import PtxBuilder

        builder = PtxBuilder()
    else:
        from a2agen.cli.build_ascend import AscendBuilder

        builder = AscendBuilder()
    try:
        builder.prepare((lambda step: click.echo(step, err=True)) if setup else None)
    except SetupError as missing:
        raise click.ClickException(str(missing)) from missing
    return builder


def _of_vendor(chosen: list[Chosen], builder: Builder[Any]) -> list[Chosen]:
    found = [c for c in chosen if c.schedule.target.vendor == builder.vendor]
    if not found:
        raise click.UsageError(f"no schedule named is for {builder.of_vendor}")
    return found


def _name(chosen: Chosen) -> str:
    return f"{chosen.schedule.exchange.name}/{chosen.schedule.name}"


def _chips(wanted: tuple[str, ...], builder: Builder[Any]) -> tuple[str, ...]:
    chips = builder.chips()
    for chip in wanted:
        if chip not in chips:
            raise click.UsageError(f"no profile has a chip {chip}; there are {', '.join(chips)}")
    return tuple(dict.fromkeys(wanted)) or chips


def _close(builder: Builder[Any], builds: list[Any]) -> None:
    wrong = sum(bool(builder.faults(b)) for b in builds)
    verdict = f"{wrong} wrong" if wrong else builder.closing
    seconds = sum(map(builder.seconds, builds))
    click.echo(f"{len(builds)} build{'' if len(builds) == 1 else 's'}, {verdict}, {seconds:.1f} s")


def _write_stages(builder: Builder[Any], built: Any, folder: Path) -> None:
    folders, texts = builder.stages(built)
    path = folder.joinpath(*folders)
    try:
        path.mkdir(parents=True, exist_ok=True)
        for name, text in texts.items():
            (path / name).write_text(text, encoding="utf-8")
    except OSError as failure:
        raise click.ClickException(f"can't write {failure.filename}: {failure.strerror}") from failure


def _tabulate(builder: Builder[Any], builds: list[Any], options: Options, form: str) -> int:
    """Writes the table, or compares with it."""
    if options.table is None or any(map(builder.faults, builds)):
        return CLEAN
    path = options.table
    tree = Tree(path.parent, {".": ""}, {path.name: builder.table(builds)})
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
