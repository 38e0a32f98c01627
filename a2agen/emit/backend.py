"""What a back end is: from the plan of a schedule to the texts of its files."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from a2agen.ir.model import Schedule
from a2agen.ir.plan import Plan
from a2agen.passes.lower.unlowered import Unlowered
from a2agen.source import Source


def refuses_nothing(_: Schedule) -> tuple[Unlowered, ...]:
    return ()


@dataclass(frozen=True, slots=True)
class Backend:
    """A back end under the name that `emit` gives it in a spec.

    `files` prints a plan: texts by the names of files, `manifest.json` among them. It raises for no plan that
    `refuses` lets pass. `refuses` says which parts of a schedule that has a plan cannot be printed yet. `choosing`
    prints plans of one schedule with a launcher that chooses between them; None where none is printed.
    """

    name: str
    files: Callable[[Plan, Source], dict[str, str]]
    refuses: Callable[[Schedule], tuple[Unlowered, ...]] = refuses_nothing
    choosing: Callable[[tuple[Plan, ...], Source], dict[str, str]] | None = None
