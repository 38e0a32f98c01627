"""The templates of what is emitted, a folder for each back end; they print a plan's operations in the target's
words."""
