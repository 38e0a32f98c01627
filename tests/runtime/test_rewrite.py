"""A kernel's text with the table of peers: first among the parameters, last in each call of the stand-in, and no other
character changed."""

from __future__ import annotations

import ast
from pathlib import Path
from types import ModuleType

import pytest

from a2agen.runtime.standin.rewrite import PEERS, UnknownCallError, with_peers

KERNELS = sorted(Path(__file__).parents[2].glob("generated/*/direct/kernel.py"))


def standin(*members: str) -> ModuleType:
    module = ModuleType("a2agen.runtime.standin.language")
    for member in members:
        setattr(module, member, object())
    return module


NAMES = {"dl": standin("wait", "notify", "symm_at", "consume_token"), "tl": ModuleType("triton.language")}


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("def k(A, n):\n    x = dl.wait(A, 1)\n", "def k(P, A, n):\n    x = dl.wait(A, 1, peers=P)\n"),
        (
            "def k(A):\n    dl.notify(\n        A,\n        1,\n    )\n",
            "def k(P, A):\n    dl.notify(\n        A,\n        1,\n    peers=P)\n",
        ),
        ("def k(A):\n    dl.notify(A\n    )\n", "def k(P, A):\n    dl.notify(A\n    , peers=P)\n"),
        ("def k(A):\n    dl.wait()\n", "def k(P, A):\n    dl.wait(peers=P)\n"),
        (
            "def k(A):\n    x = dl.symm_at(dl.symm_at(A, 1), 2) + 1\n",
            "def k(P, A):\n    x = dl.symm_at(dl.symm_at(A, 1, peers=P), 2, peers=P) + 1\n",
        ),
        # Columns of the syntax tree are bytes.
        ("def k(A):\n    x = 'äö'; dl.wait(A, 'ü')\n", "def k(P, A):\n    x = 'äö'; dl.wait(A, 'ü', peers=P)\n"),
        # Others than the stand-in's are left alone, whatever they are called.
        (
            "def k(A):\n    tl.wait(A)\n    wait(A)\n    x.dl.wait(A)\n",
            "def k(P, A):\n    tl.wait(A)\n    wait(A)\n    x.dl.wait(A)\n",
        ),
        ("def k(\n    A,  # the first\n):\n    pass\n", "def k(\n    P, A,  # the first\n):\n    pass\n"),
    ],
)
def test_what_becomes_of_a_text(text, wanted):
    assert with_peers(text, NAMES) == wanted.replace("P,", f"{PEERS},").replace("=P", f"={PEERS}")


def test_decorators_go_and_their_lines_stay():
    text = "    @triton_dist.jit(\n        x=1)\n    def k(A):\n        pass\n"
    assert with_peers(text, NAMES) == f"\n\ndef k({PEERS}, A):\n    pass\n"


@pytest.mark.parametrize("path", KERNELS, ids=lambda path: path.parts[-3])
def test_kernels_that_are_emitted(path):
    """Nothing goes but the decorator; what comes is the argument, once for each call; every line stays where it is."""
    whole = path.read_text(encoding="utf-8")
    (function,) = (node for node in ast.parse(whole).body if isinstance(node, ast.FunctionDef))
    first = function.decorator_list[0].lineno - 1
    text = "".join(whole.splitlines(keepends=True)[first:])
    found = with_peers(text, NAMES)
    calls = [n for n in ast.walk(function) if isinstance(n, ast.Call) and ast.unparse(n.func).startswith("dl.")]
    assert len(calls) > 5
    assert found.count(f"peers={PEERS}") == len(calls)
    assert found.count("\n") == text.count("\n")
    assert ast.parse(found)
    undone = found.replace(f"{PEERS}, ", "", 1).replace(f", peers={PEERS}", "")
    assert undone == text.replace(text.splitlines()[0], "", 1)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("def k(A):\n    dl.getmem(A)\n", "the stand-in for triton_dist has no dl.getmem"),
        ("def k():\n    pass\n", "k has no parameters that the stand-in knows how to extend"),
        ("def k(A, /, n):\n    pass\n", "k has no parameters that the stand-in knows how to extend"),
        ("def k(*, A):\n    pass\n", "k has no parameters that the stand-in knows how to extend"),
    ],
)
def test_what_cannot_be_rewritten(text, said):
    with pytest.raises(UnknownCallError, match=said):
        with_peers(text, NAMES)
