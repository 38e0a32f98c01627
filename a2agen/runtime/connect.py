"""From a process group to the communicator of the machine that it runs on."""

from __future__ import annotations

from typing import Any

from a2agen.runtime.communicator import Communicator


def connect(group: Any) -> Communicator:
    """The communicator of a process group, or the group itself where it is one.

    Raises ValueError where the group's device type has no symmetric memory that a2agen knows.
    """
    if isinstance(group, Communicator):
        return group
    from a2agen.runtime.devices import communicator_of  # noqa: PLC0415 - needs torch, which a simulated rank does not

    return communicator_of(group)
