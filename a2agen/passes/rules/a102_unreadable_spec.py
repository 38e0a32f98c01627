"""The file holds no spec.

It can't be read, is not UTF-8, or holds neither an exchange nor a schedule.

Why it matters: a check that passes because there was nothing to check would hide a wrong path or a broken
checkout in CI.

Instead of an empty file, write an exchange and a schedule for it, or leave the file out of the command.
"""

from a2agen.passes.rules.rule import Rule

RULE = Rule("A102", "unreadable-spec", "text")
