"""The passes of a group in the navigation of its pages, and of no others.

Passes are in no table of contents, which would repeat them on each page of the site.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Final

from docutils import nodes
from sphinx import addnodes
from sphinx.builders.html import StandaloneHTMLBuilder
from sphinx.environment.adapters.toctree import global_toctree_for_doc

from passgen.site.pages import SitePage

if TYPE_CHECKING:
    from sphinx.application import Sphinx

_BEFORE_THEMES: Final = 400
"""The priority of the handler: themes take the navigation at 500."""


class Navigation:
    """Adds the pages of a group to the navigation of each of them."""

    def __init__(self, app: Sphinx) -> None:
        """Take part in writing the pages of `app`."""
        self._by_group: dict[str, list[SitePage]] = {}
        self._groups: dict[str, str] = {}
        app.connect("html-page-context", self._add, priority=_BEFORE_THEMES)

    def set_pages(self, pages: Iterable[SitePage]) -> None:
        """Take the pages of all groups."""
        for page in pages:
            if page.group:
                self._groups[page.document] = page.group
                self._by_group.setdefault(page.group, []).append(page)

    def _add(
        self, app: Sphinx, document: str, _: str, context: dict[str, Any], *__: object
    ) -> None:
        group = self._groups.get(document)
        if group is None or "toctree" not in context:
            return

        def toctree(**arguments: Any) -> str:  # noqa: ANN401 - those of Sphinx's own
            arguments = {"collapse": True, "includehidden": False, **arguments}
            builder = app.builder
            assert isinstance(builder, StandaloneHTMLBuilder)  # the event is its own
            # A page of a pass is in no table; its group is, in the same folder.
            tree = global_toctree_for_doc(
                app.env, group, builder, tags=builder.tags, **arguments
            )
            tree = nodes.bullet_list() if tree is None else tree
            item = _item_of_group(tree)
            if item is None:
                item = _item(1, self._by_group[group][0], is_current=True, uri="")
                tree += item
            _, _, level = item["classes"][0].rpartition("l")
            reference = next(item.findall(nodes.reference))
            reference["refuri"] = (
                "#"
                if document == group
                else app.builder.get_relative_uri(document, group)
            )
            passes = nodes.bullet_list()
            for page in self._by_group[group][1:]:
                uri = app.builder.get_relative_uri(document, page.document)
                is_current = page.document == document
                passes += _item(
                    int(level) + 1, page, is_current=is_current, uri=uri or "#"
                )
            if passes.children:
                item += passes
            return str(builder.render_partial(tree)["fragment"])

        context["toctree"] = toctree


def _item_of_group(tree: nodes.Element) -> nodes.list_item | None:
    """Return the innermost item of `tree` that is current, if there is one."""
    items = tree.findall(nodes.list_item)
    current = [item for item in items if "current" in item["classes"]]
    return current[-1] if current else None


def _item(level: int, page: SitePage, *, is_current: bool, uri: str) -> nodes.list_item:
    classes = ["current"] if is_current else []
    reference = nodes.reference(
        "", page.title, internal=True, refuri=uri, classes=classes
    )
    line = addnodes.compact_paragraph("", "", reference)
    return nodes.list_item("", line, classes=[f"toctree-l{level}", *classes])
