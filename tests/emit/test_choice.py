"""A launcher that chooses the link, and the model by which it does, against what two H200 took."""

from __future__ import annotations

import ast
import json
from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from types import MappingProxyType

import pytest

from a2agen.ir.model import Schedule
from a2agen.passes.check import check
from a2agen.passes.choice import predictions, ranges, taken, varied
from a2agen.passes.ways import link_of, ways
from a2agen.source import Source
from a2agen.targets.profile import CopyCosts, EngineCosts
from tests.auto_spec import auto_spec
from tests.emit.conftest import Emitted, emit
from tests.emit.test_manifest import built
from tests.runtime.fakes import Ranks, Tensor, launcher

RESULTS = Path(__file__).parents[2] / "benchmarks" / "results" / "nvidia-2xh200.json"
RANKS, HEADS, ITEM = 2, 8, 2
SCHEDULES = {"ldst": "direct", "ce": "copy_engine"}
LAYOUTS = {"combine": ("[(to S) H D]", "[S (from H) D]"), "dispatch": ("[S (to H) D]", "[(from S) H D]")}
TEXTS = {name: auto_spec(name, "chosen", *layouts) for name, layouts in LAYOUTS.items()}


def first_way(name: str) -> Schedule:
    checked = check(Source("s.a2a", TEXTS[name]))
    assert checked.findings == ()
    return checked.schedules[0]


def measured() -> list[tuple[str, dict[str, int], dict[str, float]]]:
    """What was measured: the exchange, the extents, and microseconds of a call in a graph by each link."""
    found = []
    for item, result in json.loads(RESULTS.read_text(encoding="utf-8"))["results"].items():
        words = item.split()
        if words[0] == "times":
            row = result["row"]
            extents = {"W": RANKS, "S": result["bytes"] // row // RANKS, "H": HEADS, "D": row // ITEM // HEADS}
            found.append((words[1], extents, {link: result[s]["graph"][0] for link, s in SCHEDULES.items()}))
    return found


def too_slow(model: Callable[[str, dict[str, int]], str]) -> list[str]:
    """Where what a model takes is more than 5 % and 0.5 us slower than the faster link."""
    slow = []
    for name, extents, took in measured():
        best = min(took.values())
        if took[model(name, extents)] > max(best * 1.05, best + 0.5):
            slow.append(f"{name} {extents}")
    return slow


def by_profile(
    ldst: Callable[[CopyCosts], CopyCosts] = lambda costs: costs, ce: Callable[[EngineCosts], EngineCosts] = lambda c: c
) -> Callable[[str, dict[str, int]], str]:
    """What the model takes by the figures of the profile, or by changed ones."""
    schedules = {}
    for name in LAYOUTS:
        way = first_way(name)
        links = dict(way.target.links)
        costs, engine = links["ldst"].costs, links["ce"].engine_costs
        assert costs is not None
        assert engine is not None
        links["ldst"] = replace(links["ldst"], costs=ldst(costs))
        links["ce"] = replace(links["ce"], engine_costs=ce(engine))
        schedules[name] = replace(way, target=replace(way.target, links=MappingProxyType(links)))
    return lambda name, extents: taken(schedules[name], extents).link


def test_the_sweep_has_both_links_as_the_best_in_both_directions():
    found = measured()
    assert len(found) == 36
    for name in LAYOUTS:
        assert {min(took, key=lambda link: took[link]) for n, _, took in found if n == name} == {"ldst", "ce"}


def test_what_is_taken_is_within_5_percent_of_the_best_at_every_size():
    assert too_slow(by_profile()) == []


@pytest.mark.parametrize(
    "model",
    [
        lambda name, extents: "ldst",
        lambda name, extents: "ce",
        by_profile(ce=lambda costs: replace(costs, start_ns=0)),
        by_profile(ce=lambda costs: replace(costs, rate=350_000)),
        by_profile(ldst=lambda costs: replace(costs, rate=300_000)),
        by_profile(ldst=lambda costs: replace(costs, start_ns=40_000)),
    ],
)
def test_wrong_figures_take_the_slower_link_somewhere(model):
    assert too_slow(model)


@pytest.mark.parametrize("name", list(LAYOUTS))
def test_the_predictions_are_of_the_size_of_what_was_measured(name):
    """From 16 MiB on, where a call takes more than what varies from run to run."""
    schedule = first_way(name)
    compared = 0
    for exchange, extents, took in measured():
        if exchange == name and extents["W"] * extents["S"] * extents["H"] * extents["D"] * ITEM >= 16 << 20:
            for link, predicted in predictions(schedule, extents).items():
                assert predicted.us == pytest.approx(took[link], rel=0.10), (extents, link)
                compared += 1
    assert compared >= 14


@pytest.mark.parametrize("name", list(LAYOUTS))
def test_the_launcher_predicts_what_the_plan_says(name):
    one = emit(TEXTS[name])
    with launcher(one.files["launcher.py"], [kernel.name for kernel in one.kernels], []) as made:
        for ranks in (2, 3, 8):
            for shape in ((1, 1, 1), (13, 2, 24), (4096, 8, 512), (16384, 1, 4096)):
                dims = dict(zip("SHD", shape, strict=True))
                wanted = {link: at.us for link, at in predictions(one.schedule, {"W": ranks, **dims}).items()}
                assert made.times(ranks, **dims) == pytest.approx(wanted)


@pytest.mark.parametrize(
    ("name", "others"),
    [
        ("combine", {"W": 8, "H": 8, "D": 1024}),
        ("dispatch", {"W": 2, "H": 8, "D": 512}),
        ("combine", {"W": 3, "H": 2, "D": 24}),
    ],
)
def test_each_size_is_in_one_range_with_what_is_taken_there(name, others):
    schedule = first_way(name)
    assert varied(schedule) == "S"
    found = ranges(schedule, others)
    assert len(found) >= 2
    assert all(one.last + 1 == other.first for one, other in pairwise(found))
    assert (found[0].first, found[-1].last) == (1, min(1 << 20, 2**30 // (others["W"] * others["H"] * others["D"])))
    for at in found:
        for size in {at.first, at.last, (at.first + at.last) // 2, *range(at.first, min(at.last, at.first + 40) + 1)}:
            here = taken(schedule, {**others, "S": size})
            assert here.choice == at.taken.choice
            assert min(p.us for p in at.links[0]) <= here.us <= max(p.us for p in at.links[0])


def operator_at(one: Emitted, ranks: Ranks, **dims: int):
    with launcher(one.files["launcher.py"], [kernel.name for kernel in one.kernels], ranks.log) as made:
        return made(ranks, **dims)


@pytest.mark.parametrize("rows", [1, 64, 5000])
def test_an_operator_has_the_tile_and_the_programs_that_the_plan_says(rows):
    ranks = Ranks(2)
    operator = operator_at(emit(TEXTS["combine"]), ranks, S=rows, H=8, D=512)
    told = taken(first_way("combine"), {"W": 2, "S": rows, "H": 8, "D": 512})
    assert told.link == operator.link == "ldst"
    assert (told.programs, told.tile) == (operator._cores, tuple(operator._tile))
    operator.close()


@pytest.mark.parametrize(("rows", "link", "kernels"), [(64, "ldst", 1), (65536, "ce", 2)])
def test_an_operator_goes_by_the_faster_link(rows, link, kernels):
    one = emit(TEXTS["combine"])
    ranks = Ranks(2)
    operator = operator_at(one, ranks, S=rows, H=8, D=512)
    assert operator.link == link
    ranks.log.clear()
    operator(Tensor((2 * rows, 8, 512), "torch.bfloat16", address=1 << 40))
    assert sum(entry[0] == "launch" for entry in ranks.log) == kernels
    operator.close()
    assert len(ranks.freed) == len(ranks.allocated)


@pytest.mark.parametrize(
    ("dims", "message"),
    [
        ({"S": 0, "H": 8, "D": 512}, r"S must be an integer in 1\.\.1048576, found 0"),
        ({"S": "x", "H": 8, "D": 512}, "S must be an integer"),
        ({"S": 1048576, "H": 64, "D": 512}, r"W \* S \* H \* D"),
    ],
)
def test_extents_outside_the_bounds_are_refused_before_anything_is_allocated(dims, message):
    ranks = Ranks(2)
    with pytest.raises(ValueError, match=message):
        operator_at(emit(TEXTS["combine"]), ranks, **dims)
    assert ranks.allocated == []


def test_a_schedule_is_there_once_for_each_link_and_compiled_once():
    one = emit(TEXTS["combine"])
    found = ways(one.schedule)
    assert [(way.name, way.declared, link_of(way).name) for way in found] == [
        ("chosen_ldst", "chosen", "ldst"),
        ("chosen_ce", "chosen", "ce"),
    ]
    assert [way.phases[0].role.cores for way in found] == ["all", "host"]
    assert [ways(way) for way in found] == [found, found]
    assert [kernel.name for kernel in one.kernels] == [
        "combine_chosen_ldst",
        "combine_chosen_ce_entry",
        "combine_chosen_ce_exit",
    ]
    told = json.loads(one.files["manifest.json"])
    assert (told["schedule"], list(told["links"])) == ("chosen", ["ldst", "ce"])


def test_the_launch_of_a_link_is_that_of_a_schedule_that_names_it():
    """Choosing changes what a kernel is called, and nothing of what it does."""
    one = emit(TEXTS["combine"])
    for way, role in zip(ways(one.schedule), ("all", "host"), strict=True):
        link = link_of(way).name
        text = TEXTS["combine"].replace("link  auto", f"link {link}").replace("mover : all", f"mover : {role}")
        named = emit(text.replace("schedule chosen", f"schedule chosen_{link}"))
        assert named.schedule.phases == way.phases
        for kernel in named.kernels:
            body = next(k for k in one.kernels if k.name == kernel.name)
            assert ast.dump(body) == ast.dump(kernel)
        operator = built(Emitted(way, one.files), {"W": 3, "S": 7, "H": 2, "D": 5}, Ranks(3))
        assert operator.cores == json.loads(named.files["manifest.json"])["cores"]
