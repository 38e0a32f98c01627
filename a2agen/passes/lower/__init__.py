"""Lowering: from a checked schedule to its plan. All protocol logic is here."""

from a2agen.passes.lower.plan import lower

__all__ = ["lower"]
