"""Interrupts that reach the command wherever they fall.

The interpreter drops an exception that is raised in the callback of a weak reference or while an object is taken away,
and an interrupt may fall there: each imported module ends with such a callback. It would print `Exception ignored in`,
and the command would go on as if nobody had pressed Ctrl-C.
"""

from __future__ import annotations

import signal
import sys
from typing import Any

# Long enough for the callback to end, short enough that nobody sees it.
_AGAIN_S = 0.01


def keep() -> None:
    """From now on, until `let_go`, a dropped interrupt is raised anew a moment later."""
    signal.signal(signal.SIGALRM, signal.default_int_handler)
    sys.unraisablehook = _raise_anew


def let_go() -> None:
    """The command has ended: what comes now ends the process, as there is nothing left to tidy up."""
    signal.setitimer(signal.ITIMER_REAL, 0)
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:  # under nohup it is not
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    sys.unraisablehook = sys.__unraisablehook__


def _raise_anew(dropped: Any) -> None:
    """Takes what the interpreter drops, of the type that `sys.unraisablehook` says."""
    if issubclass(dropped.exc_type, KeyboardInterrupt):
        signal.setitimer(signal.ITIMER_REAL, _AGAIN_S)
    else:
        sys.__unraisablehook__(dropped)
