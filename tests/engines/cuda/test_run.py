"""The engine `cuda` as far as no GPU is needed: what ranks are told, what becomes of their answers, and processes that
fail or hang."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from a2agen.engines.cuda import machine as machines
from a2agen.engines.cuda import run as runs
from a2agen.engines.cuda.job import load
from a2agen.engines.cuda.machine import Place, UnavailableError
from a2agen.engines.support import unrunnable
from a2agen.grammar.read import read
from a2agen.passes.check import check

SPEC = "specs/reverse_all2all.a2a"
VALUES = {"W": 2, "S": 8, "H": 2, "D": 16}


@pytest.fixture(scope="module")
def checked():
    return check(read(SPEC))


def schedule_of(checked, name):
    return next(s for s in checked.schedules if s.name == name)


def test_a_job_survives_its_file(checked, tmp_path):
    job = runs.job_of(schedule_of(checked, "direct"), VALUES, tmp_path, 2, launches=5, seed=7)
    job.save(tmp_path / "job.json")
    assert load(tmp_path / "job.json") == job
    assert (job.threads, job.cores, job.capturable, job.launches, job.seed) == (False, None, True, 5, 7)
    assert job.exchange.source.shape(VALUES | {"to": 2}) == (16, 2, 16)


@pytest.mark.parametrize(("ranks", "gpus", "cores"), [(3, 2, 66), (4, 2, 66), (8, 2, 32), (8, 1, 16)])
def test_ranks_that_share_gpus_fit_on_half_of_them(checked, tmp_path, ranks, gpus, cores):
    job = runs.job_of(schedule_of(checked, "direct"), VALUES | {"W": ranks}, tmp_path, gpus)
    assert (job.threads, job.cores) == (True, cores)
    assert -(-ranks // gpus) * cores * 2 <= 264


def test_puts_have_nvshmems_memory_where_a_rank_is_a_process(checked, tmp_path, monkeypatch):
    monkeypatch.delenv("TORCH_SYMMMEM", raising=False)
    put = schedule_of(checked, "put")
    jobs = [runs.job_of(put, VALUES, tmp_path, 2), runs.job_of(put, VALUES | {"W": 3}, tmp_path, 2)]
    assert [(job.threads, job.nvshmem) for job in jobs] == [(False, True), (True, False)]
    assert [runs.memory_of(job) for job in jobs] == [{"TORCH_SYMMMEM": "NVSHMEM"}, {}]
    assert not runs.job_of(schedule_of(checked, "direct"), VALUES, tmp_path, 2).nvshmem
    monkeypatch.setenv("TORCH_SYMMMEM", "CUDA")
    assert runs.memory_of(jobs[0]) == {}


def test_the_heap_holds_what_a_rank_has_at_peers(checked):
    direct = schedule_of(checked, "direct")
    large = {"W": 8, "S": 1024, "H": 16, "D": 7168}
    assert runs.heap_bytes(direct, VALUES) == 64 << 20
    assert runs.heap_bytes(direct, large) > 8 * 1024 * 16 * 7168 * 2


def test_kernels_for_other_machines_are_refused(checked):
    (finding,) = unrunnable(schedule_of(checked, "mte_pipelined"), checked.source, "cuda")
    assert finding.code == "A399"
    assert "ascend910c does not run on the cuda engine" in finding.message
    assert checked.source.text.splitlines()[finding.span.line - 1].strip() == "target ascend910c"
    assert unrunnable(schedule_of(checked, "direct"), checked.source, "cuda") == ()
    assert unrunnable(schedule_of(checked, "mte_pipelined"), checked.source, "cpu") == ()


def result(rank, wrong=(), error=None, **more):
    return {"rank": rank, "wrong": list(wrong), "error": error, **more}


TIMES = {"ours": {"verified": True}, "baseline": {"verified": True}}


@pytest.mark.parametrize(
    ("results", "failure", "error"),
    [
        ([result(0), result(1)], None, None),
        ([result(0), result(1, [1, 2])], None, "rank 1: the output of launch 1, 2 is wrong"),
        ([result(0), result(1, error="boom\n")], "late", "rank 1: boom"),
        ([result(0)], None, "only 1 of 2 ranks gave a result"),
        ([result(0)], "no end", "no end"),
        ([result(0, times=TIMES), result(1)], None, None),
        (
            [result(0, times=TIMES | {"ours": {"verified": False}}), result(1)],
            None,
            "a timed launch gave a wrong output",
        ),
        (
            [result(0, times=TIMES | {"baseline": {"verified": False}}), result(1)],
            None,
            "all_to_all_single and permute gave a wrong output",
        ),
    ],
)
def test_a_run_is_verified_where_every_rank_says_so(checked, tmp_path, results, failure, error):
    job = runs.job_of(schedule_of(checked, "direct"), VALUES, tmp_path, 2)
    outcome = runs.outcome_of(job, results, failure, 1.0)
    assert (outcome.verified, outcome.error) == (error is None, error)


FAKE_WORKER = """
import json, os, sys, time
mode, rank = os.environ["FAKE"], os.environ.get("RANK", "threads")
job = json.load(open(sys.argv[1]))
count = job["values"]["W"] if job["threads"] else 1
if mode == "hang" or (mode == "one" and rank == "0"): time.sleep(60)
if mode == "die" or mode == "one": sys.exit("no luck on " + rank)
found = [{"rank": n if job["threads"] else int(rank), "wrong": [], "error": None} for n in range(count)]
json.dump(found, open(os.path.join(sys.argv[2], rank + ".json"), "w"))
"""


@pytest.fixture
def workers(monkeypatch, tmp_path):
    """Ranks that do as FAKE says, in place of those that need a GPU."""
    path = tmp_path / "fake.py"
    path.write_text(FAKE_WORKER)
    real = runs.subprocess.Popen

    def start(command, **options):
        return real([sys.executable, str(path), *command[3:]], **options)

    monkeypatch.setattr(runs, "subprocess", SimpleNamespace(Popen=start))
    monkeypatch.setattr(runs, "SETTLE_SECONDS", 0.3)
    return lambda mode: monkeypatch.setenv("FAKE", mode)


@pytest.mark.parametrize("ranks", [2, 3])
def test_all_ranks_answer(checked, workers, ranks):
    workers("right")
    outcome = runs.execute(checked, schedule_of(checked, "direct"), VALUES | {"W": ranks}, runs.Machine(2), launches=4)
    assert (outcome.verified, outcome.error, outcome.launches) == (True, None, 4)


@pytest.mark.parametrize(
    ("mode", "seconds", "said"),
    [
        ("hang", 1.0, "no end within 1 s"),
        ("die", 30.0, "2 of 2 ranks ended without a result: no luck on 0"),
        ("one", 30.0, "2 of 2 ranks ended without a result: no luck on 1"),
    ],
)
def test_ranks_that_hang_or_die_are_reported_and_ended(checked, workers, mode, seconds, said):
    workers(mode)
    outcome = runs.execute(checked, schedule_of(checked, "direct"), VALUES, runs.Machine(2, seconds=seconds))
    assert not outcome.verified
    assert said in outcome.error
    assert outcome.seconds < 10


def test_the_place_is_what_torchrun_says():
    assert machines.place({}) is None
    assert machines.place({"RANK": "1", "WORLD_SIZE": "4"}) == Place(1, 4, 4)
    assert machines.place({"RANK": "1", "WORLD_SIZE": "4", "LOCAL_WORLD_SIZE": "2"}) == Place(1, 4, 2)
    with pytest.raises(UnavailableError, match="must be numbers, found x, 4, 4"):
        machines.place({"RANK": "x", "WORLD_SIZE": "4"})


def probe(monkeypatch, printed):
    monkeypatch.setattr(machines.importlib.util, "find_spec", lambda name: object())
    monkeypatch.setattr(machines.subprocess, "run", lambda *a, **k: SimpleNamespace(stdout=printed))


def test_gpus_are_counted(monkeypatch):
    probe(monkeypatch, "a warning\n" + json.dumps({"gpus": 2, "torch": "2.11"}) + "\n")
    assert machines.gpus() == 2


@pytest.mark.parametrize(
    ("printed", "said"),
    [(json.dumps({"gpus": 0, "torch": "2.11"}), "torch 2.11 finds no NVIDIA GPU"), ("", "torch does not start here")],
)
def test_what_is_missing_is_named(monkeypatch, printed, said):
    probe(monkeypatch, printed)
    with pytest.raises(UnavailableError, match=said):
        machines.gpus()


def test_torch_and_triton_are_needed(monkeypatch):
    monkeypatch.setattr(machines.importlib.util, "find_spec", lambda name: None if name == "triton" else object())
    with pytest.raises(UnavailableError, match="needs triton"):
        machines.gpus()


def test_processes_find_the_package(monkeypatch):
    assert (runs.ROOT / "a2agen" / "engines" / "cuda" / "worker.py").is_file()
    assert os.path.samefile(runs.ROOT, Path(__file__).parents[3])
