"""A statement that must be there is missing.

An exchange needs `ranks`, a `dim`, `in` and `out`, a case a value for every extent. A schedule needs `target`, `emit`,
`rounds`, a phase, and `block` where a buffer is per block. A phase needs a `move` and a `link`, a role the
class of its cores.

Why it matters: there is no default that would be right for most schedules, and a wrong guess here is a hang on
a device.

Instead of

    phase read on reader {
      move P -> C
    }

say all that is needed:

    phase read on reader {
      move P -> C
      link mte
      tile S 8, D 256
    }
"""

from a2agen.passes.rules.rule import Rule

RULE = Rule("A106", "missing-statement", "text")
