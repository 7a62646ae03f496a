"""The documentation site: Sphinx, with MyST for Markdown and furo for its looks.

`docs/site.md` says why these; `make docs` builds the site, warnings as errors.
"""

import sys
from pathlib import Path

from passgen.site import theme_options

sys.path.insert(0, str(Path(__file__).parent / "_ext"))

project = "passgen"
author = "The passgen authors"
project_copyright = author
html_title = "passgen"

extensions = [
    "myst_parser",
    "sphinx_design",
    "sphinx.ext.autodoc",
    "passgen.site.sphinx_extension",
    "console_lexer",
    "markdown_pages",
    "pass_table",
    "playground",
    "runtime_reference",
    "search_words",
    "sphinx_copybutton",
]
exclude_patterns = ["demo", "_ext", "**/pictures"]  # pages have copies

passgen_specs = [
    "../specs/affine.yaml",
    "../specs/arith.yaml",
    "../specs/transforms.yaml",
]
passgen_root = "reference/passes/"
passgen_sources = ["../runtime"]

html_theme = "furo"
html_theme_options = theme_options()
smartquotes_action = "D"  # dashes; quotes in rules and code stay as they are typed
html_favicon = "_static/favicon.svg"
html_copy_source = False
html_show_sphinx = False
html_use_index = False  # search and the API page serve better
html_search_scorer = str(Path(__file__).parent / "_ext/search_scorer.js")
html_static_path = ["_static"]
html_extra_path = ["llms.txt"]
html_js_files = [("break_names.js", {"defer": "defer"})]
html_css_files = ["face.css", "site.css"]  # the first is of all sites of passes
pygments_style = "passgen.site.LightStyle"
pygments_dark_style = "passgen.site.DarkStyle"

myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 4

copybutton_prompt_text = "$ "  # of a session, only the commands are copied

add_module_names = False
toc_object_entries_show_parents = "hide"
autodoc_preserve_defaults = True
autodoc_member_order = "bysource"
