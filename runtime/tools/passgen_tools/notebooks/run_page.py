"""The run of a pipeline in HTML: boxes of passes, a table of messages, and lines of IR.

The colours are those of reports, on a ground of its own: light or dark as the notebook
is, if it says so as Jupyter, Colab and VS Code do, or else as the system is.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from html import escape
from itertools import chain
from typing import Final, NamedTuple

from passgen_rules.code_colors import IR_TOKENS, css_declarations
from passgen_runtime.operation_pass import Pass, PassSequence
from passgen_runtime.pass_statistics import declared_statistics
from passgen_tools.notebooks.pipeline_boxes import pipeline_html

_CLASS: Final = "passgen-run"
_LIGHT_PAGES: Final = (
    '[data-jp-theme-light="true"]',
    '[theme="light"]',
    '[data-theme="light"]',
    ".vscode-light",
)
_DARK_PAGES: Final = (
    '[data-jp-theme-light="false"]',
    '[theme="dark"]',
    '[data-theme="dark"]',
    ".vscode-dark",
)
"""Selectors of notebooks that say which colours they have."""

_RULES: Final = """\
.passgen-run { background: var(--ground); color: var(--text); padding: 0.6rem 0.8rem; }
.passgen-run table { border-collapse: collapse; margin: 0.4rem 0; color: inherit; }
.passgen-run tr { background: transparent; }
.passgen-run th, .passgen-run td { padding: 0.15rem 1rem 0.15rem 0; text-align: left;
  vertical-align: top; border-bottom: 1px solid var(--line); }
.passgen-run th { color: var(--quiet); }
.passgen-run pre { margin: 0.4rem 0; padding: 0.3rem 0; overflow-x: auto;
  background: var(--raised); border: 1px solid var(--line); color: inherit; }
.passgen-run pre > div { padding: 0 0.6rem; width: max-content; min-width: 100%;
  box-sizing: border-box; }
.passgen-run .scrolled { overflow-x: auto; }
.passgen-run .hunk { color: var(--quiet); }
.passgen-run .added { background: var(--added); }
.passgen-run .removed { background: var(--removed); }
"""

_KINDS: Final = tuple(kind for kind, _ in IR_TOKENS)
_TOKEN: Final = re.compile("|".join(f"({pattern})" for _, pattern in IR_TOKENS))
_LONG_LINE: Final = 5000
"""A longer line has no colours."""

_OF_CHANGE: Final = {"+": "added", "-": "removed"}


class Message(NamedTuple):
    """What a pass said in a run."""

    kind: str
    place: str
    text: str


@dataclass
class PassFacts:
    """The time and the calls of each pass of a run."""

    seconds: dict[Pass, float] = field(default_factory=dict)
    skipped: set[Pass] = field(default_factory=set)

    def of(self, pass_: Pass) -> str:
        """Return the time and the counts of a pass; "" if it did not run."""
        counts = (
            f"{counter.display_name} {counter.value}"
            for counter in declared_statistics(pass_)
            if counter.value
        )
        seconds = self.seconds.get(pass_)
        if seconds is None:
            return "skipped" if pass_ in self.skipped else ""
        return ", ".join((f"{seconds * 1e3:.3f} ms", *counts))


def run_html(
    manager: PassSequence[Pass],
    facts: PassFacts,
    summaries: Iterable[str],
    messages: Sequence[Message],
    lines: Iterable[str],
) -> str:
    """Return a run as HTML.

    Args:
        manager: the pass manager that ran.
        facts: what its passes did.
        summaries: lines about all of them.
        messages: what they said.
        lines: a unified diff of IR, or IR.
    """
    parts = (
        f"<style>{_style()}</style>",
        pipeline_html(manager, facts.of),
        *(f"<div>{escape(summary)}</div>" for summary in summaries),
        _table_html(Message._fields, messages) if messages else "",
        f"<pre>{''.join(map(_line_html, lines))}</pre>",
    )
    return f'<div class="{_CLASS}">{"".join(parts)}</div>'


def _style() -> str:
    light, dark = css_declarations()

    def of_pages(pages: Iterable[str], declarations: str) -> str:
        selectors = ", ".join(f"{page} .{_CLASS}" for page in pages)
        return f"{selectors} {{\n{declarations}}}\n"

    system = "@media (prefers-color-scheme: dark)"
    return "".join(
        (
            f".{_CLASS} {{\n{light}}}\n",
            f"{system} {{ .{_CLASS} {{\n{dark}}} }}\n",
            of_pages(_LIGHT_PAGES, light),
            of_pages(_DARK_PAGES, dark),
            _RULES,
            *(
                f".{_CLASS} .{kind} {{ color: var(--{kind}); }}\n"
                for kind in filter(None, _KINDS)
            ),
        )
    )


def _table_html(head: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    def row_html(cell: str, texts: Iterable[str]) -> str:
        return "".join(f"<{cell}>{escape(text)}</{cell}>" for text in texts)

    shown = chain([row_html("th", head)], (row_html("td", row) for row in rows))
    table = f"<table>{''.join(f'<tr>{row}</tr>' for row in shown)}</table>"
    return f'<div class="scrolled">{table}</div>'


def _line_html(line: str) -> str:
    if line.startswith("@@ "):
        return f'<div class="hunk">{escape(line)}</div>'
    change = _OF_CHANGE.get(line[:1], "")
    kind = f' class="{change}"' if change else ""
    mark, code = (line[:1], line[1:]) if change else ("", line)
    return f"<div{kind}>{mark}{''.join(_code_html(code)) or ' '}</div>"


def _code_html(line: str) -> Iterator[str]:
    if len(line) > _LONG_LINE:
        yield escape(line)
        return
    for token in _TOKEN.finditer(line):
        kind = _KINDS[(token.lastindex or 0) - 1]
        text = escape(token[0])
        yield f'<span class="{kind}">{text}</span>' if kind else text
