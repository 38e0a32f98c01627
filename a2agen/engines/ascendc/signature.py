"""The kernel of a source and its parameters, and the function that launches it, as CANN's build makes it."""

from __future__ import annotations

import re
from dataclasses import dataclass

from a2agen.engines.cpu.errors import KernelError

_KERNEL = re.compile(r'extern\s+"C"\s+__global__\s+__aicore__\s+void\s+(\w+)\s*\(([^)]*)\)')
_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
_PARAMETER = re.compile(r"(.+?)(\w+)")


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter: its type as written, and its name."""

    type: str
    name: str

    @property
    def is_address(self) -> bool:
        return self.type == "GM_ADDR"


@dataclass(frozen=True, slots=True)
class Signature:
    """The kernel's name and parameters, and the line that its name is on."""

    name: str
    parameters: tuple[Parameter, ...]
    line: int = 1


def signature_of(kernel: str, path: str) -> Signature:
    """The one kernel of a source. Raises KernelError where there is none, or another."""
    found = _KERNEL.findall(_COMMENT.sub("", kernel))
    if len(found) != 1:
        raise KernelError(f'expected one `extern "C" __global__ __aicore__ void` function, found {len(found)}', path)
    name, listed = found[0]
    parameters = []
    for text in filter(None, (" ".join(part.split()) for part in listed.split(","))):
        match = _PARAMETER.fullmatch(text)
        if match is None:
            raise KernelError(f"the parameter {text!r} of {name} is not understood", path)
        parameters.append(Parameter(match[1].strip(), match[2]))
    line = next((n for n, text in enumerate(kernel.splitlines(), 1) if re.search(rf"\b{name}\s*\(", text)), 1)
    return Signature(name, tuple(parameters), line)


def header(signature: Signature) -> str:
    """`aclrtlaunch_NAME.h`."""
    return f'#pragma once\n#include <cstdint>\n\nextern "C" {_declared(signature)};\n'


def launcher(signature: Signature) -> str:
    """The launch function: it binds the arguments and hands them to the engine."""
    parameters = signature.parameters
    fields = "".join(f"    {p.type} {p.name};\n" for p in parameters)
    values = ", ".join(f"static_cast<{p.type}>({p.name})" for p in parameters)
    used = ", ".join(f"bound->{p.name}" for p in parameters)
    addresses = [p.name for p in parameters if p.is_address]
    names = ", ".join(f'"{name}"' for name in addresses) or "nullptr"
    numbers = ", ".join(f"reinterpret_cast<uint64_t>({name})" for name in addresses) or "0"
    return f"""#include <a2agen/launch.h>
#include <kernel_operator.h>

extern "C" void {signature.name}({", ".join(f"{p.type} {p.name}" for p in parameters)});

namespace {{

struct Arguments {{
{fields}}};

void call(void *arguments)
{{
    const Arguments *bound = static_cast<const Arguments *>(arguments);
    {signature.name}({used});
}}

void destroy(void *arguments) {{ delete static_cast<Arguments *>(arguments); }}

}}  // namespace

extern "C" {_declared(signature)}
{{
    static const char *const names[] = {{{names}}};
    const uint64_t addresses[] = {{{numbers}}};
    Arguments *bound = new Arguments{{{values}}};
    const a2agen::Launch what{{"{signature.name}", call, bound, destroy, names, addresses, {len(addresses)}}};
    return a2agen::launch(blocks, stream, what);
}}
"""


def _declared(signature: Signature) -> str:
    handed = (f"{'void *' if p.is_address else p.type + ' '}{p.name}" for p in signature.parameters)
    return f"uint32_t aclrtlaunch_{signature.name}({', '.join(('uint32_t blocks', 'void *stream', *handed))})"
