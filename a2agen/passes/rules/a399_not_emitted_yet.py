"""The spec is sound, but no back end emits this part of it yet.

The language says more than today's back ends emit. `lint` checks all of it; `compile` and everything that needs a
kernel refuse what they cannot print. `run` and `simulate` also refuse a kernel that their engine cannot run.

Why it matters: a kernel without the part that was left out would hang or return wrong rows.

Not emitted yet: inputs that are placed in symmetric memory, host roles beside roles of cores or with buffers, and
copies into flag blocks or out of them from or to memory in which a row of theirs is not one run.

Instead of such a part use what is emitted, for example a role of cores for a host role beside one.
"""

from a2agen.passes.rules.rule import Rule

RULE = Rule("A399", "not-emitted-yet", "text")
