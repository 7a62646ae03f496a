"""Words that people search for: `<!-- search: WORDS -->`, and names below a title.

Such a comment, above the heading of a page, has words or short questions, separated by
commas: `<!-- search: segfault, my pass is not called -->`. Sphinx's index then has all
of these words for the page. Each question is an index entry besides, and
`search_scorer.js` compares it with a query as it compares the title. So is each name
on a line of code alone below the title: the commands or classes that a page is about.
The search ignores words that only make a question, such as "which" and "my".
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.search.en import SearchEnglish
from sphinx.transforms import SphinxTransform

WORDS: Final = re.compile(r"<!-- search: (.+?) -->", re.DOTALL)
_IN_QUESTIONS: Final = """
    can did do does has have how i me my should what when where which who why you your
"""


class SearchWords(SphinxTransform):
    """Adds nodes that Sphinx's index reads, of the comment and of the names."""

    default_priority = 800  # domains collect index entries at 850

    def apply(self, **_: object) -> None:
        """Replace the comment of a page, and add entries for its names."""
        if line := _line_of_names(self.document):
            line["classes"].append("names")
            names = [name.astext() for name in line.findall(nodes.literal)]
            line.parent.insert(line.parent.index(line) + 1, _entries(names))
        for node in list(self.document.findall(nodes.raw)):
            if found := WORDS.fullmatch(node.astext().strip()):
                phrases = split_phrases(found[1])
                words = ", ".join(dict.fromkeys(" ".join(phrases).split()))
                keywords = nodes.meta(name="keywords", content=words)
                node.replace_self([keywords, _entries(phrases)])


def _entries(phrases: Iterable[str]) -> addnodes.index:
    entries = [("single", phrase, "", "", None) for phrase in phrases]
    return addnodes.index(entries=entries)


def _line_of_names(document: nodes.document) -> nodes.paragraph | None:
    """Return the paragraph below the title of a page, if it is only code and commas."""
    title = next(document.findall(nodes.title), None)
    line = title.next_node(descend=False, siblings=True) if title else None
    if not isinstance(line, nodes.paragraph):
        return None
    texts = (part for part in line.children if not isinstance(part, nodes.literal))
    return None if any(text.astext() != ", " for text in texts) else line


def split_phrases(text: str) -> list[str]:
    """Return the phrases of a comment, in lower case."""
    return [" ".join(phrase.lower().split()) for phrase in text.split(",")]


class Questions(SearchEnglish):
    """English, in which words that only make a question are not searched for."""

    lang = "en"
    stopwords = SearchEnglish.stopwords | frozenset(_IN_QUESTIONS.split())


def setup(app: Sphinx) -> dict[str, bool]:
    """Add the comment and the language."""
    app.add_transform(SearchWords)
    app.add_search_language(Questions)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
