"""A name that nothing gives.

Axes, tensors, buffers, roles and exchanges are named by the spec; types, links, targets and back ends by
a2agen. Where a name is close to the one that stands there, the message asks for it.

Why it matters: what the statement means is not known. Whatever depends on it stays silent until it is.

Instead of

    tile S 8, Dd 256

write a name that is there:

    tile S 8, D 256
"""

from a2agen.passes.rules.rule import Rule

RULE = Rule("A103", "unknown-name", "text")
