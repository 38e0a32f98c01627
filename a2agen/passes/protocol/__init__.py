"""The launch protocol: its table, and the model that explores every row of it."""
