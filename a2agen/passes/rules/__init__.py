"""The rules: one file a rule, named by its code. The file's docstring is what `a2agen explain` shows."""
