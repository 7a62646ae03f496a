"""Reports in notebooks: a run record that a cell shows as its page."""

from __future__ import annotations

import html
from typing import Final

from passgen_tools.record import RunRecord
from passgen_tools.report.data import report_data
from passgen_tools.report.page import html_page

_HEIGHT: Final = "640px"


class Report(RunRecord):
    """A run record, which notebooks show as the page of its report.

    A cell that ends with `Report("run.db")` shows what `record(manager, "run.db")` has
    written.
    """

    def __repr__(self) -> str:
        """Return the number of passes that ran, and of those that changed something."""
        count = f"{len(self.changed)} of {len(self.executions)} executions changed"
        return f"<Report of '{self.path}': {count}>"

    def _repr_html_(self) -> str:
        """Return the page in a frame, whose scripts cannot reach the notebook."""
        page = html.escape(html_page(report_data(self.path), self.path.name))
        # The page asks forms for texts to look for, and its policy lets it send none.
        allowed = "allow-scripts allow-forms"
        style = f"width: 100%; height: {_HEIGHT}; border: 0"
        return f'<iframe sandbox="{allowed}" style="{style}" srcdoc="{page}"></iframe>'
