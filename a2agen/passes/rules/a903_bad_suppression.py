"""A suppression of something that can't be suppressed.

There is no rule of that code, or the rule is about syntax and names (1xx) or about suppressions (9xx).

Why it matters: the comment reads as if a fault were known and accepted, and does nothing. A spec with an
unknown name has no meaning that could be accepted.

Instead of `allow[A103]` correct the name; instead of a code that is not there, name the one that the finding
shows.
"""

from a2agen.findings import Severity
from a2agen.passes.rules.rule import Rule

RULE = Rule("A903", "bad-suppression", "text", Severity.WARNING)
