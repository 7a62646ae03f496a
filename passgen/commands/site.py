"""`passgen site`: specs to a documentation site that stands on its own."""

from __future__ import annotations

import argparse
import gc
import io
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from html import escape
from pathlib import Path
from typing import Final

from passgen.commands.outcome import EXIT_WRONG, CommandParser, Outcome
from passgen.commands.serving import serve
from passgen.diagnostics import UserError
from passgen.findings import link_warnings
from passgen.generation import read_groups
from passgen.model import PassGroup
from passgen.render import render
from passgen.site import DEFAULT_DRIVER, empty_example, first_example
from passgen.source import STDIN
from passgen.targets import Origin, chosen_targets

_COLOR: Final = re.compile(r"\x1b\[[\d;]*m")
"""The codes with which Sphinx colors its warnings, even in a file."""

_GC_THRESHOLD: Final = 700
"""Python's default: only the collector frees the tree of a page that Sphinx drops."""

_PLAYGROUND: Final = "playground"
"""The folder of the playground in the site."""

_NO_DRIVER: Final = "none"
"""The value of --driver by which examples are not run."""

_TEXT: Final = "llms.txt"
"""The file of the site with all that it says about passes, for language models."""

_MISSING: Final = """\
passgen site: error: it needs Sphinx and furo, and {module} cannot be imported
note: install the extra 'site' of mlir-passgen"""

_NO_TOOLS: Final = """\
passgen site: error: --playground needs passgen_tools, which cannot be imported
note: install mlir-passgen-tools[xdsl]"""


_NO_EXAMPLE: Final = (
    "passgen site: note: no pass with a Python class has an example or shows IR; "
    "the playground opens with an empty function and '{pipeline}'"
)


class _SiteArguments(argparse.Namespace):
    specs: list[str]
    output: str = ""
    title: str = "Passes"
    sources: list[str] | None = None
    source_url: str = ""
    plugins: list[str] | None = None
    driver: str | None = None
    pyodide: str = "node_modules/pyodide"
    serve: bool = False
    port: int = 8000


def run(argv: Sequence[str], _: Path | None) -> Outcome:
    """Write the site of the specs in `argv`."""
    arguments = _parse(argv)
    if not arguments.specs:
        return Outcome(following=_following(arguments))
    groups = read_groups(arguments.specs, are_all=False)
    lost = link_warnings([*groups.by_spec.values()])
    with tempfile.TemporaryDirectory(prefix="passgen-site-") as work:
        messages = _build(arguments, Path(work))
        if arguments.plugins:
            in_browsers = [*_groups_in_browsers(groups.by_spec.values())]
            example = first_example(in_browsers)
            if example is None:
                example = empty_example(in_browsers)
                messages.append(_NO_EXAMPLE.format(**example))
            flags = [*_modules(in_browsers), f"--first={json.dumps(example)}"]
            folder = Path(work, "site", _PLAYGROUND)
            messages += _add_playground(arguments, folder, flags)
        text = _text_of(groups.by_spec)
        Path(work, "site", _TEXT).write_text(text, "utf-8")
        try:
            shutil.copytree(Path(work, "site"), arguments.output, dirs_exist_ok=True)
        except OSError as error:
            text = error.strerror or "it cannot be written"
            message = f"{arguments.output}: error: {text[:1].lower()}{text[1:]}"
            return Outcome(messages=(message,), code=EXIT_WRONG)
    index = str(Path(arguments.output, "index.html"))
    return Outcome(
        lines=(index,),
        messages=(*groups.warnings, *lost, *messages),
        following=_following(arguments),
    )


def _following(arguments: _SiteArguments) -> Iterable[Outcome]:
    if not arguments.serve:
        return ()
    return serve(Path(arguments.output), arguments.port)


def _text_of(groups: Mapping[str, PassGroup]) -> str:
    """Return the Markdown pages of `groups` as one text."""
    [target] = chosen_targets(("markdown",), None)
    texts = []
    for spec, group in groups.items():
        place = Origin(Path(spec).name, "passgen site")
        texts.append(render(target.template, target.values(group, place, ())))
    return "\n".join(texts)


def _groups_in_browsers(groups: Iterable[PassGroup]) -> Iterator[PassGroup]:
    """Yield the groups whose IR library is Python, or that run on any."""
    for group in groups:
        if group.library is None or group.library.is_python:
            yield group


def _modules(groups: Iterable[PassGroup]) -> Iterator[str]:
    """Yield flags with the modules that the passes of `groups` need."""
    found: set[str] = set()
    for group in groups:
        found.update(analysis.python for analysis in group.analyses)
        found.update(option.type.python for option in group.options)
        for pass_ in group.passes:
            functions = (*pass_.native_constraints, *pass_.native_rewrites)
            found |= {pass_.constructor, *(native.function for native in functions)}
    for module in sorted({name.partition(":")[0] for name in found if name}):
        yield f"--module={module}"


def _add_playground(
    arguments: _SiteArguments, folder: Path, more: Iterable[str]
) -> list[str]:
    """Let the tools write the playground to `folder`; return what it warns of.

    Raises:
        UserError: it cannot be made.
    """
    plugins = (f"--plugin={plugin}" for plugin in arguments.plugins or ())
    program = [sys.executable, "-m", "passgen_tools.opt.playground"]
    flags = (f"--pyodide={arguments.pyodide}", f"--title={arguments.title}")
    command = [*program, str(folder), *flags, *plugins, *more]
    roots = (*(arguments.sources or ()), os.environ.get("PYTHONPATH"))
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, roots))}
    done = subprocess.run(  # noqa: S603 - the user names the plugins
        command, env=environment, capture_output=True, text=True, check=False
    )
    if done.returncode and "No module named 'passgen_tools'" in done.stderr:
        raise UserError(_NO_TOOLS)
    messages = [f"passgen site: {line}" for line in done.stderr.splitlines()]
    if done.returncode:
        raise UserError("\n".join(messages))
    return messages


def _build(arguments: _SiteArguments, work: Path) -> list[str]:
    """Build the site in the folder `site` of `work`; return the warnings of Sphinx."""
    try:
        from sphinx.application import Sphinx  # noqa: PLC0415 - an extra
        from sphinx.errors import SphinxError  # noqa: PLC0415 - as above
        from sphinx.util.docutils import docutils_namespace  # noqa: PLC0415 - as above
    except ImportError as error:
        raise UserError(_MISSING.format(module=error.name)) from error
    source = work / "source"
    source.mkdir()
    values = {
        "specs": tuple(str(Path(spec).absolute()) for spec in arguments.specs),
        "title": arguments.title,
        "html_title": escape(arguments.title),
        "sources": tuple(
            str(Path(source).absolute()) for source in arguments.sources or ()
        ),
        "source_url": arguments.source_url,
        "playground": _PLAYGROUND if arguments.plugins else "",
        "driver": _driver(arguments),
    }
    (source / "conf.py").write_text(render("site/conf.py.j2", values), "utf-8")
    warnings = io.StringIO()
    gc.set_threshold(_GC_THRESHOLD)
    try:
        # Nodes of docutils are registered for the process: once a site.
        with docutils_namespace():
            site = Sphinx(
                source,
                source,
                work / "site",
                work / "trees",
                "html",
                status=None,
                warning=warnings,
            )
            site.build()
    except SphinxError as error:
        raise UserError(f"passgen site: error: {error}") from error
    return _COLOR.sub("", warnings.getvalue()).splitlines()


def _driver(arguments: _SiteArguments) -> str:
    """Return the driver that runs the examples, and its flags."""
    if arguments.driver is not None:
        return "" if arguments.driver == _NO_DRIVER else arguments.driver
    plugins = (f"--load-pass-plugin={name}" for name in arguments.plugins or ())
    return shlex.join([DEFAULT_DRIVER, *plugins])


def _parse(argv: Sequence[str]) -> _SiteArguments:
    parser = CommandParser("passgen site")
    add = parser.add_argument
    add("specs", metavar="SPEC", nargs="*", help="a spec")
    add("-o", dest="output", metavar="DIR", required=True, help="folder of the site")
    add("--title", metavar="TEXT", help="heading of the index, by default Passes")
    add(
        "--source",
        dest="sources",
        metavar="DIR",
        action="append",
        help="a root of imports, to find the implementations that specs name",
    )
    add(
        "--source-url",
        metavar="URL",
        help="the address of a line of your sources, with {path} and {line}",
    )
    add(
        "--playground",
        dest="plugins",
        metavar="PLUGIN",
        action="append",
        help="let the examples run in the browser, with the passes of a plugin: the "
        "name of an installed one, or a module",
    )
    add(
        "--pyodide",
        metavar="DIR",
        help="folder of the npm package pyodide, which the playground runs Python "
        "with; node_modules/pyodide by default",
    )
    add(
        "--driver",
        metavar="COMMAND",
        help="runs the examples of passes: the function of a driver, module:function, "
        "and its flags; passgen-opt by default; none: they are not run",
    )
    add("--serve", action="store_true", help="serve the site to this machine")
    add("--port", type=int, help="port of --serve, 8000 by default; 0: any free one")
    arguments = parser.parse_args(argv, _SiteArguments())
    if not arguments.specs and not arguments.serve:
        parser.error("it needs specs, or --serve to show a site that there is")
    if STDIN in arguments.specs:
        parser.error("specs of a site must be files, not standard input")
    return arguments
