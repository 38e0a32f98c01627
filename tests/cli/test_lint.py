from __future__ import annotations

import json

import pytest

pytestmark = pytest.mark.usefixtures("checks")

GOOD = "exchange e {}\nschedule s\n"
BAD = "exchange e {}\nschedule s # error\n"


def test_a_clean_spec_is_exit_0(cli, specs):
    specs(good=GOOD)
    done = cli("lint", "good.a2a")
    assert (done.code, done.out, done.err) == (0, "1 spec checked, no findings\n", "")


def test_an_error_is_shown_with_its_line_and_is_exit_1(cli, specs):
    specs(bad=BAD)
    done = cli("lint", "bad.a2a")
    assert done.code == 1
    assert done.out == (
        "error[A301]: no such link\n --> bad.a2a:2:3\n  |\n2 | schedule s # error\n  |   ^^^\n\n1 error in 1 spec\n"
    )


@pytest.mark.parametrize("form", ["text", "concise", "json"])
@pytest.mark.parametrize(("text", "code"), [(GOOD, 0), (BAD, 1), ("# warning\n", 1), ("# advice\n", 0)])
def test_the_format_does_not_change_the_exit_code(cli, specs, form, text, code):
    specs(x=text)
    assert cli("lint", "x.a2a", "--format", form).code == code
    assert cli("lint", "x.a2a", "--format", form, "--advice").code == code


def test_advice_is_shown_on_request_only(cli, specs):
    specs(x="# advice\n")
    assert "advice[A301]" not in cli("lint", "x.a2a").out
    assert "--advice shows 1 more" in cli("lint", "x.a2a").out
    assert "advice[A301]" in cli("lint", "x.a2a", "--advice").out
    assert json.loads(cli("lint", "x.a2a", "--format", "json").out)["findings"] == []
    assert len(json.loads(cli("lint", "x.a2a", "--format", "json", "--advice").out)["findings"]) == 1


def test_json_has_every_field_and_stands_alone_on_stdout(cli, specs):
    specs(good=GOOD, bad=BAD)
    done = cli("lint", "--format", "json", "good.a2a", "bad.a2a")
    assert json.loads(done.out) == {
        "version": 1,
        "findings": [
            {
                "code": "A301",
                "severity": "error",
                "message": "no such link",
                "path": "bad.a2a",
                "line": 2,
                "column": 3,
                "end_line": 2,
                "end_column": 6,
                "help": None,
            }
        ],
    }
    assert done.err == ""


def test_a_file_given_twice_is_checked_once(cli, specs):
    folder = specs(bad=BAD)
    assert cli("lint", "bad.a2a", "./bad.a2a", folder / "bad.a2a", "--format", "concise").out.count("A301") == 1


def test_concise_is_one_line_a_finding(cli, specs):
    specs(bad=BAD)
    assert cli("lint", "--format", "concise", "bad.a2a").out == "bad.a2a:2:3: A301 no such link\n"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("missing.a2a",), "there is no file missing.a2a\n"),
        (("god.a2a",), "there is no file god.a2a; did you mean good.a2a?"),
        (("nowhere/good.a2a",), "there is no file nowhere/good.a2a\n"),
        (("",), "there is no file without a name"),
        ((".",), ". is a folder; name the specs in it, as in ./*.a2a"),
        ((), "Missing argument 'SPEC...'"),
        (("good.a2a", "--format", "xml"), "'xml' is not one of"),
    ],
)
def test_wrong_use_is_exit_2_with_nothing_on_stdout(cli, specs, arguments, message):
    specs(good=GOOD)
    done = cli("lint", *arguments)
    assert (done.code, done.out) == (2, "")
    assert message in done.err


def test_a_folder_that_may_not_be_read_is_no_reason_to_fail(cli, specs, monkeypatch):
    def refuse(folder):
        raise PermissionError(13, "Permission denied", folder)

    specs()
    monkeypatch.setattr("os.listdir", refuse)
    done = cli("lint", "missing.a2a")
    assert (done.code, done.err.splitlines()[-1]) == (2, "Error: there is no file missing.a2a")


def test_text_that_is_not_utf8_is_a_finding_at_its_place(cli, specs):
    folder = specs()
    (folder / "latin.a2a").write_bytes("exchange é {\n  # ä ".encode() + b"\xe9 }\n")
    done = cli("lint", "--format", "json", "latin.a2a")
    (finding,) = json.loads(done.out)["findings"]
    assert done.code == 1
    assert (finding["code"][:2], finding["line"], finding["column"]) == ("A1", 2, 7)
    assert "byte 0xe9" in finding["message"]
