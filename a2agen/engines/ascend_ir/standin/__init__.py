"""What takes the place of `triton_dist.language` and `libshmem_device` where an emitted kernel is compiled.

Stock triton-ascend knows neither. `dist` is marks of the real operations, which a2agen.engines.ascend_ir.custom turns
into HIVM; `stock` has those that give a value in plain Triton; `cpu` is all of them for a run on the CPU. The modules
are imported in the compilers' environment alone. A call with a wrong name, keyword or type fails in each.
"""
