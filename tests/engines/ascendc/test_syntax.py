"""Address spaces: clang's parser takes the kernels, and refuses a pointer into the wrong memory, which g++ does not."""

from __future__ import annotations

import sys

import pytest

from a2agen.engines.ascendc.build import Sources, built
from a2agen.engines.ascendc.syntax import Fault, host_faults, kernel_faults
from a2agen.engines.ascendc.toolchain import ToolError
from tests.engines.ascendc.conftest import HANDWRITTEN

KERNEL, HOST = ((HANDWRITTEN / name).read_text(encoding="utf-8") for name in ("kernel.cpp", "host.cpp"))
SOURCE = "a + peer * slab, buf,"
# The source of a put in the unified buffer, its staging in global memory, a word on chip, and a pointer of no space.
WRONG = {
    "source": (SOURCE, "buf, buf,"),
    "staging": (SOURCE, "a + peer * slab, a,"),
    "word": (
        "aclshmem_uint64_p(word + rank * WORD_STEP",
        "aclshmem_uint64_p(reinterpret_cast<__ubuf__ uint64_t *>(buf)",
    ),
    "plain": ("__gm__ Element *source = a", "Element *source = a"),
}


@pytest.fixture(autouse=True)
def _parser():
    pytest.importorskip("clang.cindex")


def test_the_kernel_and_its_host_program_are_taken():
    assert kernel_faults(KERNEL) == ()
    assert host_faults(HOST, KERNEL) == ()


@pytest.mark.parametrize("name", WRONG)
def test_a_pointer_into_the_wrong_memory_is_refused(name):
    old, new = WRONG[name]
    assert old in KERNEL
    edited = KERNEL.replace(old, new)
    faults = kernel_faults(edited)
    line = 1 + edited[: edited.index(new)].count("\n")
    assert line in {fault.line for fault in faults}, faults
    # g++ has nothing against it.
    assert built(Sources(edited, "kernel.cpp", HOST, "host.cpp")).exists()


def test_errors_and_warnings_have_their_lines():
    assert kernel_faults("int f() {\n  return g();\n}\n") == (Fault(2, "use of undeclared identifier 'g'"),)
    assert kernel_faults("void f() {\n  int unused;\n}\n") == (Fault(2, "unused variable 'unused'"),)
    assert host_faults(HOST.replace("int main(int argc, char **argv)\n{", "int main()\n{"), KERNEL) != ()


def test_no_parser_is_an_error_with_the_way_out(monkeypatch):
    monkeypatch.setitem(sys.modules, "clang", None)
    with pytest.raises(ToolError, match="pip install libclang"):
        kernel_faults(KERNEL)
