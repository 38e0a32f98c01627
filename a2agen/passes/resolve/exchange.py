"""Exchanges: extents, tensors, bounds and cases."""

from __future__ import annotations

from a2agen.grammar import tree
from a2agen.ir.bounds import Bounds, Extent, Where
from a2agen.ir.expr import Const, Expr, Sym, mul
from a2agen.ir.model import DTYPES, FROM, TO, Case, Exchange, Storage
from a2agen.passes.resolve.faults import Faults
from a2agen.passes.resolve.layout import layout
from a2agen.passes.resolve.names import Names
from a2agen.passes.resolve.scope import ExchangeScope

# What PyTorch, NumPy, C and papers call the types, in small letters.
TYPES_ELSEWHERE = {
    **dict.fromkeys(("float32", "float", "fp32", "single"), "f32"),
    **dict.fromkeys(("float16", "half", "fp16"), "f16"),
    **dict.fromkeys(("bfloat16", "brain16"), "bf16"),
    **dict.fromkeys(("int8", "int8_t", "char", "byte"), "i8"),
    **dict.fromkeys(("int16", "int16_t", "short"), "i16"),
    **dict.fromkeys(("int32", "int32_t", "int"), "i32"),
    **dict.fromkeys(("int64", "int64_t", "long"), "i64"),
    **dict.fromkeys(("fp8", "float8", "float8_e4m3fn", "float8_e4m3", "fp8_e4m3", "fp8e4m3", "e4m3"), "f8e4m3"),
    **dict.fromkeys(("float8_e5m2", "fp8_e5m2", "fp8e5m2", "e5m2"), "f8e5m2"),
}


def exchange(decl: tree.ExchangeDecl, faults: Faults) -> ExchangeScope:
    """The scope of an exchange, with the exchange itself where nothing that schedules build on is at fault."""
    scope = ExchangeScope(decl.name.text, decl.damaged)
    before = faults.unknowns
    extents = _extents(decl, scope, faults)
    wheres = tuple(where for d in decl.wheres if (where := _where(d, scope, faults)) is not None)
    tensors = _tensors(decl, scope, faults)
    sound = faults.unknowns == before and not decl.damaged
    cases = _cases(decl, scope, faults)
    if sound and scope.ranks is not None and len(tensors) == 2:
        source, result = tensors
        bounds = Bounds(extents, wheres)
        scope.exchange = Exchange(scope.name, scope.ranks, bounds, source, result, cases, span=decl.head)
    return scope


def _extents(decl: tree.ExchangeDecl, scope: ExchangeScope, faults: Faults) -> tuple[Extent, ...]:
    ranks = faults.once(decl.ranks, "ranks", "exchange")
    if ranks is None and not decl.damaged:
        faults.missing(decl.head, f"{scope.name} does not say how many ranks take part", "add `ranks W in 2..8`")
        scope.damaged = True
    if not decl.dims and not decl.damaged:
        faults.missing(decl.head, f"{scope.name} has no dim: a slab needs an axis", "add `dim S in 1..1024`")
        scope.damaged = True
    declared = sorted((d for d in (ranks, *decl.dims) if d), key=lambda d: (d.span.line, d.span.column))
    extents = []
    for d in declared:
        if not scope.names.give(d.name, "number of ranks" if d is ranks else "dim", faults):
            continue
        if d is ranks:
            scope.ranks = d.name.text
        else:
            scope.dims[d.name.text] = None
        low = faults.extent(d.low, f"the least {d.name.text}")
        high = faults.extent(d.high, f"the largest {d.name.text}")
        if low is None or high is None:
            continue
        if low > high:
            span = d.low.span.to(d.high.span)
            faults.number(span, f"no {d.name.text} lies in {low}..{high}", f"write `{high}..{low}`")
        extents.append(Extent(d.name.text, low, high, d.span))
    return tuple(extents)


def _where(decl: tree.WhereDecl, scope: ExchangeScope, faults: Faults) -> Where | None:
    left, right = _product(decl.left, scope, faults), _product(decl.right, scope, faults)
    return None if left is None or right is None else Where(left, right, decl.span)


def _product(decl: tree.Product, scope: ExchangeScope, faults: Faults) -> Expr | None:
    factors: list[Expr] = []
    sound = True
    for power in decl.factors:
        exponent = power.exponent.value if power.exponent else 1
        if isinstance(power.base, tree.Integer):
            factors.append(Const(power.base.value**exponent))
        elif power.base.text in scope.extents:
            factors += [Sym(power.base.text)] * exponent
        else:
            sound = False
            if not scope.damaged:
                faults.unknown(power.base, "extent", "extents", scope.extents)
    return mul(*factors) if sound else None


def _tensors(decl: tree.ExchangeDecl, scope: ExchangeScope, faults: Faults) -> list[Storage]:
    """The tensor in and the tensor out, as far as they are sound."""
    found = []
    for direction, peer in (("in", TO), ("out", FROM)):
        d = faults.once([t for t in decl.tensors if t.direction.text == direction], direction, "exchange")
        if d is None:
            if not decl.damaged:
                way_out = f"add `{direction} {'A' if direction == 'in' else 'C'} : bf16 [({peer} S) H D]`"
                faults.missing(decl.head, f"{scope.name} has no tensor {direction}", way_out)
                scope.damaged = True
            continue
        tensor = _tensor(d, peer, scope, faults)
        if scope.names.give(d.name, f"tensor {direction}", faults):
            scope.tensors[d.name.text] = tensor
            found += [tensor] if tensor else []
    return found


def _tensor(decl: tree.TensorDecl, peer: str, scope: ExchangeScope, faults: Faults) -> Storage | None:
    direction = decl.direction.text
    if decl.dtype.text not in DTYPES:
        faults.unknown(decl.dtype, "type", "types", DTYPES, TYPES_ELSEWHERE)
    if direction == "out" and decl.strided:
        faults.misplaced(
            decl.strided.span, "an output is not strided", "leave `strided` out: the launcher allocates it"
        )
    shape = layout(decl.layout, (peer,), f"an {direction}put", scope, faults)
    if shape is None or decl.dtype.text not in DTYPES:
        return None
    return Storage(
        decl.name.text,
        "in" if direction == "in" else "out",
        decl.dtype.text,
        shape,
        span=decl.span,
        layout_span=decl.layout.span,
        strided=decl.strided is not None,
    )


def _cases(decl: tree.ExchangeDecl, scope: ExchangeScope, faults: Faults) -> tuple[Case, ...]:
    names = Names()
    cases = []
    for d in decl.cases:
        before = faults.unknowns
        names.give(d.name, "case", faults, emitted=False)
        values: dict[str, int] = {}
        for binding in d.bindings:
            name = binding.name.text
            if name in values:
                faults.duplicate(binding.span, f"case {d.name.text} gives {name} already", "keep one of them")
            elif name not in scope.extents and not scope.damaged:
                faults.unknown(binding.name, "extent", "extents", scope.extents)
            values.setdefault(name, binding.value.value)
        lacking = [name for name in scope.extents if name not in values]
        # A misspelt name is one fault, not two.
        if lacking and faults.unknowns == before:
            message = f"case {d.name.text} gives no value for {', '.join(lacking)}"
            faults.missing(d.span, message, f"add {', '.join(f'{name} = …' for name in lacking)}")
        if faults.unknowns == before and not scope.damaged:
            cases.append(Case(d.name.text, values, span=d.span))
    return tuple(cases)
