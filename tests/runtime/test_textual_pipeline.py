from __future__ import annotations

import pytest

from passgen_runtime.errors import PipelineError, Span
from passgen_runtime.textual_pipeline.grammar import (
    MAX_DEPTH,
    parse_elements,
    parse_pipeline,
)
from passgen_runtime.textual_pipeline.options import (
    TextSlice,
    braced_text,
    parse_options,
    quote,
    split_list,
    text_of,
)


@pytest.mark.parametrize(
    ("text", "printed"),
    [
        ("any()", "any()"),
        ("any( )", "any()"),
        (" any ( cse ) ", "any(cse)"),
        ("any(\n  cse,\n  cse\n)\n", "any(cse,cse)"),
        ("a(b(c),d(),e)", "a(b(c),d(),e)"),
        ("a(b{})", "a(b)"),
        ("a(b { n=1\n  full\tm={1, 2} } , c)", "a(b{n=1 full m={1, 2}},c)"),
        ("a(b{p=any(c, d{e=f})})", "a(b{p=any(c, d{e=f})})"),
        ("a(b{'n'=1 =2})", "a(b{'n'=1 =2})"),
        ("a(unknown<Pass>)", "a(unknown<Pass>)"),
    ],
)
def test_printed_form(text: str, printed: str) -> None:
    assert str(parse_pipeline(text)) == printed
    assert parse_pipeline(printed) == parse_pipeline(text)


def test_pretty_form_has_a_line_for_each_pass() -> None:
    tree = parse_pipeline("builtin.module(cse,func.func(a{n=1 p=any(x,y)},any()),b)")

    assert tree.pretty() == """\
builtin.module(
  cse,
  func.func(
    a{n=1 p=any(x,y)},
    any()
  ),
  b
)"""
    assert parse_pipeline(tree.pretty()) == tree


def test_spans_are_those_of_the_text() -> None:
    text = "any( cse{ n='a b'  key=x } )"

    element = parse_pipeline(text).elements[0].nested[0]  # type: ignore[index] # it is one

    spans = [element.span, *(each.span for each in element.options)]
    assert [text[slice(*span)] for span in spans] == ["cse", "n", "key"]
    assert text[slice(*element.options[-1].value_span)] == "x"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "a(b\n  c))",
            """\
pass-pipeline:2:4: error: encountered extra closing ')' creating unbalanced parentheses while parsing pipeline
  c))
   ^""",
        ),
        (
            "a(b(c)",
            """\
pass-pipeline:1:7: error: encountered unbalanced parentheses while parsing pipeline
a(b(c)
      ^
note: 'b(' is not closed""",
        ),
        (
            "a(\tb{c)",
            """\
pass-pipeline:1:5: error: missing closing '}' while processing pass options
a(\tb{c)
  \t ^""",
        ),
        (
            "a(b) c d",
            """\
pass-pipeline:1:6: error: expected pass pipeline to be wrapped with the anchor operation type, e.g. 'builtin.module(...)'
a(b) c d
     ^~~""",
        ),
    ],
)
def test_error(text: str, message: str) -> None:
    with pytest.raises(PipelineError) as raised:
        parse_pipeline(text)

    assert str(raised.value) == message


def test_depth_is_limited() -> None:
    deepest = "a(" * (MAX_DEPTH - 1) + ")" * (MAX_DEPTH - 1)

    assert str(parse_pipeline(f"b({deepest})")) == f"b({deepest})"
    with pytest.raises(PipelineError, match="pipelines nest at most 128 deep"):
        parse_pipeline(f"b(c({deepest}))")


def test_long_texts_take_linear_time() -> None:
    assert len(parse_elements(",".join(["a"] * 50_000)).elements) == 50_000
    for text in ("(" * 50_000, "[" * 50_000 + "=", "{" * 50_000, "'\"" * 50_000):
        assert len(list(parse_options(f"a={text}"))) == 1


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("", []),
        ("  ", []),
        ("''", []),
        ("a", [("a", None)]),
        ("a=", [("a", "")]),
        ("a= b", [("a", ""), ("b", None)]),
        ("a =b", [("a", None), ("", "b")]),
        ("a=b=c", [("a", "b=c")]),
        ("'a'=b {c}", [("a", "b"), ("c", None)]),
        ("a='b c' d", [("a", "b c"), ("d", None)]),
        ('a="b c" d', [("a", "b c"), ("d", None)]),
        ("a=' b '", [("a", "b")]),
        ("a={b c} d", [("a", "b c"), ("d", None)]),
        ("a={'b c'}", [("a", "'b c'")]),
        ("a={b},{c}", [("a", "{b},{c}")]),
        ("a=it's b=1", [("a", "it's"), ("b", "1")]),
        ("a='b'c'", [("a", "b'c")]),
        ("a={b'}' c}", [("a", "b'}' c")]),
        ("a=any(b, c) d", [("a", "any(b, c)"), ("d", None)]),
        ("a=[1, 2] d", [("a", "[1, 2]"), ("d", None)]),
        ("a=f( b=c)", [("a", "f("), ("b", "c)")]),
        ("a=f( b", [("a", "f("), ("b", None)]),
        (r"a=$'\x20b\n\x7b\u00e9\U0001F600\\\q'", [("a", " b\n{é😀\\\\q")]),
        (r"a=$'\U00110000'", [("a", r"\U00110000")]),
    ],
)
def test_options(text: str, values: list[tuple[str, str | None]]) -> None:
    found = [
        (each.key, None if each.value is None else text_of(each.value))
        for each in parse_options(text)
    ]

    assert found == values


@pytest.mark.parametrize(
    ("text", "elements"),
    [
        ("", []),
        ("{}", []),
        ("''", []),
        ("{''}", [""]),
        ("a", ["a"]),
        ("a,b", ["a", "b"]),
        ("{a, b}", ["a", "b"]),
        ("'a,b'", ["a", "b"]),
        ("{'a,b'}", ["a,b"]),
        ("{a,b},{c}", ["a,b", "c"]),
        ("[a,b],c(d,e)", ["[a,b]", "c(d,e)"]),
        ("a,", ["a", ""]),
        (",", ["", ""]),
        ("a(b,c", ["a(b,c"]),
        (r"{a,$'\x27,'}", ["a", "',"]),
    ],
)
def test_list(text: str, elements: list[str]) -> None:
    assert [text_of(each) for each in split_list(TextSlice.of(text))] == elements


@pytest.mark.parametrize(
    ("value", "quoted"),
    [
        ("a-b=1", "a-b=1"),
        ("", "''"),
        ("a b", "'a b'"),
        ("it's", '"it\'s"'),
        ("a(b,c)", "'a(b,c)'"),
        ("{a}", "'{a}'"),
        ("}{", r"$'\x7d\x7b'"),
        (" a", "$' a'"),
        ("'\"", "$'\\x27\"'"),
        ("a\nb\x7f\u2028\U000e0001", r"$'a\nb\x7f\u2028\U000e0001'"),
        ("\ud800", r"$'\ud800'"),
    ],
)
def test_quote(value: str, quoted: str) -> None:
    assert quote(value) == quoted
    assert text_of(TextSlice.of(quoted)) == value


@pytest.mark.parametrize(
    ("text", "written"),
    [("", ""), ("a(b,c)", "a(b,c)"), ("a,b", "{a,b}"), ("a{b c}", "a{b c}")],
)
def test_braces_keep_a_pipeline_in_one_value(text: str, written: str) -> None:
    assert braced_text(text) == written


@pytest.mark.parametrize(
    ("text", "span", "shown"),
    [
        (
            "any(" + "a" * 96 + "b" * 100 + ")",
            Span(100, 200),
            f"1:101: error: m\n...{'a' * 60}{'b' * 100}...\n{' ' * 63}^{'~' * 99}",
        ),
        (
            "b" * 200,
            Span(1, 200),
            f"1:2: error: m\n{'b' * 160}...\n ^{'~' * 158}",
        ),
        (
            "a" * 400,
            Span(200, 201),
            f"1:201: error: m\n...{'a' * 160}...\n{' ' * 63}^",
        ),
        (
            "\t\x1b[2J(\0cse)",
            Span(6, 7),
            "1:7: error: m\n\t\\x1b[2J(\\x00cse)\n\t        ^~~~",
        ),
        ("a(b)\r\nc", Span(4, 5), "1:5: error: m\na(b)\\r\n    ^~"),
    ],
)
def test_long_or_unprintable_line(text: str, span: Span, shown: str) -> None:
    assert str(PipelineError("m", text, span)) == f"pass-pipeline:{shown}"


def test_unprintable_message() -> None:
    error = PipelineError("'\x1b[2J\ncse'", "x", Span(0, 1))

    assert str(error) == "pass-pipeline:1:1: error: '\\x1b[2J\ncse'\nx\n^"


def test_errors_beyond_the_twentieth_are_counted() -> None:
    others = tuple(PipelineError(f"m{n}", "x", Span(0, 1)) for n in range(1, 23))

    lines = str(PipelineError("m0", "x", Span(0, 1), (), others)).splitlines()

    assert lines[-4:] == [
        "pass-pipeline:1:1: error: m19",
        "x",
        "^",
        "error: and 3 more",
    ]
    assert len(lines) == 61
