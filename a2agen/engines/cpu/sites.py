"""Places in source text, taken down cheaply while a kernel runs and turned into lines when something is reported."""

from __future__ import annotations

import dis
from types import CodeType, FrameType


class Sites:
    """Numbers for places. A place is a code object and an offset in it: finding the line is left for later."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._numbers: dict[tuple[int, int], int] = {}
        self._places: list[tuple[CodeType, int] | str] = [""]
        self._lines: dict[int, int | None] = {}

    def of(self, frame: FrameType) -> int:
        """The number of the place where a frame stands."""
        key = (id(frame.f_code), frame.f_lasti)
        number = self._numbers.get(key)
        if number is None:
            # The list keeps the code object, so its id stays its own.
            number = self._numbers[key] = self.named((frame.f_code, frame.f_lasti))
        return number

    def named(self, place: tuple[CodeType, int] | str) -> int:
        """A new number for a place, or for something outside the kernel in words."""
        self._places.append(place)
        return len(self._places) - 1

    def line(self, number: int) -> int | None:
        """The line of the kernel file, None for places outside it."""
        if number not in self._lines:
            self._lines[number] = self._find_line(number)
        return self._lines[number]

    def _find_line(self, number: int) -> int | None:
        place = self._places[number]
        if isinstance(place, str) or place[0].co_filename != self._path:
            return None
        code, offset = place
        found = None
        for start, line in dis.findlinestarts(code):
            if start > offset:
                break
            found = line
        return found

    def words(self, number: int) -> str:
        """The place in words: "line N", or what it is outside the kernel."""
        place = self._places[number]
        if isinstance(place, str):
            return place
        line = self.line(number)
        return f"line {line}" if line is not None else f"{place[0].co_filename}"
