"""Machine profiles: what a target has and can do, with the source of every figure."""
