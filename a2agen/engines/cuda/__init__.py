"""The engine `cuda`: emitted kernels and launchers on NVIDIA GPUs, as they are.

What runs on the GPUs (`worker`, `reference`, `loading`) needs torch and Triton, and nothing of the compiler's own
dependencies.
"""
