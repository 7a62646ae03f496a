"""The rules that every template follows, so that it reads like its output."""

from __future__ import annotations

import re
from pathlib import Path

import jinja2
import pytest
from jinja2 import nodes

from passgen import resources, site
from passgen.render import filters
from passgen.targets import TARGETS

ROOT = resources.templates()
TEMPLATES = sorted(path.relative_to(ROOT).as_posix() for path in ROOT.rglob("*.j2"))
ALLOWED = {
    nodes.Template, nodes.Output, nodes.TemplateData, nodes.For, nodes.If, nodes.Name,
    nodes.Getattr, nodes.Filter, nodes.FilterBlock, nodes.Include, nodes.Const,
}  # fmt: skip
"""The parts that a template may have: no `set`, arithmetic, comparison or macro."""


def source(name: str) -> str:
    return (ROOT / name).read_text("utf-8")


def tree(name: str) -> nodes.Template:
    environment = jinja2.Environment(autoescape=True)  # which parsing does not heed
    return environment.parse(source(name))


def test_each_file_below_templates_is_a_template() -> None:
    # A browser reads what is in `static`; nothing is filled in there.
    files = [
        path
        for path in ROOT.rglob("*")
        if path.is_file() and path.parent != ROOT / "site" / "static"
    ]

    assert len(TEMPLATES) > len(TARGETS)
    assert [path.name for path in files if path.suffix != ".j2"] == []


@pytest.mark.parametrize("name", TEMPLATES)
def test_layout_needs_no_trimming_marks(name: str) -> None:
    assert re.findall(r"\{[%{]-|-[%}]\}", source(name)) == []


@pytest.mark.parametrize("name", TEMPLATES)
def test_control_tags_stand_alone_on_their_line(name: str) -> None:
    tagged = [line for line in source(name).splitlines() if "{%" in line]

    crowded = [line for line in tagged if not re.fullmatch(r"\{% [^%]+ %\}", line)]
    assert crowded == []


@pytest.mark.parametrize("name", TEMPLATES)
def test_logic_is_for_and_if_over_attributes(name: str) -> None:
    found = list(tree(name).find_all(nodes.Node))
    tests = [node.test for node in found if isinstance(node, nodes.If)]

    assert {type(node) for node in found} <= ALLOWED
    assert {type(test) for test in tests} <= {nodes.Getattr}
    assert "loop" not in {node.name for node in found if isinstance(node, nodes.Name)}


@pytest.mark.parametrize("name", TEMPLATES)
def test_every_value_passes_a_filter_of_the_target(name: str) -> None:
    folder = name.split("/", maxsplit=1)[0]
    syntaxes = {"python": "py_", "markdown": "md_", "tablegen": "td_"}
    syntaxes |= {"mlir-markdown": "md_", "native-python": "py_"}
    # What is imported, a new pass and a site are files of several languages.
    by_suffix = f"{Path(name).suffixes[0].removeprefix('.')}_"
    is_mixed = folder in {"import", "new", "site"}
    prefix = by_suffix if is_mixed else syntaxes.get(folder, "cpp_")
    others = {"rst_": ("html_",), "ini_": ("mlir_", "py_"), "cfg_": ("mlir_", "py_")}
    prefixes = (prefix, *others.get(prefix, ()))
    values = [
        node
        for output in tree(name).find_all(nodes.Output)
        for node in output.nodes
        if not isinstance(node, nodes.TemplateData)
    ]
    filters = [node.name for node in tree(name).find_all(nodes.Filter)]

    assert all(isinstance(node, nodes.Filter) for node in values)
    assert [each for each in filters if not each.startswith(prefixes)] == []


def test_each_template_is_a_targets_or_a_partial_in_use() -> None:
    included = {
        node.template.value
        for name in TEMPLATES
        for node in tree(name).find_all(nodes.Include)
        if isinstance(node.template, nodes.Const)
    }

    targets = {target.template for target in TARGETS.values()}
    own = {"completion", "import", "new", "site"}  # of the commands of those names
    commands = {name for name in TEMPLATES if name.split("/")[0] in own}
    assert included | targets | commands == set(TEMPLATES)
    assert all(Path(name).name.startswith("_") for name in included)


def test_each_filter_is_used() -> None:
    used = {
        node.name for name in TEMPLATES for node in tree(name).find_all(nodes.Filter)
    }

    assert used == {*filters.FILTERS} | {each.__name__ for each in site.FILTERS}
