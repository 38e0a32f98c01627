"""The engine `ptx`: takes emitted Triton-Distributed kernels for NVIDIA through stock Triton and ptxas to machine code,
on a machine without a GPU.

`build` compiles the kernels of a plan for the tiles that its launcher would choose, and compares PTX and machine code
with the plan: what is there, in what order, how wide, and what of a multiprocessor it takes. The compiler works in an
environment of its own, which `environment.set_up` makes. docs/nvidia.md says what this proves and what it does not.
"""
