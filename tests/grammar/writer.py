"""Writes syntax trees as text, token by token, so that a test can put anything between the tokens."""

from __future__ import annotations

from a2agen.grammar import tree


def tokens(node: object) -> list[str]:
    """The tokens of a node."""
    match node:
        case tree.Name(text) | tree.Word(text):
            return text.split()
        case tree.Integer(value):
            return [str(value)]
        case tree.RanksDecl(name, low, high) | tree.DimDecl(name, low, high):
            word = "ranks" if isinstance(node, tree.RanksDecl) else "dim"
            return [word, *tokens(name), "in", *tokens(low), "..", *tokens(high)]
        case tree.Power(base, exponent):
            return [*tokens(base), *(["**", *tokens(exponent)] if exponent else [])]
        case tree.Product(factors):
            return _joined("*", factors)
        case tree.WhereDecl(left, right):
            return ["where", *tokens(left), "<=", *tokens(right)]
        case tree.LayoutDecl(factors):
            return ["[", *(t for axes in factors for t in _factor(axes)), "]"]
        case tree.TensorDecl(direction, name, dtype, layout, strided):
            words = [*tokens(direction), *tokens(name), ":", *tokens(dtype), *tokens(layout)]
            return words + (tokens(strided) if strided else [])
        case tree.Binding(name, value):
            return [*tokens(name), "=", *tokens(value)]
        case tree.CaseDecl(name, bindings):
            return ["case", *tokens(name), "{", *_joined(",", bindings), "}"]
        case tree.ExchangeDecl():
            parts = node.ranks + node.dims + node.wheres + node.tensors + node.cases
            return ["exchange", *tokens(node.name), "{", *_joined("", parts), "}"]
        case tree.BufferDecl():
            return _buffer(node)
        case tree.RoleDecl(name, classes, one_per_peer, rest_of):
            rest = [["rest", "of", role.text] for role in rest_of]
            parts = [tokens(part) for part in classes + one_per_peer] + rest
            return ["role", *tokens(name), ":", *_separated(",", parts)]
        case tree.MoveDecl(source, destination, scope):
            return ["move", *tokens(source), "->", *tokens(destination), *(["for", scope.text] if scope else [])]
        case tree.LinkDecl():
            return _link(node)
        case tree.TileExtent(axis, extent):
            return [*tokens(axis), *tokens(extent)]
        case tree.TileDecl(extents):
            return ["tile", *_joined(",", extents)]
        case tree.ReadyDecl(mode, unit) | tree.FreeDecl(mode, unit):
            word = "ready" if isinstance(node, tree.ReadyDecl) else "free"
            return [word, *tokens(mode), *(["per", unit.text] if unit else [])]
        case tree.PhaseDecl():
            parts = node.moves + node.links + node.tiles + node.readies + node.frees + node.orders
            return ["phase", *tokens(node.name), "on", *tokens(node.role), "{", *_joined("", parts), "}"]
        case tree.ScheduleDecl():
            before = node.targets + node.emits + node.cores + node.buffers + node.places + node.blocks
            parts = before + node.roles + node.phases + node.rounds
            return ["schedule", *tokens(node.name), "for", *tokens(node.exchange), "{", *_joined("", parts), "}"]
        case tree.File(exchanges, schedules):
            return _joined("", exchanges + schedules)
    return _simple(node)


def _simple(node: object) -> list[str]:
    """Statements that are a word and its objects."""
    match node:
        case tree.TargetDecl(thing):
            return ["target", *tokens(thing)]
        case tree.EmitDecl(thing):
            return ["emit", *tokens(thing)]
        case tree.CoresDecl(thing):
            return ["cores", *tokens(thing)]
        case tree.PlaceDecl(thing, home):
            return ["place", *tokens(thing), *tokens(home)]
        case tree.BlockDecl(axis, size):
            return ["block", *tokens(axis), "by", *tokens(size)]
        case tree.OrderDecl(thing):
            return ["order", *tokens(thing)]
        case tree.RoundsDecl(thing):
            return ["rounds", *tokens(thing)]
    raise TypeError(node)


def _buffer(node: tree.BufferDecl) -> list[str]:
    options = [tokens(word) for word in node.homes + node.per_block + node.flagged]
    options += [["slots", *tokens(n)] for n in node.slots] + [["align", *tokens(n)] for n in node.aligns]
    options += [["overlay", o.host.text, "[", "self", "]"] for o in node.overlays]
    return ["buffer", *tokens(node.name), ":", *tokens(node.layout), *_separated("", options)]


def _link(node: tree.LinkDecl) -> list[str]:
    options = [["qps", *tokens(n)] for n in node.qps] + [["submit", "batch", *tokens(n)] for n in node.batches]
    options += [tokens(word) for word in node.splits]
    options += [["complete", *tokens(word)] for word in node.completes] + [["relay", *tokens(w)] for w in node.relays]
    return ["link", *tokens(node.name), *(["(", *_separated(",", options), ")"] if options else [])]


def _factor(axes: tuple[tree.Name, ...]) -> list[str]:
    names = [axis.text for axis in axes]
    return names if len(names) == 1 else ["(", *names, ")"]


def _joined(mark: str, parts: tuple[object, ...]) -> list[str]:
    return _separated(mark, [tokens(part) for part in parts])


def _separated(mark: str, parts: list[list[str]]) -> list[str]:
    joined: list[str] = []
    for part in parts:
        joined += [mark, *part] if joined and mark else part
    return joined
