"""The text is not a spec.

A statement, a block or a number is not as the language has it. The message says what was expected where reading
stopped. Reading goes on with the next statement, so that one run shows every such place.

Why it matters: nothing can be known about a statement that cannot be read. The block around it is not judged as
a whole until it can, so that no finding is a consequence of the first.

Instead of

    phase send on sender {
      move A => P

write what is expected there:

    phase send on sender {
      move A -> P
"""

from a2agen.passes.rules.rule import Rule

RULE = Rule("A101", "syntax-error", "text")
