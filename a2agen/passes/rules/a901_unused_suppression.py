"""A suppression that suppresses nothing.

`# a2a: allow[CODE] reason` covers its line, or on a line of its own the statement or block that follows. No
finding of that code is there. Where other faults keep rules from looking there, this rule is silent.

Why it matters: the fault is gone and the comment would hide its return.

Instead of keeping the comment, remove it.
"""

from a2agen.findings import Severity
from a2agen.passes.rules.rule import Rule

RULE = Rule("A901", "unused-suppression", "text", Severity.WARNING)
