"""HTML syntax: text, code and Markdown of an author, for a site.

Needs Pygments, which the extra `site` installs.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from html import escape
from textwrap import indent
from typing import Any, ClassVar, Final

from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexer import Lexer, RegexLexer
from pygments.lexers import TextLexer, get_lexer_by_name
from pygments.util import ClassNotFound

from passgen.passgen_rules.code_colors import IR_TOKENS
from passgen.render import (
    fenced_ir,
    is_line,
    linked_heading,
    linked_name,
    visible,
)
from passgen.site.code_style import IR_TYPES


class MLIRLexer(RegexLexer):
    """Operations, values, symbols, types and strings, as reports colour them."""

    name = "MLIR"
    aliases: ClassVar[list[str]] = ["mlir"]
    filenames: ClassVar[list[str]] = ["*.mlir"]
    flags = re.MULTILINE | re.ASCII

    tokens: ClassVar[dict[str, list[Any]]] = {
        "root": [(pattern, IR_TYPES[color]) for color, pattern in IR_TOKENS]
    }


LINK: Final = "data-passgen"
"""The attribute that names the document of a link; the builder puts its address there.

HTML of authors is text, so that they cannot write it.
"""

_MAX_HEADING: Final = 6
_CODE: Final = re.compile("(?<!`)`([^`]+)`(?!`)")
_UNSAFE_IN_ID: Final = re.compile(r"[^A-Za-z0-9.-]")


def html_text(text: str) -> str:
    """Return `text` as it is, for an element or an attribute in double quotes."""
    return escape(visible(text))


@dataclass(frozen=True)
class Links:
    """What a text of an author leads to."""

    code: Mapping[str, str]
    """What code leads to: a document, as a pass's argument does, or a place on the same
    page, after "#"."""

    pages: Mapping[str, str]
    """The documents of passes, pipelines and bundles, by their anchors in Markdown."""

    headings: tuple[str, ...] = ()
    """The headings of the page, which a text repeats in no heading of its own."""


def html_summary(text: str) -> str:
    """Return `text`, in which code between backquotes is code."""
    return _CODE.sub(r'<code class="literal">\1</code>', html_text(text))


def html_id(text: str) -> str:
    """Return the id of `text`; different texts have different ids."""
    return _UNSAFE_IN_ID.sub(lambda match: f"_{ord(match[0]):x}_", text)


def html_codes(names: Sequence[object]) -> str:
    """Return names as code."""
    return html_links([str(name) for name in names], {})


def html_links(names: Sequence[str], documents: Mapping[str, str]) -> str:
    """Return names as code, each leading to its document if it has one."""
    texts = []
    for name in names:
        code = f'<code class="literal">{html_text(name)}</code>'
        href = documents.get(name)
        texts.append(f'<a {LINK}="{html_text(href)}">{code}</a>' if href else code)
    return " ".join(texts)


def html_code(text: str, language: str) -> str:
    """Return a block of code, highlighted as Sphinx does it."""
    inner = highlight(visible(text), _lexer(language), HtmlFormatter())
    return (
        f'<div class="highlight-{html_id(language)} notranslate">{inner.strip()}</div>'
    )


def html_description(text: str, links: Links) -> str:
    """Return the Markdown of an item of a list as HTML, as `html_markdown` does."""
    return _html(text.strip() if is_line(text) else fenced_ir(text), 3, links)


def html_markdown(text: str, below: int, links: Links) -> str:
    """Return Markdown as HTML; HTML in it is text, and bare IR is code.

    Args:
        text: what an author wrote.
        below: the level of the section's heading; the text's highest heading comes one
            level below.
        links: what code and links lead to.
    """
    return _html(fenced_ir(text), below, links)


def _html(text: str, below: int, links: Links) -> str:
    tokens = _markdown().parse("\n".join(map(visible, text.splitlines())))
    for part in (part for token in tokens for part in token.children or ()):
        if part.type == "link_open":
            _lead_inside(part, tokens, links.pages)
    tokens = _without_headings(tokens, links.headings)
    _lower_headings(tokens, below)
    for token in tokens:
        if token.children:
            token.children = _link(token.children, links.code)
    markdown = _markdown()
    return str(markdown.renderer.render(tokens, markdown.options, {})).strip()


def _without_headings(tokens: list[Token], headings: Sequence[str]) -> list[Token]:
    """Return `tokens` without the headings that the page has itself, in any case."""
    taken = {heading.casefold() for heading in headings}
    repeated = {
        at
        for at, token in enumerate(tokens[:-2])
        if token.type == "heading_open" and _words(tokens[at + 1]).casefold() in taken
    }
    dropped = {at + part for at in repeated for part in range(3)}  # open, text, close
    return [token for at, token in enumerate(tokens) if at not in dropped]


def _words(inline: Token) -> str:
    parts = inline.children or ()
    return "".join(part.content for part in parts).strip().removesuffix(":")


def _lead_inside(link: Token, tokens: list[Token], pages: Mapping[str, str]) -> None:
    """Let a link lead to the page of the site, or to the heading, that it means."""
    href = str(link.attrGet("href"))
    name = linked_name(href, pages)
    heading = linked_heading(href, tokens)
    if heading is not None:
        heading.attrSet("id", href.removeprefix("#"))
    elif name is not None:
        link.attrs = {**link.attrs, LINK: pages[name]}
        del link.attrs["href"]


@cache
def _markdown() -> MarkdownIt:
    markdown = MarkdownIt("commonmark", {"html": False}).enable("table")
    markdown.add_render_rule("fence", _code_block)
    markdown.add_render_rule("code_block", _code_block)
    return markdown


def _code_block(
    _renderer: RendererHTML, tokens: Sequence[Token], index: int, *__: object
) -> str:
    language = tokens[index].info.partition(" ")[0]
    return html_code(tokens[index].content, language or "text") + "\n"


def _lexer(language: str) -> Lexer:
    if language == "mlir":
        return MLIRLexer()
    try:
        return get_lexer_by_name(language)
    except ClassNotFound:
        lexer: Lexer = TextLexer()
        return lexer


def _lower_headings(tokens: Sequence[Token], below: int) -> None:
    levels = [int(token.tag[1:]) for token in tokens if token.type == "heading_open"]
    shift = max(0, below + 1 - min(levels, default=below + 1))
    for token in tokens:
        if token.type in {"heading_open", "heading_close"}:
            token.tag = f"h{min(int(token.tag[1:]) + shift, _MAX_HEADING)}"


def _link(tokens: Sequence[Token], links: Mapping[str, str]) -> list[Token]:
    """Return `tokens` with links around code that names a document."""
    linked: list[Token] = []
    depth = 0
    for token in tokens:
        depth += token.nesting if token.type.startswith("link_") else 0
        if token.type == "code_inline":
            token.attrSet("class", "literal")  # as Sphinx has it, for the theme
        target = links.get(token.content) if token.type == "code_inline" else None
        if target is None or depth:
            linked.append(token)
        else:
            attribute = "href" if target.startswith("#") else LINK
            linked += [
                Token("link_open", "a", 1, attrs={attribute: target}),
                token,
                Token("link_close", "a", -1),
            ]
    return linked


def page_file(argument: str) -> str:
    """Return the name of the file about a pass or pipeline, without its suffix.

    It differs from those of others where case is ignored, and from the index.
    """
    lower = re.sub("[A-Z]", lambda match: match[0].lower(), argument)
    upper = sum(1 << at for at, char in enumerate(argument) if char != lower[at])
    name = html_id(lower)
    # The underscores of an id come in pairs.
    return f"{name}_{upper:x}" if upper or name == "index" else name


_SPECIAL: Final = re.compile(r"[^\w\s.,;()-]|_")


def rst_title(text: str, mark: str) -> str:
    """Return the heading `text`, underlined with `mark`."""
    escaped = _SPECIAL.sub(r"\\\g<0>", " ".join(visible(text).split()))
    if escaped[:1] not in {"\\", ""} and not escaped[0].isalpha():
        escaped = f"\\{escaped}"  # "1." and "-" would begin a list
    return f"{escaped}\n{mark * max(2 * len(escaped), 4)}"


def rst_path(document: str) -> str:
    """Return the name of a document for a table of contents, from the source's root."""
    return f"/{document}"


def rst_comment(text: str) -> str:
    """Return `text` as a part of a comment, on one line."""
    return " ".join(visible(text).split())


def rst_raw_html(html: str) -> str:
    """Return a block of HTML, which is not read as reStructuredText."""
    return f".. raw:: html\n\n{indent(html, '   ')}"
