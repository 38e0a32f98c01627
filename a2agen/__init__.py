"""a2agen: compiles declarative all-to-all exchanges into checked communication kernels."""

__version__ = "0.1.0"
