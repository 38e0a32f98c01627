"""Final HIVM, read: both forms of loops, and whose operations they are."""

from __future__ import annotations

import pytest

from a2agen.engines.ascend_ir.custom import MarkError, with_operations
from a2agen.engines.ascend_ir.hivm import read

STRUCTURED = """\
module {
  func.func private @aclshmem_int64_p(memref<?xi64>, i64, i32)
  func.func @kernel(%arg0: i64) {
    scf.for %i = %c0 to %c1 step %c1  : i32 {
      %1 = scf.while (%arg1 = %0) : (i64) -> i64 {
      }
      func.call @load_gm_to_ubuf_2d_bfloat16_t(%a, %b) : () -> ()
      func.call @store_ubuf_to_gm_2d_bfloat16_t(%a, %b) : () -> ()
      func.call @_mlir_ciface_aclshmem_fence() : () -> ()
      func.call @aclshmem_int64_p(%a, %b, %c) : () -> ()
    }
    return
  }
  func.func @other() {
    func.call @aclshmem_int64_p(%a, %b, %c) : () -> ()
    return
  }
}
"""
BRANCHES = """\
  func.func @kernel(%arg0: i64) {
    cf.br ^bb1(%0 : i32)
  ^bb1(%1: i32):  // 2 preds: ^bb0, ^bb4
    %2 = memref.load %m[%i] : memref<1xi64, strided<[1]>, #hivm.address_space<gm>>
    cf.br ^bb2(%2 : i64)
  ^bb2(%3: i64):
    cf.cond_br %4, ^bb3(%3 : i64), ^bb4
  ^bb3(%5: i64):
    %6 = memref.load %m[%i] : memref<1xi64, strided<[1]>, #hivm.address_space<gm>>
    cf.br ^bb2(%6 : i64)
  ^bb4:
    %7 = memref.load %m[%i] : memref<1xbf16, strided<[1]>, #hivm.address_space<gm>>
    %8 = arith.addi %1, %c1 : i32
    cf.br ^bb1(%8 : i32)
  }
"""


def test_the_kernel_alone_is_counted():
    found = read(STRUCTURED, "kernel")
    wanted = {"loads": 1, "stores": 1, "waits": 1, "notifies": 1, "loops": 1, "fences": 1}
    assert {name: n for name, n in found.operations.items() if n} == wanted
    assert found.symbols == {"aclshmem_fence": 1, "aclshmem_int64_p": 1}
    assert read(STRUCTURED, "other").operations["notifies"] == 1


def test_a_loop_of_branches_waits_when_it_hands_on_what_it_loads():
    found = read(BRANCHES, "kernel")
    assert (found.operations["waits"], found.operations["loops"]) == (1, 1)


def test_a_text_without_the_kernel_is_no_kernel_without_operations():
    with pytest.raises(ValueError, match="no function missing"):
        read(STRUCTURED, "missing")


def test_a_mark_that_is_not_understood_is_not_left_out():
    text = "module {\n  %1 = something @__hmf_a2agen_aclshmem_ptr_int64(%0)\n}\n"
    with pytest.raises(MarkError, match="a mark is left"):
        with_operations(text)
