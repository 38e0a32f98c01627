"""From the text of a spec to its syntax tree."""
