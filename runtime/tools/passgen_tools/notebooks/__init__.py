"""Pass managers, and runs of pipelines, in HTML for the cells of notebooks.

    %load_ext passgen_tools.notebooks

lets cells show pass managers as nested boxes. A result of `run` is shown without it.
"""

from passgen_tools.notebooks.pipeline_boxes import (
    load_ipython_extension as load_ipython_extension,
)
from passgen_tools.notebooks.pipeline_boxes import pipeline_html as pipeline_html
from passgen_tools.notebooks.run_page import Message as Message
from passgen_tools.notebooks.run_page import PassFacts as PassFacts
from passgen_tools.notebooks.run_page import run_html as run_html
