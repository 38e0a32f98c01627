"""From a syntax tree to a checked schedule and its plan."""
