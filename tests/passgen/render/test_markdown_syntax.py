from __future__ import annotations

import pytest

from passgen.render.markdown import (
    after_colon,
    block_text,
    md_anchor,
    md_code,
    md_code_list,
    md_comment,
    md_fenced,
    md_summary,
    md_text,
)


@pytest.mark.parametrize(
    ("text", "markdown"),
    [
        ("Unroll affine loops", "Unroll affine loops"),
        ("memref<4xi1> | *a* [b](c)", r"memref\<4xi1> \| \*a\* \[b\](c)"),
        ("snake_case but _emphasis_", r"snake_case but \_emphasis\_"),
        ("a & b &lt; &#60;", r"a & b \&lt; \&#60;"),
        ("# 1", r"\# 1"),
        ("1. one", r"1\. one"),
        ("- item", r"\- item"),
        ("> quote", r"\> quote"),
        ("`code` $x$ ~~no~~ \\", r"\`code\` \$x\$ \~\~no\~\~ \\"),
        ("two\r\nlines\tand  more", "two lines and more"),
        ("\0\u202eabc\ud800", "��abc�"),
        ("👩\u200d💻 宽", "👩\u200d💻 宽"),
    ],
)
def test_text(text: str, markdown: str) -> None:
    assert md_text(text) == markdown


@pytest.mark.parametrize(
    ("text", "markdown"),
    [
        ("cse", "`cse`"),
        ("a`b", "``a`b``"),
        ("`a``", "``` `a`` ```"),
        (" a ", "`  a  `"),
        ("  ", "`  `"),
        ("<b>|*", "`<b>|*`"),
        ("two\nlines\u202e", "`two lines�`"),
    ],
)
def test_code(text: str, markdown: str) -> None:
    assert md_code(text) == markdown


@pytest.mark.parametrize(
    ("text", "markdown"),
    [
        ("Turn `a_b` into *c*", "Turn `a_b` into \\*c\\*"),
        ("`a` - `b", "`a` - \\`b"),
        ("``a`` and `<b>`", "\\`\\`a\\`\\` and `<b>`"),
        ("12. `a\n b`", "12\\. `a b`"),
        ("{raw}`a`, {b}", "\\{raw}`a`, {b}"),
    ],
)
def test_code_in_a_summary_stays_code(text: str, markdown: str) -> None:
    assert md_summary(text) == markdown


def test_code_list() -> None:
    assert md_code_list(("affine", "a`b")) == "`affine`, ``a`b``"


def test_fenced() -> None:
    assert md_fenced("cse", "text") == "```text\ncse\n```"
    assert md_fenced("a```b", "text") == "````text\na```b\n````"


def test_after_colon() -> None:
    assert after_colon("Number of <b>\n`<b>`.") == r": Number of \<b> `<b>`."
    assert after_colon("") == ""


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("affine-loop-unroll", "affine-loop-unroll"),
        ("a b\"'>é", "a-20-b-22--27--3e--e9-"),
    ],
)
def test_anchor(text: str, name: str) -> None:
    assert md_anchor(text) == name


def test_comment_cannot_be_ended() -> None:
    assert md_comment("passgen --name A -->\n--!> b") == "passgen --name A -- > -- !> b"


@pytest.mark.parametrize(
    ("text", "markdown"),
    [
        # Headings come below the section's; deep enough, they stay.
        ("# A\n\n### B", "### A\n\n##### B"),
        ("#### A\n# B", "###### A\n### B"),
        ("#### A", "#### A"),
        ("##### A\n###### B\n# C", "###### A\n###### B\n### C"),
        ("Title\n=====\ntext", "### Title\ntext"),
        ("Two\nlines\n---", "### Two lines"),
        ("- # A\n> # B\n> - # C", "- ### A\n> ### B\n> - ### C"),
        ("1. one\n\n   # A", "1. one\n\n   ### A"),
        ("#no heading\n\n    # code", "#no heading\n\n    # code"),
        ("1) one\n2) two", "1) one\n2) two"),
        ("text\n2. no list\n===", "### text 2. no list"),
        ("text\n-\nmore", "### text\nmore"),
        ("-\n\n  # A", "-\n\n  ### A"),
        ("-\n  # A", "-\n  ### A"),
        ("-     # code", "-     # code"),
        ("* * *\n# A", "* * *\n### A"),
        ("C #\n===", "### C # #"),
        # Code blocks stay, and are closed where the text would not end them.
        ("```sh\n# a <b>\n```", "```sh\n# a <b>\n```"),
        ("~~~\n```\n# a", "~~~\n```\n# a\n~~~"),
        ("````\n```\n", "````\n```\n````"),
        ("\t# code\n\n```\n\t# a\n```", "    # code\n\n```\n    # a\n```"),
        ("- ```\n  # a\n# b", "- ```\n  # a\n### b"),
        ("> ```\n> # a\n\ntext", "> ```\n> # a\n\ntext"),
        ("> # b\n\n   ```\n   # a", "> ### b\n\n   ```\n   # a\n```"),
        # Directives and roles of MyST are code and text.
        ("```{raw} html\n<b>\n```", "```raw html\n<b>\n```"),
        ("> ~~~ {eval-rst}\n> ~~~", "> ~~~ eval-rst\n> ~~~"),
        (":::{raw} html\n<b>\n:::", "\\:::{raw} html\n\\<b>\n\\:::"),
        ("a {raw}`<b>` {b} {c}d", "a \\{raw}`<b>` {b} {c}d"),
        # HTML is text, but in code; a span may go over lines, not over paragraphs.
        ("[a](<my url> 't') <b>", r"[a](<my url> 't') \<b>"),
        ("[a](<f(x).html#`>)", "[a](<f(x).html#`>)"),
        ("[a]: <é%20/?x=1&y>\n\n[a]", "[1-f94f132e]: <%C3%A9%20/?x=1&amp;y>\n\n[a][1-f94f132e]"),
        ("[a](<https://b.c/>)", "[a](<https://b.c/>)"),
        ("[a](<https://b c>)", "[a](<https://b c>)"),
        (r"[a](<b\>c\\d>)", r"[a](<b\>c\\d>)"),
        ("[a](<b> c)", r"[a](\<b> c)"),
        ("see [a]: <b>", r"see [a]: \<b>"),
        ("`[a](<b>)` [a](<>)", "`[a](<b>)` [a](<>)"),
        ("tensor<i32> `a<b>`", r"tensor\<i32> `a<b>`"),
        ("`a <b>\nc <d>` <e>", "`a <b>\nc <d>` \\<e>"),
        ("`a <b>\n\nc` <d>", "`a \\<b>\n\nc` \\<d>"),
        ("``a` <b>`` <c>", r"``a` <b>`` \<c>"),
        (r"\`<b>\` \<c>", r"\`\<b>\` \<c>"),
        ("a\n<div>", "a\n\\<div>"),
        ("<https://llvm.org> <mailto:a@b>", "<https://llvm.org> <mailto:a@b>"),
        ("<javascript:x>", r"\<javascript:x>"),
        ("# A <b>", r"### A \<b>"),
        # Labels are the text's own; a definition stands on one line.
        (
            "[b][a\n c] ![d] [a c][]\n\n> [a c]:\n>   /u\n>   'e\n>   \"\\\\'\n\n[D]: <>",
            '[b][4-3f98ed79\n ] ![d][9-3f98ed79] [a c][4-3f98ed79]\n\n> [4-3f98ed79]: </u> "e&#10;&quot;&#92;"\n\n[9-3f98ed79]: <>',
        ),
        # Lines that continue a paragraph below a quote or an item.
        ("> quote\nlazy", "> quote\nlazy"),
        ("> quote\nlazy\n> on\n# h", "> quote\nlazy\n> on\n### h"),
        ("> quote\n    # lazy", "> quote\n    # lazy"),
        ("> quote\n===", "> quote\n==="),
        ("> - a\n      # lazy", "> - a\n      # lazy"),
        ("> > a\nlazy", "> > a\nlazy"),
        ("> # h\ntext", "> ### h\ntext"),
        ("- item\nlazy\n  more", "- item\nlazy\n  more"),
        ("a\r\nb\rc", "a\nb\nc"),
        ("a\0b\u202e", "a�b�"),
        ("\n\ntext\n\n\n", "\n\ntext"),
        ("", ""),
    ],
)  # fmt: skip
def test_block(text: str, markdown: str) -> None:
    assert block_text(text, below=2) == markdown


def test_block_in_a_list_item() -> None:
    markdown = block_text("a\n\n```\n  b\n```", below=3, indent=2)

    assert markdown == "  a\n\n  ```\n    b\n  ```"


@pytest.mark.parametrize(
    "text",
    [
        "> " * 10_000 + "x",
        "- " * 10_000 + "x",
        "`" * 10_000 + "<b>",
        "".join(f"{'`' * (i % 100)}<b> " for i in range(3_000)),
        "<" * 10_000,
        "> x\nx\n" * 5_000,
        "> - x\n x\n" * 5_000,
        "[" * 3_000,
        "![" * 3_000,
        "x\n" * 10_000,
        "# x\n" * 10_000,
        "```\n" * 10_001,
    ],
    ids=[
        "quotes",
        "items",
        "ticks",
        "spans",
        "tags",
        "lazy",
        "lazy-items",
        "brackets",
        "images",
        "lines",
        "headings",
        "fences",
    ],
)
def test_block_of_any_size(text: str) -> None:
    markdown = block_text(text, below=2)

    assert [markdown.count(c) for c in "xb<"] == [text.count(c) for c in "xb<"]


@pytest.mark.parametrize("opening", ["![", "[", "[a", "[`"])
def test_brackets_without_number_are_shown_as_code(opening: str) -> None:
    text = "x " + opening * 20_000  # which takes minutes if each end is searched for

    assert block_text(text, below=2) == f"```\n{text}\n```"


def test_brackets_that_begin_no_link_stay() -> None:
    text = "Reads `%a` and [%i, %j] of memref[4][4]. " * 40

    assert block_text(text, below=2) == text.rstrip()
