"""Words that people search for and a page does not say: `<!-- search: WORDS -->`.

Such a comment, above the heading of a page, has words or short questions, separated by
commas: `<!-- search: segfault, my pass is not called -->`. Sphinx's index then has all
of these words for the page. Each question is an index entry besides, and
`search_scorer.js` compares it with a query as it compares the title.
The search ignores words that only make a question, such as "which" and "my".
"""

from __future__ import annotations

import re
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
    """Replaces the comment by nodes that Sphinx's index reads."""

    default_priority = 800  # domains collect index entries at 850

    def apply(self, **_: object) -> None:
        """Replace the comment of a page."""
        for node in list(self.document.findall(nodes.raw)):
            if found := WORDS.fullmatch(node.astext().strip()):
                phrases = split_phrases(found[1])
                words = ", ".join(dict.fromkeys(" ".join(phrases).split()))
                entries = [("single", phrase, "", "", None) for phrase in phrases]
                node.replace_self(
                    [
                        nodes.meta(name="keywords", content=words),
                        addnodes.index(entries=entries),
                    ]
                )


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
