"""What runs emitted kernels: an engine to a folder."""
