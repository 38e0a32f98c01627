"""The CPU engine for Ascend C: emitted kernels and host programs, compiled as they are, all ranks in one process.

`include/` has stand-ins for the headers that they include, and `runtime/` the engine behind those: a program that runs
every host, stream and core in an order that a seed gives, with a UDMA engine and checks like those of the engine for
Triton. docs/memory-model.md says what it assumes.
"""
