"""HTML pages without a script, of templates in which `@NAME@` stands for a part."""

# ruff: noqa: I001 - `A as A` re-exports A; isort would write an import per name

from passgen_tools.static_pages.page_templates import (
    PageTemplates as PageTemplates,
    html_text as html_text,
)
