"""A Sphinx extension: pages of the passes that specs declare, in a site of one's own.

    extensions = ["passgen.site.sphinx_extension"]
    passgen_specs = ["../specs/*.yaml"]    # from the folder of conf.py
    passgen_root = "passes/"    # folder of the pages; a toctree names passes/index
    passgen_sources = ["../src"]    # roots of imports, where implementations are
    passgen_source_url = "https://example.com/mine/blob/main/{path}#L{line}"
    passgen_playground = "playground"    # its folder, if the site has one
    passgen_driver = "my_dialect.driver:main"    # runs the examples, if not empty

The pages are written below the source folder before Sphinx reads it, and only where
they changed; what is left of earlier specs is removed.
"""

from __future__ import annotations

import re
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

from docutils import nodes
from sphinx.errors import ExtensionError
from sphinx.util.docutils import SphinxDirective
from sphinx.util.logging import getLogger

from passgen import resources
from passgen.diagnostics import UserError
from passgen.findings import link_warnings
from passgen.generation import SpecsError, read_groups
from passgen.model import PassGroup
from passgen.render import render
from passgen.site.example_check import DEFAULT_DRIVER, check_examples
from passgen.site.html import LINK, MLIRLexer
from passgen.site.navigation import Navigation
from passgen.site.pages import FILTERS, NOTICE, SitePage, site_pages
from passgen.site.sources import Sources
from passgen.site.trials import Trial

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sphinx.application import Sphinx

_LOG: Final = getLogger(__name__)
_REFERENCE: Final = re.compile(rf'{LINK}="([^"]*)"')
_MARK: Final = f".. {NOTICE}".encode()


def setup(app: Sphinx) -> dict[str, bool]:
    """Let a site have pages of passes."""
    app.add_config_value("passgen_specs", [], "env", types=[list, tuple])
    app.add_config_value("passgen_root", "passes/", "env", types=[str])
    app.add_config_value("passgen_title", "Passes", "env", types=[str])
    app.add_config_value("passgen_sources", [], "env", types=[list, tuple])
    app.add_config_value("passgen_source_url", "", "env", types=[str])
    app.add_config_value("passgen_playground", "", "env", types=[str])
    app.add_config_value("passgen_driver", DEFAULT_DRIVER, "env", types=[str])
    app.add_directive("passgen-run", _RunLink)
    app.add_lexer("mlir", MLIRLexer)
    navigation = Navigation(app)
    app.connect("builder-inited", partial(_write_pages, navigation=navigation))
    app.connect("doctree-resolved", _resolve_links)
    app.add_css_file("passgen.css")
    app.add_js_file("passgen.js")
    return {"parallel_read_safe": True, "parallel_write_safe": True}


class _RunLink(SphinxDirective):
    """A link to the playground: `.. passgen-run:: PIPELINE` runs the IR above it."""

    optional_arguments = 1
    final_argument_whitespace = True

    def run(self) -> list[nodes.Node]:
        """Return the link, or nothing in a site without a playground."""
        playground = self.config.passgen_playground
        if not playground:
            return []
        trial = Trial(playground, " ".join(self.arguments))
        text = render("site/_run.html.j2", {"trial": trial}, own=FILTERS)
        return [nodes.raw("", text, format="html")]


def _write_pages(app: Sphinx, *, navigation: Navigation) -> None:
    static = resources.templates() / "site" / "static"
    app.config.html_static_path.append(str(static))
    groups = _groups(app)
    source = Path(app.srcdir)
    root = app.config.passgen_root
    try:
        folders = (
            Path(app.confdir, passgen_source)
            for passgen_source in app.config.passgen_sources
        )
        sources = Sources(app.config.passgen_source_url, tuple(folders))
        title, playground = app.config.passgen_title, app.config.passgen_playground
        pages = [*site_pages(groups, title, root, sources, playground)]
        navigation.set_pages(pages)
        written = {_write_page(source, page) for page in pages}
    except UserError as error:
        raise ExtensionError(str(error)) from error
    for path in (source / root).rglob("*.rst"):
        if path not in written and path.read_bytes().startswith(_MARK):
            path.unlink()


def _write_page(source: Path, page: SitePage) -> Path:
    """Write the file of a page, unless it is up to date; return its path."""
    path, content = source / f"{page.document}.rst", page.text.encode()
    path.parent.mkdir(parents=True, exist_ok=True)
    if not path.exists() or path.read_bytes() != content:
        path.write_bytes(content)
    return path


def _specs(app: Sphinx) -> list[Path]:
    folder = Path(app.confdir)
    found: list[Path] = []
    for pattern in app.config.passgen_specs:
        path = Path(pattern)
        paths = [path] if path.is_absolute() else sorted(folder.glob(pattern))
        if not paths:
            message = f"passgen_specs: no file is named {pattern}, seen from {folder}"
            raise ExtensionError(message)
        found += paths
    return found


def _groups(app: Sphinx) -> list[PassGroup]:
    specs = [str(path) for path in _specs(app)]
    for spec in specs:
        app.env.note_dependency(spec)
    try:
        groups = read_groups(specs, are_all=False)
    except SpecsError as error:
        raise ExtensionError(f"a spec is wrong\n{error}") from error
    declared = list(groups.by_spec.values())
    _check_examples(app, groups.by_spec)
    for warning in (*groups.warnings, *link_warnings(declared)):
        _LOG.warning(warning.render(), type="passgen", subtype="spec")
    return declared


def _check_examples(app: Sphinx, groups: Mapping[str, PassGroup]) -> None:
    """Run the examples on the pages, so that a site shows nothing untrue.

    Raises:
        ExtensionError: an example is stale.
    """
    driver = app.config.passgen_driver
    specs = [
        spec
        for spec, group in groups.items()
        if any(pass_.examples for pass_ in group.passes)
    ]
    if not (specs and driver):
        return
    folders = [Path(app.confdir, name) for name in app.config.passgen_sources]
    found = check_examples(specs, driver, folders)
    if found.errors:
        raise ExtensionError(f"examples of passes are stale\n{found.errors}")
    if found.warning:
        _LOG.warning(found.warning, type="passgen", subtype="example")


def _resolve_links(app: Sphinx, doctree: nodes.document, document: str) -> None:
    def uri(match: re.Match[str]) -> str:
        target, mark, place = match[1].partition("#")
        return f'href="{app.builder.get_relative_uri(document, target)}{mark}{place}"'

    for node in doctree.findall(nodes.raw):
        if LINK in node.astext():
            text = _REFERENCE.sub(uri, node.astext())
            node.replace_self(nodes.raw("", text, format=node["format"]))
