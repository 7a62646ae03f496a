"""Generated Python compiles and declares exactly what is in the model, in any layout."""

from __future__ import annotations

import ast
import math
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from passgen import naming
from passgen.model import Option, OptionValue, Pass, PassGroup
from passgen.render import laid_out, render
from passgen.render import python as python_syntax
from passgen.render.python import docstring
from passgen.targets import TARGETS
from passgen.targets.origin import Origin
from tests import model_groups

ORIGIN = Origin('specs/it\'s "odd".yaml', "passgen 'specs/odd'")


LAYOUTS = (
    "",
    "line-length = 40",
    "line-length = 200\nskip-magic-trailing-comma = true",
    "skip-string-normalization = true",
    "preview = true",
)


def generated(group: PassGroup) -> str:
    target = TARGETS["python"]
    return render(target.template, target.values(group, ORIGIN))


def laid_out_as(layout: str, text: str) -> str:
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "pyproject.toml").write_text(f"[tool.black]\n{layout}\n")
        return laid_out("x.py", text, Path(folder))


def without_indentation(text: str, indent: int) -> str:
    first, *rest = text.split("\n")
    return "\n".join([first, *(line.removeprefix(" " * indent) for line in rest)])


def as_docstring(text: str) -> str:
    return text + "\n" if "\n" in text and not text.endswith("\n") else text


def classes(tree: ast.Module) -> dict[str, ast.ClassDef]:
    return {node.name: node for node in tree.body if isinstance(node, ast.ClassDef)}


def assigned(cls: ast.ClassDef) -> dict[str, ast.expr]:
    return {
        node.targets[0].id: node.value
        for node in cls.body
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name)
    }


def strings(node: ast.AST) -> list[object]:
    return [each.value for each in ast.walk(node) if isinstance(each, ast.Constant)]


def check_pass(pass_: Pass, of_name: dict[str, ast.ClassDef]) -> None:
    cls = of_name[naming.base_class(pass_.name)]
    values = assigned(cls)
    expected = docstring(pass_.summary, pass_.description)
    doc = ast.get_docstring(cls, clean=False)
    assert doc is not None
    assert without_indentation(doc, 4) == as_docstring(expected)
    assert ast.literal_eval(values["argument"]) == pass_.argument
    assert ast.literal_eval(values["summary"]) == pass_.summary
    assert ast.literal_eval(values["declared_in"]) == ORIGIN.spec
    tags = ast.literal_eval(values.get("tags", ast.Tuple([])))
    assert tags == tuple(each.name for each in pass_.constraints.tags)
    for statistic in pass_.statistics:
        call = values[naming.snake_case(statistic.name)]
        assert isinstance(call, ast.Call)
        told = [ast.literal_eval(each) for each in call.args]
        assert told == [statistic.display_name, statistic.description]
    if pass_.options:
        fields = list(option_calls(of_name[naming.options_class(pass_.name)]))
        assert [name for name, _, _ in fields] == [
            naming.snake_case(option.name) for option in pass_.options
        ]
        for option, (_, call, doc) in zip(pass_.options, fields, strict=True):
            check_option(option, call, doc)


def option_calls(cls: ast.ClassDef) -> Iterator[tuple[str, ast.Call, str]]:
    for node, following in zip(cls.body, [*cls.body[1:], ast.Pass()], strict=True):
        if isinstance(node, ast.AnnAssign):
            assert isinstance(node.target, ast.Name)
            assert isinstance(node.value, ast.Call)
            doc = strings(following)[0] if isinstance(following, ast.Expr) else ""
            yield node.target.id, node.value, str(doc)


def check_option(option: Option, call: ast.Call, doc: str) -> None:
    keywords = {each.arg: each.value for each in call.keywords}
    assert ast.literal_eval(call.args[0]) == option.argument
    assert ("description" in keywords) == bool(option.description)
    if option.description:
        assert ast.literal_eval(keywords["description"]) == option.description
    assert doc == ""  # the description stands once
    assert ("default" in keywords) == (option.default is not None)
    if option.default is not None:
        is_list = isinstance(option.default, tuple)
        defaults = (
            option.default if isinstance(option.default, tuple) else (option.default,)
        )
        written = keywords["default"]
        assert isinstance(written, ast.List) == is_list
        nodes = written.elts if isinstance(written, ast.List) else [written]
        for node, default in zip(nodes, defaults, strict=True):
            check_default(option, ast.unparse(node), default)


def check_default(option: Option, text: str, default: OptionValue) -> None:
    if option.type.enum_name:
        member = naming.enum_member(str(default))
        assert text == f"{option.type.enum_name}.{member}"
    else:
        value = eval(text)  # noqa: S307 - a literal, or float("nan")
        is_nan = isinstance(value, float) and math.isnan(value)
        assert is_nan or value == default


def check_module(text: str, group: PassGroup) -> None:
    tree = ast.parse(text)
    module_docstring = ast.get_docstring(tree, clean=False)
    expected = docstring(group.summary, group.description, 0)
    assert module_docstring == as_docstring(expected) or not expected
    for pass_ in group.passes:
        check_pass(pass_, classes(tree))


@pytest.mark.slow
@given(model_groups.groups())
@settings(deadline=None)
def test_generated_python_declares_what_is_in_the_model(group: PassGroup) -> None:
    check_module(generated(group), group)


@pytest.mark.slow
@given(model_groups.groups(), st.sampled_from(LAYOUTS))
@settings(deadline=None, max_examples=25)  # black takes its time
def test_black_keeps_the_declarations(group: PassGroup, layout: str) -> None:
    check_module(laid_out_as(layout, generated(group)), group)


@given(st.one_of(model_groups.texts, st.booleans(), st.integers(), st.floats()))
def test_a_literal_evaluates_to_its_value(
    value: bool | float | str,  # noqa: FBT001 - a value, not a flag
) -> None:
    literal = python_syntax.py_literal(value)

    result = eval(literal)  # noqa: S307 - what is tested
    assert type(result) is type(value)
    assert result == value or (isinstance(value, float) and math.isnan(value))


@given(model_groups.texts.filter(bool), st.integers(0, 2))
def test_a_docstring_evaluates_to_its_text(text: str, indent: int) -> None:
    literal = python_syntax.docstring_literal(text, indent)

    evaluated = ast.literal_eval(literal)
    assert without_indentation(evaluated, 4 * indent) == as_docstring(text)


@given(model_groups.texts)
def test_a_part_of_a_docstring_evaluates_to_its_text(text: str) -> None:
    literal = f'"""Of `{python_syntax.py_docstring_part(text)}`."""'

    assert ast.literal_eval(literal) == f"Of `{text}`."


@given(model_groups.texts)
def test_a_comment_stays_on_its_line(text: str) -> None:
    source = f"# {python_syntax.py_comment(text)}\n"

    assert source.isascii() or source.strip("\n").isprintable()
    assert ast.parse(source).body == []
