"""The pages of the rules: what `a2agen explain` shows, a page a rule, and a list of all of them."""

from __future__ import annotations

from a2agen.passes.rules.registry import rules

FAMILIES = {
    "1": "Syntax and names",
    "2": "Layouts, bounds, what is moved",
    "3": "Links and back ends",
    "4": "Roles and cores",
    "5": "Buffers and memory",
    "6": "Synchronisation and rounds",
    "7": "Advice",
    "9": "Suppressions",
}


def pages() -> dict[str, str]:
    """The text of each page by its file name."""
    made = {f"{rule.code}.md": f"# {rule.code} {rule.name} ({rule.severity.value})\n\n{rule.doc}\n" for rule in rules()}
    return {"README.md": _index(), **made}


def _index() -> str:
    parts = [
        "# Rules\n\nEach page is what `a2agen explain CODE` shows. The pages are made from the files of the rules: run"
        "\n`python -m a2agen.passes.rules docs/rules` after a change.\n"
    ]
    for digit, title in FAMILIES.items():
        family = [rule for rule in rules() if rule.code[1] == digit]
        rows = [f"| [{r.code}]({r.code}.md) | {r.name} | {r.severity.value} | {r.summary} |" for r in family]
        parts.append(
            "\n".join([f"\n## {title}\n", "| code | name | severity | |", "| --- | --- | --- | --- |", *rows, ""])
        )
    return "".join(parts)
