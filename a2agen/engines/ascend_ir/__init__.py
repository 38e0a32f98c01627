"""The engine `ascend-ir`: takes emitted Triton-Distributed kernels through the real compilers for Ascend, without a
device.

`build` lowers a kernel by triton-ascend and bishengir-compile to final HIVM, with on-chip memory planned, and counts
what is left of its operations. `execute` runs the lowered form on the CPU. Both work in an environment of their own,
which `environment.set_up` makes. docs/ascend.md says what this proves and what it does not.
"""
