"""Guarded methods take what the bindings take, by position and by name."""

from __future__ import annotations

import ast
import inspect
import re
import sys
from collections.abc import Iterator
from inspect import Parameter, Signature
from types import ModuleType

import pytest

from tests.mlir_ir.mlir_trial import Native, Trial, first_function, operations_in

_MODULES = ("ir", "passmanager", "rewrite", "_mlir_libs._mlirTransformInterpreter")
_ADDED = ("self", "cls", "op_class")
"""What guards take by name besides: `walk` the class of operations, as in jaxlib."""

_BY_NAME = (Parameter.POSITIONAL_OR_KEYWORD, Parameter.KEYWORD_ONLY)


def signatures_of(original: Native) -> list[Signature]:
    """Return what each overload of `original`, a function of nanobind, takes."""
    found = []
    for text, *_ in getattr(original, "__nb_signature__", ()):
        one_line = " ".join(text.split("\n")[-1].split())
        header = re.sub(r"\\\d+", "None", re.sub(r"^def (?=\()", "def each", one_line))
        (function,) = ast.parse(f"{header}: pass").body
        assert isinstance(function, ast.FunctionDef)
        given = function.args
        num_required = len(given.posonlyargs + given.args) - len(given.defaults)
        kinds = [
            *((each, Parameter.POSITIONAL_ONLY) for each in given.posonlyargs),
            *((each, Parameter.POSITIONAL_OR_KEYWORD) for each in given.args),
        ]
        parameters = [
            Parameter(
                each.arg,
                kind,
                default=Parameter.empty if index < num_required else None,
            )
            for index, (each, kind) in enumerate(kinds)
        ]
        if given.vararg:
            parameters.append(Parameter(given.vararg.arg, Parameter.VAR_POSITIONAL))
        parameters += (
            Parameter(each.arg, Parameter.KEYWORD_ONLY, default=None)
            for each in given.kwonlyargs
        )
        found.append(Signature(parameters))
    return found


def guarded_in(owner: object, path: str) -> Iterator[tuple[str, Native, Native]]:
    """Yield path, guard and original of each guarded function in `owner`."""
    for name, value in list(vars(owner).items()):
        is_wrapped = isinstance(value, staticmethod | classmethod)
        function = value.__func__ if is_wrapped else value
        if inspect.isfunction(function) and hasattr(function, "__wrapped__"):
            yield f"{path}.{name}", function, inspect.unwrap(function)
        elif isinstance(value, type) and isinstance(owner, ModuleType):
            for each in value.__mro__[:-1]:
                yield from guarded_in(each, each.__name__)


def guarded(package: str) -> dict[str, tuple[Native, Native]]:
    found: dict[str, tuple[Native, Native]] = {}
    for name in _MODULES:
        module = sys.modules.get(f"{package}.{name}")
        for path, guard, original in guarded_in(module, name) if module else ():
            found[path] = guard, original
    return found


def calls(signature: Signature) -> Iterator[tuple[list[str], dict[str, str]]]:
    """Yield arguments to call with: as few and as many, by position and by name."""
    parameters = list(signature.parameters.values())
    for chosen in (
        [each for each in parameters if each.default is Parameter.empty],
        parameters,
    ):
        kinds = {each.name: each.kind for each in chosen}
        by_name = {name: "" for name, kind in kinds.items() if kind in _BY_NAME}
        only_by_name = [
            name for name, kind in kinds.items() if kind is Parameter.KEYWORD_ONLY
        ]
        only_by_place = [
            name for name, kind in kinds.items() if kind is Parameter.POSITIONAL_ONLY
        ]
        by_place = [name for name in kinds if name not in only_by_name]
        yield by_place, dict.fromkeys(only_by_name, "")
        yield only_by_place, by_name


def taken(signature: Signature, *args: str, **named: str) -> bool:
    try:
        signature.bind(*args, **named)
    except TypeError:
        return False
    return True


@pytest.mark.usefixtures("any_context")
def test_guards_take_what_the_bindings_take(package: str) -> None:
    refused = []
    compared = 0
    for path, (guard, original) in guarded(package).items():
        ours = inspect.signature(guard, follow_wrapped=False)
        for theirs in signatures_of(original):
            compared += 1
            refused += [
                f"{path}{theirs} refuses {args} {named}"
                for args, named in calls(theirs)
                if not taken(ours, *args, **named)
            ]
    assert refused == []
    assert compared > 80


@pytest.mark.usefixtures("any_context")
def test_guards_take_no_other_names(package: str) -> None:
    others = []
    for path, (guard, original) in guarded(package).items():
        theirs = signatures_of(original)
        known = {name for each in theirs for name in named_in(each)}
        ours = inspect.signature(guard, follow_wrapped=False)
        others += [
            f"{path}: {name}"
            for name in named_in(ours)
            if theirs and name not in {*known, *_ADDED}
        ]
    assert others == []


def named_in(signature: Signature) -> list[str]:
    return [
        name for name, each in signature.parameters.items() if each.kind in _BY_NAME
    ]


def replace_by_name(pass_: Native) -> None:
    bindings = pass_.context.bindings
    ir, rewrite = bindings.ir, bindings.rewrite

    def double(operation: Native, rewriter: Native) -> None:
        if operation.operands[0] == operation.operands[1]:
            name = "arith.muli"
            operands = [operation.operands[0]] * 2
            with rewriter.ip, operation.location:
                new = ir.Operation.create(name, [operands[0].type], operands)
            rewriter.replace_op(op=operation, values=new.results)

    def unused(operation: Native, rewriter: Native) -> None:
        if not list(operation.results[0].uses):
            rewriter.erase_op(op=operation)

    for name, pattern in (("arith.addi", double), ("arith.muli", unused)):
        patterns = rewrite.RewritePatternSet(context=pass_.context.mlir)
        patterns.add(root=name, fn=pattern, benefit=1)
        rewrite.walk_and_apply_patterns(op=pass_.operation, set=patterns.freeze())


@pytest.mark.parametrize("package", ["mlir"])
def test_a_pattern_names_what_it_replaces_and_by_what(trial: Trial) -> None:
    trial.run("builtin.module(do)", replace_by_name)
    function = operations_in(trial.module)[0]
    names = [each.operation.name for each in operations_in(function)]
    assert names == ["arith.muli", "arith.muli", "arith.addi", "func.return"]


def set_by_name(pass_: Native) -> None:
    ir = pass_.context.bindings.ir
    function = first_function(pass_)
    argument = function.regions[0].blocks[0].arguments[0]
    argument.set_location(loc=ir.Location.name("x", context=pass_.context.mlir))
    argument.set_type(type=argument.type)
    mark = ir.UnitAttr.get(pass_.context.mlir)
    type(function.attributes).__setitem__(function.attributes, name="mark", attr=mark)
    sum_ = operations_in(function)[0].results[0]
    ir.Value.set_type(sum_, type=sum_.type)


def test_what_is_set_has_its_name_of_the_bindings(trial: Trial) -> None:
    trial.run("builtin.module(do)", set_by_name)
    assert "mark" in operations_in(trial.module)[0].operation.attributes


def walk_as_in_xdsl(pass_: Native) -> None:
    sum(1 for _ in pass_.operation.walk())


def test_a_walk_without_a_callback_says_what_to_write(trial: Trial) -> None:
    assert trial.failure("builtin.module(do)", walk_as_in_xdsl)[1] == (
        "note: it raised TypeError: walk() of MLIR's bindings yields nothing, but calls "
        "a function: write walk(visit), where visit(operation) returns "
        "WalkResult.ADVANCE, SKIP or INTERRUPT"
    )


def infer_by_name(pass_: Native) -> None:
    ir = pass_.context.bindings.ir
    operation = operations_in(first_function(pass_))[0]
    ir.InferTypeOpInterface(context=pass_.context.mlir, object=operation)


def test_an_interface_is_made_of_what_is_named_in_any_order(trial: Trial) -> None:
    trial.run("builtin.module(do)", infer_by_name)
