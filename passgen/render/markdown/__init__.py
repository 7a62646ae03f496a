"""Markdown syntax: plain text and texts of authors as the source of a page.

The dialect is CommonMark, as markdown-it reads it. What MyST would execute, directives
and roles, is text. Functions named `md_...` are filters of the templates.

    md_text("a < b | *c*") is the source that renders as these characters
    block_text("# Title", below=2) == "### Title"
"""

# ruff: noqa: I001 - `A as A` re-exports A; isort would write an import per name

from passgen.render.markdown.author_text import (
    after_colon as after_colon,
    block_text as block_text,
)
from passgen.render.markdown.parsing import (
    MARGIN as MARGIN,
    paragraphs as paragraphs,
)
from passgen.render.markdown.plain_text import (
    fenced_block as fenced_block,
    heading_anchor as heading_anchor,
    md_anchor as md_anchor,
    md_cell as md_cell,
    md_code as md_code,
    md_code_list as md_code_list,
    md_comment as md_comment,
    md_fenced as md_fenced,
    md_indent as md_indent,
    md_link as md_link,
    md_links as md_links,
    md_pad as md_pad,
    md_summary as md_summary,
    md_text as md_text,
    md_verbatim as md_verbatim,
    visible as visible,
)
