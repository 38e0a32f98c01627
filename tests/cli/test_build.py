"""`build` as far as it goes without compilers; tests/ascend has the rest."""

from __future__ import annotations

import json

import pytest

from a2agen.engines.ascend_ir import environment
from a2agen.engines.ascend_ir.environment import PINS, SET_UP, SetupError
from a2agen.engines.ptx import environment as ptx

SPEC = "specs/reverse_all2all.a2a"


@pytest.fixture
def _no_compilers(monkeypatch, tmp_path):
    monkeypatch.setenv(environment.VARIABLE, str(tmp_path / "none"))


@pytest.fixture
def compilers(monkeypatch, tmp_path):
    """A folder that passes for the environment, with nothing in it that could run."""
    folder = tmp_path / "there"
    (folder / "bin").mkdir(parents=True)
    (folder / "bin" / "python").touch()
    (folder / "a2agen-stamp.json").write_text(json.dumps({"pins": list(PINS)}))
    monkeypatch.setenv(environment.VARIABLE, str(folder))
    return folder


@pytest.mark.usefixtures("_no_compilers")
def test_missing_compilers_are_named_with_the_command(cli):
    done = cli("build", SPEC)
    assert (done.code, done.out) == (2, "")
    assert SET_UP in done.err
    assert "triton-ascend==3.2.0" in done.err


def test_other_versions_are_not_taken(compilers):
    assert environment.find().folder == compilers
    (compilers / "a2agen-stamp.json").write_text(json.dumps({"pins": ["triton-ascend==3.1.0"]}))
    with pytest.raises(SetupError, match=SET_UP):
        environment.find()


@pytest.mark.usefixtures("compilers")
@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((), "name a SPEC"),
        ((SPEC, "--engine", "ascendc"), "'ascend-ir', 'ptx'"),
        ((SPEC, "--chip", "Ascend910"), "Ascend910B1, Ascend910_9382, Ascend950PR_9589"),
        ((SPEC, "--schedule", "direct"), "for an Ascend target"),
        ((SPEC, "--check"), "--table"),
        (("specs/none.a2a",), "no file"),
    ],
)
def test_wrong_use(cli, arguments, said):
    done = cli("build", *arguments)
    assert (done.code, done.out) == (2, "")
    assert said in done.err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((SPEC, "--engine", "ptx"), "run: a2agen build --engine ptx --setup"),
        (("--engine", "ptx"), "name a SPEC, or --setup"),
    ],
)
def test_missing_triton_is_named_with_the_command(cli, monkeypatch, tmp_path, arguments, said):
    monkeypatch.setenv(ptx.VARIABLE, str(tmp_path / "none"))
    done = cli("build", *arguments)
    assert (done.code, done.out) == (2, "")
    assert said in done.err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((SPEC, "--chip", "sm_80"), "sm_90a"),
        ((SPEC, "--schedule", "mte_pipelined"), "for a target of nvidia"),
        (("specs/udma_relay.a2a",), "for a target of nvidia"),
    ],
)
def test_wrong_use_of_ptx(cli, monkeypatch, tmp_path, arguments, said):
    folder = tmp_path / "there"
    (folder / "bin").mkdir(parents=True)
    (folder / "bin" / "python").touch()
    (folder / "a2agen-stamp.json").write_text(json.dumps({"pins": list(ptx.PINS)}))
    monkeypatch.setenv(ptx.VARIABLE, str(folder))
    done = cli("build", "--engine", "ptx", *arguments)
    assert (done.code, done.out) == (2, "")
    assert said in done.err
