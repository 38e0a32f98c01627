"""The spec is sound, but no back end emits this part of it yet.

The language says more than today's back ends emit. `lint` checks all of it; `compile` and everything that needs a
kernel refuse what they cannot print. `run` and `simulate` also refuse a kernel that their engine cannot run.

Why it matters: a kernel without the part that was left out would hang or return wrong rows.

Not emitted yet: in `emit ascendc` a relayed put that also carries a signal or is one of a batch, for which the library
has no function; host roles beside roles of cores or with buffers, and `link put`.

Instead of such a part use what is emitted, for example `ready notify per block` where a relayed put has a signal.
"""

from a2agen.passes.rules.rule import Rule

RULE = Rule("A399", "not-emitted-yet", "text")
