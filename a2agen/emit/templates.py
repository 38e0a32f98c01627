"""The Jinja environment of all templates: strict, and without white space of its own."""

from __future__ import annotations

import re
from functools import cache

from jinja2 import Environment, PackageLoader, StrictUndefined


@cache
def _environment() -> Environment:
    return Environment(
        loader=PackageLoader("a2agen", "templates"),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,
    )


def render(name: str, context: dict[str, object]) -> str:
    """A template's text, without white space at line ends and without empty lines before `else`."""
    text = _environment().get_template(name).render(context)
    text = re.sub(r"[ \t]+\n", "\n", text)
    return re.sub(r"\n{2,}(?=[ \t]*else:)", "\n", text)
