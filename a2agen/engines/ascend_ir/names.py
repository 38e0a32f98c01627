"""The names by which marks are known in the linalg form, between the stand-ins and what replaces them."""

PRINT = "a2agen."
"""Before the symbol of an operation without a result, in the prefix of a print."""

VALUE = "__hmf_a2agen_"
"""Before the symbol of an operation that gives a value, in the name of a function. The adapter wants `__hmf_`."""

TOKEN = "token"
"""The value that stands for the token of a wait: its first operand is the number of the wait."""
