"""What the tests of the grammar share: a spec, and ways to look at trees and findings."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from typing import Any

from a2agen.findings import Finding
from a2agen.grammar import tree
from a2agen.grammar.parse import parse
from a2agen.source import Source, Span

# Every statement of the language, each in a form of its own.
FULL = """\
# everything at once
exchange turn {
  ranks W in 2..8
  dim   S in 1..1024
  dim   H in 1..16
  where S * H**2 * 3 <= 2**27 * W

  in  A : bf16 [(to S) H] strided
  out C : bf16 [S (from H)]

  case odd { W = 3, S = 13, H = 2 }
}

schedule all_of_it for turn {
  target ascend950
  emit   ascendc
  cores  40
  block  S by 8
  buffer P : [from S H] symmetric flagged align 512
  buffer L : [S H] per block slots 2 overlay P[self]
  place  C symmetric

  role sender : even, one per peer
  role filler : even, rest of sender
  role reader : odd
  role copier : host

  phase exchange on sender {
    move  A -> P for others
    link  udma(qps 2, submit batch 4, complete end)
    ready signal per block
  }
  phase loopback on filler {
    move  A -> L for self
    link  mte
    tile  S 8, H 2
    ready notify per tile
    free  credit per tile
    order staggered
  }
  rounds epoch
}
"""


def parsed(text: str) -> tree.File:
    """The tree of a text without syntax errors."""
    file, findings = parse(Source("spec.a2a", text))
    assert findings == ()
    assert not file.damaged
    return file


def findings(text: str) -> tuple[Finding, ...]:
    return parse(Source("spec.a2a", text))[1]


def in_exchange(*lines: str) -> str:
    """A file with one exchange of these statements, the first of them at line 2, column 3."""
    return "".join(["exchange e {\n", *(f"  {line}\n" for line in lines), "}\n"])


def in_schedule(*lines: str) -> str:
    """A file with one schedule of these statements, the first of them at line 2, column 3."""
    return "".join(["schedule s for e {\n", *(f"  {line}\n" for line in lines), "}\n"])


def in_phase(*lines: str) -> str:
    """A file with one phase of these statements, the first of them at line 3, column 5."""
    return in_schedule("phase p on r {", *(f"  {line}" for line in lines), "}")


def exchange_of(*lines: str) -> tree.ExchangeDecl:
    (exchange,) = parsed(in_exchange(*lines)).exchanges
    return exchange


def schedule_of(*lines: str) -> tree.ScheduleDecl:
    (schedule,) = parsed(in_schedule(*lines)).schedules
    return schedule


def phase_of(*lines: str) -> tree.PhaseDecl:
    (phase,) = parsed(in_phase(*lines)).schedules[0].phases
    return phase


def covered(text: str, span: Span) -> str:
    """The piece of a text that a span covers, its lines joined by line ends."""
    lines = text.split("\n")[span.line - 1 : span.end_line]
    lines[-1] = lines[-1][: span.end_column - 1]
    lines[0] = lines[0][span.column - 1 :]
    return "\n".join(lines)


def nodes(node: Any) -> Iterator[Any]:
    """A node and all nodes in it."""
    if isinstance(node, tuple):
        for part in node:
            yield from nodes(part)
    elif is_dataclass(node) and not isinstance(node, Span):
        yield node
        for field in fields(node):
            yield from nodes(getattr(node, field.name))


def plain(node: Any) -> Any:
    """A tree without its spans: names and words become texts, numbers integers, other nodes tuples."""
    if isinstance(node, tuple):
        return tuple(plain(part) for part in node)
    if isinstance(node, (tree.Name, tree.Word)):
        return node.text
    if isinstance(node, tree.Integer):
        return node.value
    if is_dataclass(node):
        kept = [f.name for f in fields(node) if f.name not in ("span", "head", "covers")]
        return (type(node).__name__, *(plain(getattr(node, name)) for name in kept))
    return node


def shown(found: tuple[Finding, ...]) -> list[str]:
    """Findings as `line:column message | help`."""
    return [f"{f.span.line}:{f.span.column} {f.message}" + (f" | {f.help}" if f.help else "") for f in found]
