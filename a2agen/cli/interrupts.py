"""Interrupts that reach the command wherever they fall.

The interpreter drops an exception that is raised in the callback of a weak reference or while an object is taken away,
and an interrupt may fall there: each imported module ends with such a callback. It would print `Exception ignored in`,
and the command would go on as if nobody had pressed Ctrl-C. Libraries drop exceptions too, and say nothing.
"""

from __future__ import annotations

import signal
import sys
from types import FrameType
from typing import Any

# After an exception that the interpreter drops: long enough for the callback to end, short enough that nobody sees it.
_AT_ONCE_S = 0.01
# As long as the command goes on: long enough for it to end processes and take away files, which this would break off.
_ANEW_S = 3.0


def keep() -> None:
    """From now on, until `let_go`, an interrupt that was dropped is raised anew."""
    if signal.getsignal(signal.SIGINT) is not signal.default_int_handler:  # as under nohup
        return
    signal.signal(signal.SIGINT, _interrupt)
    signal.signal(signal.SIGALRM, signal.default_int_handler)
    sys.unraisablehook = _dropped


def let_go() -> None:
    """The command has ended: what comes now ends the process, as there is nothing left to tidy up."""
    if signal.getsignal(signal.SIGINT) is not _interrupt:
        return
    signal.setitimer(signal.ITIMER_REAL, 0)
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    sys.unraisablehook = sys.__unraisablehook__


def _interrupt(number: int, frame: FrameType | None) -> None:
    signal.setitimer(signal.ITIMER_REAL, _ANEW_S, _ANEW_S)
    signal.default_int_handler(number, frame)


def _dropped(exception: Any) -> None:
    """Takes what the interpreter drops, of the type that `sys.unraisablehook` says."""
    if issubclass(exception.exc_type, KeyboardInterrupt):
        signal.setitimer(signal.ITIMER_REAL, _AT_ONCE_S, _ANEW_S)
    else:
        sys.__unraisablehook__(exception)
