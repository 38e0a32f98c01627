"""A suppression does not say why.

The finding is suppressed all the same.

Why it matters: whoever reads the spec next cannot tell a considered exception from an accident.

Instead of

    # a2a: allow[A504]

write

    # a2a: allow[A504] the other half of the heap is not used on this machine
"""

from a2agen.findings import Severity
from a2agen.passes.rules.rule import Rule

RULE = Rule("A902", "suppression-without-reason", "text", Severity.WARNING)
