"""One finding a line, as editors and CI logs take it: `path:line:col: CODE message`."""

from __future__ import annotations

from a2agen.render import Listing


def render(listing: Listing) -> str:
    return "\n".join(
        f"{f.path}:{f.span.line}:{f.span.column}: {f.code} {' '.join(f.message.split())}" for f in listing.findings
    )
