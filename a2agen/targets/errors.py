"""What goes wrong with a profile."""

from __future__ import annotations


class ProfileError(ValueError):
    """An unknown target, back end or link, or a profile file that cannot be read; the message says which and why."""
