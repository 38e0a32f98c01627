"""Emission of Ascend C kernels, their host programs and what builds them."""
