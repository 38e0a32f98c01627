"""Files that are specs, and files that can't be."""

from __future__ import annotations

from pathlib import Path

import pytest

from a2agen.findings import Finding
from a2agen.grammar import read as module
from a2agen.grammar.parse import parse
from a2agen.grammar.read import read
from a2agen.source import Source, Span


@pytest.mark.parametrize("data", [b"exchange e { }\n", "# Straße\r\nexchange e { }".encode()])
def test_text_comes_as_it_is(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "spec.a2a"
    path.write_bytes(data)
    assert read(str(path)) == Source(str(path), data.decode())


def test_a_byte_order_mark_is_no_text(tmp_path: Path) -> None:
    path = tmp_path / "spec.a2a"
    path.write_bytes(b"\xef\xbb\xbfexchange e { }")
    assert read(str(path)) == Source(str(path), "exchange e { }")


@pytest.mark.parametrize(
    ("data", "message", "place"),
    [
        (b"\xff\xfee\x00x\x00", "the file is not UTF-8: invalid start byte (byte 0xff)", (1, 1)),
        (
            b"exchange e {\r\n  # \xc3\xa9 \xe9\n}",
            "the file is not UTF-8: invalid continuation byte (byte 0xe9)",
            (2, 7),
        ),
        (b"\xef\xbb\xbfab\x80", "the file is not UTF-8: invalid start byte (byte 0x80)", (1, 3)),
        (b"a\n\xe2\x82", "the file is not UTF-8: unexpected end of data (byte 0xe2)", (2, 1)),
    ],
)
def test_other_encodings(tmp_path: Path, data: bytes, message: str, place: tuple[int, int]) -> None:
    path = tmp_path / "spec.a2a"
    path.write_bytes(data)
    line, column = place
    expected = Finding("A102", message, str(path), Span(line, column, line, column), help="a spec is a text in UTF-8")
    assert read(str(path)) == expected


def test_a_file_that_may_not_be_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(module, "open", refuse, raising=False)
    found = read(str(tmp_path / "spec.a2a"))
    assert isinstance(found, Finding)
    assert (found.code, found.message) == ("A102", "the file can't be read: Permission denied")


def test_a_file_that_never_ends() -> None:
    found = read("/dev/zero")
    assert isinstance(found, Finding)
    assert found.message == "the file is larger than 16 MiB, which no spec is"


def test_what_is_no_file_is_for_the_caller(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        read(str(tmp_path / "none.a2a"))
    with pytest.raises(IsADirectoryError):
        read(str(tmp_path))


def test_an_empty_file_is_read_and_found_empty(tmp_path: Path) -> None:
    path = tmp_path / "spec.a2a"
    path.write_bytes(b"")
    source = read(str(path))
    assert isinstance(source, Source)
    assert [f.code for f in parse(source)[1]] == ["A102"]
