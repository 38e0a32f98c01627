"""`a2agen compile`: write the generated files of specs, or check that they are up to date."""

from __future__ import annotations

import os
import shlex
from pathlib import Path

import click

from a2agen.cli.app import CLEAN, FOUND
from a2agen.cli.output import many, show, without_advice
from a2agen.cli.selection import no_schedule
from a2agen.cli.specs import Spec, findings_of, load, sources_of, specs_argument
from a2agen.cli.tree import Drift, Tree, WriteError
from a2agen.findings import Finding, Severity, fails
from a2agen.source import OUTPUT, Source


@click.command("compile", short_help="Write kernels, launchers and manifests.")
@specs_argument
@click.option("-o", "--output", default=OUTPUT, show_default=True, type=click.Path(), help="Folder to write to.")
@click.option("--check", "only_check", is_flag=True, help="Write nothing; fail on stale, missing or extra files.")
def command(paths: tuple[str, ...], output: str, only_check: bool) -> int:
    """Compile specs to kernels, launchers and manifests.

    Files are written only when no spec has an error, and only where their text changes.
    """
    specs = load(paths)
    made, emission = _compile(specs, output)
    findings = without_advice((*findings_of(specs), *emission))
    show(findings, sources_of(specs))
    if any(f.severity is Severity.ERROR for f in findings):
        _close(findings, specs, "nothing was checked" if only_check else "nothing was written")
        return FOUND
    tree = Tree(Path(output), _owners(made), {path: text for files in made.values() for path, text in files.items()})
    if not any(spec.checked and spec.checked.schedules for spec in specs):
        click.echo(f"{no_schedule(spec.path for spec in specs)}: there is nothing to compile")
    code = _check(tree) if only_check else _write(tree)
    return FOUND if fails(findings) else code


def _compile(specs: list[Spec], output: str) -> tuple[dict[str, dict[str, str]], tuple[Finding, ...]]:
    """The generated files by spec, and what the back ends have to say, for the specs without errors."""
    from a2agen.emit.compile import compile_spec

    made: dict[str, dict[str, str]] = {}
    findings: list[Finding] = []
    for spec in specs:
        if spec.checked is None or spec.source is None or spec.has_errors:
            continue
        folder = Path(output).absolute().name or output
        shown = Source(_seen_from_output(spec.path, output), spec.source.text, folder)
        made[spec.path], found = compile_spec(spec.checked, shown)
        findings += sorted(found, key=lambda f: f.sort_key)
    return made, tuple(findings)


def _seen_from_output(spec: str, output: str) -> str:
    """A spec's path from the folder that holds the output folder: the same from wherever the command is run."""
    try:
        return Path(os.path.relpath(spec, Path(output).absolute().parent)).as_posix()
    except ValueError:  # on another drive
        return Path(spec).absolute().as_posix()


def _owners(made: dict[str, dict[str, str]]) -> dict[str, str]:
    """The spec of each folder `<exchange>/<schedule>`; raises `click.UsageError` when two specs make one folder."""
    owners: dict[str, str] = {}
    for spec, files in made.items():
        for folder in sorted({str(Path(file).parent) for file in files}):
            other = owners.setdefault(folder, spec)
            if other != spec:
                raise click.UsageError(
                    f"{other} and {spec} both make the folder {folder}; rename the exchange or the schedule in one"
                )
    return owners


def _close(findings: tuple[Finding, ...], specs: list[Spec], outcome: str) -> None:
    from a2agen.render.text import summary

    click.echo(f"{summary(findings, len(specs))}; {outcome}")


def _write(tree: Tree) -> int:
    try:
        written = tree.write()
    except WriteError as failure:
        raise click.ClickException(str(failure)) from failure
    for path in written:
        click.echo(f"wrote {path}")
    click.echo(f"{_schedules(tree)}: {many(len(written), 'file')} written, {len(tree.files) - len(written)} unchanged")
    return CLEAN


def _check(tree: Tree) -> int:
    drifts = tree.drifts()
    for drift in drifts:
        click.echo(f"{drift.path}: {_describe(drift, tree)}")
    if drifts:
        click.echo(f"{_schedules(tree)}: {many(len(drifts), 'file is', 'files are')} not what the specs make")
        return FOUND
    click.echo(f"{_schedules(tree)}: {many(len(tree.files), 'file')} up to date")
    return CLEAN


def _schedules(tree: Tree) -> str:
    return many(len(tree.owners), "schedule")


def _describe(drift: Drift, tree: Tree) -> str:
    if drift.spec is None:
        remove = "rm -r" if drift.path.is_dir() else "rm"
        return f"extra, no given spec makes it; run: {remove} {shlex.quote(str(drift.path))}"
    command = shlex.join(["a2agen", "compile", drift.spec, "-o", str(tree.root)])
    state = "missing" if drift.missing else f"stale, not what {drift.spec} makes"
    return f"{state}; run: {command}"
