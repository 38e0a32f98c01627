"""What syntax errors say: place, message and way out, word for word."""

# Messages stay on one line, as users see them.
# ruff: noqa: E501

from __future__ import annotations

import pytest

from tests.grammar.texts import findings, in_exchange, in_phase, in_schedule, shown

OF_EXCHANGE = "`}` or a statement of an exchange (ranks, dim, where, in, out, case)"
OF_SCHEDULE = "`}` or a statement of a schedule (target, emit, cores, buffer, place, block, role, phase, rounds)"
OF_PHASE = "`}` or a statement of a phase (move, link, tile, ready, free, order)"
OF_FILE = "`exchange`, `schedule` or the end of the file"
DIGITS = "a number has only digits, and a name begins with a letter or `_`"
LARGE = "the number is too large: numbers are below 2**63"


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("dim S 1..4", "2:9 expected `in`, found `1`"),
        ("dim S = 4", "2:9 expected `in`, found `=` | a range is written `in 1..8`, and a single value `in 8..8`"),
        ("dim S in 1.4", "2:13 expected `..`, found `.` | a range is written `1..8`"),
        ("dim S in 1..W", "2:15 expected a number, found `W`"),
        ("dim S in -1..4", "2:12 expected a number, found `-` | numbers have no sign, and an arrow is `->`"),
        ("dim 8x in 1..4", f"2:7 expected a name, found `8x` | {DIGITS}"),
        ("dim é in 1..4", "2:7 expected a name, found `é` | names are made of the letters A to Z and a to z, digits and `_`"),
        ("dim S\0 in 1..4", "2:8 expected `in`, found the character U+0000 | this character means nothing outside comments"),
        ("dim S\u00a0in 1..4", "2:8 expected `in`, found the character U+00A0 | no-break space means nothing outside comments"),
        ("dim\u200b\u200b S in 1..4", "2:6 expected a name, found the characters U+200B ... | zero width space means nothing outside comments"),
        ("dim S in 1..9223372036854775808", f"2:15 expected a number, found `9223372036854775808` | {LARGE}"),
        (f"dim S in 1..{'9' * 9999}", f"2:15 expected a number, found `{'9' * 40}...` | {LARGE}"),
        ("where S * H < 2", "2:15 expected `**`, `*` or `<=`, found `<` | the only comparison is `<=`"),
        ("where S == 2", "2:11 expected `**`, `*` or `<=`, found `==` | the only comparison is `<=`"),
        ("where S + H <= 2", "2:11 expected `**`, `*` or `<=`, found `+` | a bound is on a product: of names, numbers and their powers"),
        ("where S**W <= 2", "2:12 expected a number, found `W`"),
        ("where S <= 2**64", "2:17 the exponent is too large: at most 63"),
        ("where S <= 2**63", f"2:14 {LARGE}"),
        ("where 10**99999999999 <= S", "2:13 the exponent is too large: at most 63"),
        (f"where S <= {'2 * ' * 64}2", "2:14 the product has 65 factors: at most 64"),
        ("where (S <= 2", "2:9 expected a number or the name of an extent, found `(`"),
        ("in A bf16 [S]", "2:8 expected `:`, found `bf16`"),
        ("in A : [S]", "2:10 expected a data type, found `[`"),
        ("in A : bf16 []", "2:16 expected an axis or `(`, found `]`"),
        ("in A : bf16 [() S]", "2:17 expected an axis, found `)`"),
        ("in A : bf16 [(to S H]", "2:23 expected an axis or `)`, found `]`"),
        ("in A : bf16 [(to (S)) H]", "2:20 expected an axis or `)`, found `(`"),
        ("in A : bf16 [to, S]", "2:18 expected an axis, `(` or `]`, found `,`"),
        ("in A : bf16 [S] stridden", "2:19 expected `strided`, `}` or the next statement, found `stridden` | did you mean `strided`?"),
        ("case c { S 13 }", "2:14 expected `=`, found `13`"),
        ("case c { S = 1 H = 2 }", "2:18 expected `,` or `}`, found `H`"),
        ("case c { }", "2:12 expected the name of an extent, found `}`"),
        ("case { S = 1 }", "2:8 expected a name, found `{`"),
        ("dm S in 1..4", f"2:3 expected {OF_EXCHANGE}, found `dm` | did you mean `dim`?"),
        ("axis S in 1..4", f"2:3 expected {OF_EXCHANGE}, found `axis`"),
        ("$", f"2:3 expected {OF_EXCHANGE}, found `$` | dollar sign means nothing outside comments"),
        ("// S rows", f"2:3 expected {OF_EXCHANGE}, found `// S rows` | a comment begins with `#`: write `# S rows`"),
        ("dim S in 1..4 // rows", "2:17 expected `}` or the next statement, found `// rows` | a comment begins with `#`: write `# rows`"),
        ("dim /* rows */ S in 1..4", "2:7 expected a name, found `/* rows */` | a comment begins with `#`: write `# rows`"),
        ("role r : all", f"2:3 expected {OF_EXCHANGE}, found `role` | `role` is a statement of a schedule"),
    ],
)  # fmt: skip
def test_exchanges(line: str, expected: str) -> None:
    assert shown(findings(in_exchange(line))) == [expected]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("target", "3:1 expected the name of a target, found `}` | the `target` that begins at line 2 is not complete"),
        ("emit 3", "2:8 expected the name of a back end, found `3`"),
        ("cores two", "2:9 expected a number, found `two`"),
        ("block 8", "2:9 expected an axis, found `8`"),
        ("block S at 8", "2:11 expected `by`, found `at`"),
        ("place C local", "2:11 expected `symmetric`, found `local`"),
        ("buffer P [S]", "2:12 expected `:`, found `[`"),
        ("buffer P : [S] per blok", "2:22 expected `block`, found `blok` | did you mean `block`?"),
        ("buffer P : [S] slot 2", "2:18 expected `align`, `flagged`, `local`, `overlay`, `per`, `slots`, `symmetric`, `}` or the next statement, found `slot` | did you mean `slots`?"),
        ("buffer P : [S] overlay Q", "3:1 expected `[`, found `}` | the `buffer` that begins at line 2 is not complete"),
        ("buffer P : [S] overlay Q[peer]", "2:28 expected `self`, found `peer`"),
        ("buffer P : [S] overlay", "3:1 expected the name of a buffer, found `}` | the `buffer` that begins at line 2 is not complete"),
        ("role r : evn", "2:12 expected `all`, `even`, `host`, `odd`, `one` or `rest`, found `evn` | did you mean `even`?"),
        ("role r : even one per peer", "2:17 expected `,`, `}` or the next statement, found `one`"),
        ("role r : rest sender", "2:17 expected `of`, found `sender`"),
        ("role r : rest of 1", "2:20 expected the name of a role, found `1`"),
        ("rounds none", "2:10 expected `epoch` or `reset`, found `none`"),
        ("dim S in 1..2", f"2:3 expected {OF_SCHEDULE}, found `dim` | `dim` is a statement of an exchange"),
        ("phase p { }", "2:11 expected `on`, found `{`"),
        ("phase p on { }", "2:14 expected the name of a role, found `{`"),
        ("phase p on r s { }", "2:16 expected `{`, found `s`"),
        ("phas p on r { }", f"2:3 expected {OF_SCHEDULE}, found `phas` | did you mean `phase`?"),
        ("{ }", f"2:3 expected {OF_SCHEDULE}, found `{{`"),
    ],
)  # fmt: skip
def test_schedules(line: str, expected: str) -> None:
    assert shown(findings(in_schedule(line))) == [expected]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("move A P", "3:12 expected `->`, found `P`"),
        ("move A - > P", "3:12 expected `->`, found `-` | numbers have no sign, and an arrow is `->`"),
        ("move -> P", "3:10 expected the name of a tensor or buffer, found `->`"),
        ("move A -> P others", "3:17 expected `for`, `}` or the next statement, found `others`"),
        ("move A -> P for everyone", "3:21 expected `all`, `others` or `self`, found `everyone`"),
        ("link", "4:3 expected the name of a link, found `}` | the `link` that begins at line 3 is not complete"),
        ("link udma qps 2", "3:15 expected `(`, `}` or the next statement, found `qps`"),
        ("link udma()", "3:15 expected `complete`, `qps`, `relay`, `split` or `submit`, found `)`"),
        ("link udma(qps)", "3:18 expected a number, found `)`"),
        ("link udma(qps 2,)", "3:21 expected `complete`, `qps`, `relay`, `split` or `submit`, found `)`"),
        ("link udma(submit 4)", "3:22 expected `batch`, found `4`"),
        ("link udma(complete all)", "3:24 expected `each` or `end`, found `all`"),
        ("link udma(split", "4:3 expected `)`, `,`, `complete`, `qps`, `relay`, `split` or `submit`, found `}` | the `link` that begins at line 3 is not complete"),
        ("tile S", "4:3 expected a number, found `}` | the `tile` that begins at line 3 is not complete"),
        ("tile S = 8", "3:12 expected a number, found `=` | leave out `=`"),
        ("tile S: 8", "3:11 expected a number, found `:` | leave out `:`"),
        ("tile S 4K", "3:12 expected a number, found `4K` | numbers have no unit: did you mean `4096`?"),
        ("tile S 1m", "3:12 expected a number, found `1m` | numbers have no unit: did you mean `1048576`?"),
        ("tile S 4B", f"3:12 expected a number, found `4B` | {DIGITS}"),
        ("notify per tile", f"3:5 expected {OF_PHASE}, found `notify` | did you mean `ready notify`?"),
        ("credit per tile", f"3:5 expected {OF_PHASE}, found `credit` | did you mean `free credit`?"),
        ("staggered", f"3:5 expected {OF_PHASE}, found `staggered` | did you mean `order staggered`?"),
        ("tile S 8 D 256", "3:14 expected `,`, `}` or the next statement, found `D`"),
        ("ready soon", "3:11 expected `barrier`, `flag`, `none`, `notify` or `signal`, found `soon`"),
        ("ready notify", "4:3 expected `per`, found `}` | the `ready` that begins at line 3 is not complete"),
        ("ready notify per tiles", "3:22 expected `block`, `peer` or `tile`, found `tiles` | did you mean `tile`?"),
        ("ready signal per tile", "3:22 expected `block` or `peer`, found `tile`"),
        ("ready barrier per block", "3:19 expected `}` or the next statement, found `per`"),
        ("free credit per block", "3:21 expected `peer` or `tile`, found `block`"),
        ("order random", "3:11 expected `staggered`, found `random`"),
        ("move A => P", "3:12 expected `->`, found `=` | an arrow is `->`"),
        ("mov A -> P", f"3:5 expected {OF_PHASE}, found `mov` | did you mean `move`?"),
        ("block S by 8", f"3:5 expected {OF_PHASE}, found `block` | `block` is a statement of a schedule"),
    ],
)  # fmt: skip
def test_phases(line: str, expected: str) -> None:
    assert shown(findings(in_phase(line))) == [expected]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("xchange e { }", f"1:1 expected {OF_FILE}, found `xchange` | did you mean `exchange`?"),
        ("dim S in 1..2", f"1:1 expected {OF_FILE}, found `dim` | `dim` is a statement of an exchange"),
        ("}", f"1:1 expected {OF_FILE}, found `}}` | there is no block to close"),
        ("{" * 5000, f"1:1 expected {OF_FILE}, found `{{`"),
        ("(" * 5000, f"1:1 expected {OF_FILE}, found `(`"),
        ("\0" * 5000, f"1:1 expected {OF_FILE}, found the characters U+0000 ... | this character means nothing outside comments"),
        ("\ud800", f"1:1 expected {OF_FILE}, found the character U+D800 | this character means nothing outside comments"),
        ("exchange", "1:9 expected a name, found the end of the file | the `exchange` that begins at line 1 is not complete"),
        ("exchange e", "1:11 expected `{`, found the end of the file | the `exchange` that begins at line 1 is not complete"),
        ("schedule s of e { }", "1:12 expected `for`, found `of`"),
        ("schedule s for { }", "1:16 expected the name of an exchange, found `{`"),
        ("exchange e {", "1:13 exchange `e` is not closed: expected `}` before the end of the file | it is opened at line 1"),
        ("exchange e { }\r\n\r\nfoo", f"3:1 expected {OF_FILE}, found `foo`"),
        ("exchange e { }\rfoo", f"2:1 expected {OF_FILE}, found `foo`"),
        ("\texchange e { }\t\tfoo", f"1:18 expected {OF_FILE}, found `foo`"),
    ],
)  # fmt: skip
def test_files(text: str, expected: str) -> None:
    assert shown(findings(text)) == [expected]


@pytest.mark.parametrize("text", ["", " \t\r\n", "# nothing but a comment\n", "\ufeff", "\n# one\n# two"])
def test_nothing_in_the_file(text: str) -> None:
    (finding,) = findings(text)
    assert (finding.code, finding.message) == ("A102", "the file is empty: it has no exchange and no schedule")


def test_a_syntax_error_covers_its_token() -> None:
    (finding,) = findings(in_phase("ready notfy per tile"))
    assert (finding.code, finding.path, finding.severity.value) == ("A101", "spec.a2a", "error")
    assert (finding.span.line, finding.span.column, finding.span.end_line, finding.span.end_column) == (3, 11, 3, 16)


def test_errors_end_when_there_are_too_many() -> None:
    found = findings(in_exchange(*["foo bar"] * 500))
    assert len(found) == 101
    assert shown(found[-1:]) == ["102:3 too many syntax errors: the rest of the file is not read"]
