"""Which names a spec may give, and which it has given."""

from __future__ import annotations

import keyword
from dataclasses import dataclass, field
from itertools import count

from a2agen.grammar.tree import Name
from a2agen.passes.resolve.faults import Faults
from a2agen.source import Span

# Names end up in kernels and launchers: Python and C++ must not read them as something else.
_CPP_WORDS = """
alignas alignof and and_eq asm auto bitand bitor bool break case catch char class compl concept const
consteval constexpr constinit const_cast continue co_await co_return co_yield decltype default delete do
double dynamic_cast else enum explicit export extern false float for friend goto if inline int long mutable
namespace new noexcept not not_eq nullptr operator or or_eq private protected public register reinterpret_cast
requires return short signed sizeof static static_assert static_cast struct switch template this thread_local
throw true try typedef typeid typename union unsigned using virtual void volatile wchar_t while xor xor_eq
"""
CPP = frozenset(_CPP_WORDS.split())

# What generated files name and call themselves.
_GENERATED_WORDS = """
tl dl triton triton_dist libshmem_device torch runtime range min max cdiv self group out ranks workspace
pid cores lane lanes rank task tile mask word epoch epochs half slot block entered
"""
_GENERATED = frozenset(_GENERATED_WORDS.split())


@dataclass(slots=True)
class Names:
    """Names that must differ from one another, with what each of them is and where it was given."""

    given: dict[str, tuple[str, Span]] = field(default_factory=dict)

    def give(self, name: Name, what: str, faults: Faults, *, emitted: bool = True) -> bool:
        """Whether the name is free; it is taken from then on. `emitted`: kernels and launchers use the name itself."""
        if name.text in self.given:
            other, span = self.given[name.text]
            message = f"the name {name.text} is that of the {other} on line {span.line} already"
            faults.duplicate(name.span, message, f"choose another name, such as `{self._free(name.text)}`")
            return False
        self.given[name.text] = (what, name.span)
        if name.text.startswith("__") or name.text == "_":
            # Inside a class Python reads them as other names, and the kernel of exchange `_` would have such a one.
            message = f"{name.text} begins as names that Python and C++ keep for themselves"
            faults.reserved(name, message, self._free(name.text.strip("_") or "x"))
        elif emitted:
            self._check_reserved(name, faults)
        return True

    def _free(self, name: str) -> str:
        """A name like that one which nothing has and nobody reserves."""
        taken = {*self.given, *CPP, *_GENERATED, *keyword.kwlist, name}
        return next(other for n in count(2) if (other := f"{name}{n}") not in taken)

    def copy(self) -> Names:
        return Names(dict(self.given))

    def _check_reserved(self, name: Name, faults: Faults) -> None:
        language = "Python" if keyword.iskeyword(name.text) else "C++" if name.text in CPP else None
        if language:
            message = f"{name.text} is a word of {language}, which kernels and launchers are written in"
            faults.reserved(name, message, self._free(name.text))
        elif name.text in _GENERATED:
            message = f"{name.text} is a name that kernels and launchers use themselves"
            faults.reserved(name, message, self._free(name.text))
