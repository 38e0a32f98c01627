"""Emission of Triton-Distributed kernels and their launchers."""
