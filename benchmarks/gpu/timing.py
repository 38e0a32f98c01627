"""Times, as `a2agen bench` takes them."""

from a2agen.engines.cuda.timing import BUDGET_US, REPEATS, Times, calls_of, eager, graphed, together

__all__ = ["BUDGET_US", "REPEATS", "Times", "calls_of", "eager", "graphed", "together"]
