"""Patterns in C++: compiled, and compared with those of generated Python."""

from __future__ import annotations

import random
import re
import subprocess
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any, Final

import pytest
import yaml

from passgen.generation import Options, generate
from passgen.source import SourceFile
from passgen_runtime import PassManager
from passgen_runtime.context import Context
from passgen_runtime.ir.mlir import MLIRContext
from passgen_runtime.ir.xdsl import XDSLContext
from passgen_runtime.patterns import (
    Patterns,
    PatternVariable,
    RewritePattern,
    library_of,
)
from passgen_tools.verify import example_modules, examples
from tests.arith_rewrites import ARITH_REWRITES, rewrite_pattern
from tests.cpp_compiler import CppCompiler
from tests.random_patterns import RandomModule, RandomPattern

pytestmark = [pytest.mark.builds, pytest.mark.bindings, pytest.mark.slow]

ROOT = Path(__file__).parents[2]
PROGRAM = Path(__file__).with_name("cpp_patterns") / "main.cpp"
SEPARATOR: Final = "// -----\n"
NUM_MODULES: Final = 200
IN_XDSL = [name for name, row in ARITH_REWRITES.items() if not row.mlir_only]


def declared(variable: PatternVariable) -> object:
    """Return a variable as a spec declares it."""
    if not (variable.any or variable.is_attribute):
        return [*variable.examples]
    keys = {
        "any": variable.any,
        "examples": [*variable.examples],
        "where": variable.where,
        "make": variable.make,
    }
    return {key: value for key, value in keys.items() if value}


def pattern_entry(pattern: RewritePattern) -> dict[str, Any]:
    """Return a pattern as a spec declares it."""
    variables = pattern.variables
    types = {one.name: declared(one) for one in variables if not one.is_attribute}
    attributes = {one.name: declared(one) for one in variables if one.is_attribute}
    entry = {
        "name": pattern.name[0].lower() + pattern.name[1:],
        "before": pattern.before,
        "after": pattern.after,
        "types": types,
        "attributes": attributes,
        "unused": [*pattern.unused],
        "oneUse": [*pattern.one_use],
    }
    return {key: value for key, value in entry.items() if value}


def rewrites_pass(names: Sequence[str], driver: str) -> dict[str, Any]:
    """Return a pass of rewrites of MLIR's dialect `arith`, as a spec declares it."""
    functions = {"python": "tests.arith_rewrites:is_equality"}
    functions["cpp"] = "arithPatterns::isEquality"
    return {
        "summary": "Rewrites of arith",
        "dependentDialects": ["arith"],
        "driver": driver,
        "patterns": [pattern_entry(rewrite_pattern(name)) for name in names],
        "constraints": {"isEquality": functions},
    }


def rewrites_spec() -> SourceFile:
    passes = {
        "Rewrites": rewrites_pass([*ARITH_REWRITES], "walk"),
        "RewritesInXdsl": rewrites_pass(IN_XDSL, "walk"),
        "RewritesGreedily": rewrites_pass([*ARITH_REWRITES], "greedy"),
    }
    text = yaml.safe_dump({"passes": passes}, sort_keys=False)
    return SourceFile("rewrites.yaml", text)


NUM_RANDOM: Final = 30


def random_module(seed: int) -> RandomModule:
    choose = random.Random(seed)  # noqa: S311 - the same modules in each run
    return RandomModule(choose, with_arith=True)


def random_entry(seed: int) -> dict[str, Any]:
    """Return a random pattern in PDL as a spec declares it, with its own benefit."""
    choose, module = random.Random(seed), random_module(seed)  # noqa: S311 - as above
    made = RandomPattern(choose, module, choose.choice(module.operations))
    pattern = made.declare(f"p{seed}", seed + 1)
    return {"name": pattern.name, "pdl": pattern.pdl, "benefit": pattern.benefit}


def random_spec() -> SourceFile:
    functions = {
        name: {
            "python": f"tests.random_patterns:{python}",
            "cpp": f"randomized::{name}",
        }
        for name, python in (
            ("isChosen", "is_chosen"),
            ("swap", "swap"),
            ("keep", "keep"),
        )
    }
    random_pass = {
        "summary": "Random patterns",
        "patterns": [random_entry(seed) for seed in range(NUM_RANDOM)],
        "constraints": {"isChosen": functions.pop("isChosen")},
        "rewrites": functions,
    }
    text = yaml.safe_dump({"passes": {"Randomized": random_pass}}, sort_keys=False)
    return SourceFile("randomized.yaml", text)


def arith_spec() -> SourceFile:
    return SourceFile("arith.yaml", (ROOT / "specs/arith.yaml").read_text("utf-8"))


def python_pass(spec: SourceFile, name: str) -> type[Patterns]:
    """Return the class of a pass in the Python of a spec."""
    (file,) = generate([spec], Options(targets=("python",))).files
    module: dict[str, Any] = {"__name__": __name__}  # dataclasses look it up
    exec(file.text, module)  # noqa: S102 - generated
    class_: type[Patterns] = module[f"{name}PassBase"]
    return class_


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory, cpp: CppCompiler) -> str:
    """Return the path of the program."""
    folder = tmp_path_factory.mktemp("patterns")
    for spec in (arith_spec(), rewrites_spec(), random_spec()):
        (file,) = generate([spec], Options(targets=("cpp",))).files
        (folder / file.path.name).write_text(file.text, "utf-8")
    source = folder / PROGRAM.name
    source.write_text(PROGRAM.read_text("utf-8"), "utf-8")
    return str(cpp.link(source))


@cache
def example_functions() -> dict[str, list[str]]:
    """Return functions that each rewrite changes, by its name, without their names."""
    context = MLIRContext()
    library = library_of(context)
    assert library is not None
    found: dict[str, list[str]] = {}
    for name in ARITH_REWRITES:
        for example in examples(rewrite_pattern(name), library):
            module, _ = example_modules(example, library)
            text = str(module.operation)
            body = text.partition("func.func @")[2].partition("(")[2]
            found.setdefault(name, []).append("(" + body.rstrip().removesuffix("}"))
    return found


NUMBERS: Final = ("-1", "0", "1", "2", "8")


def random_function(choose: random.Random, name: str, *, in_xdsl: bool) -> str:
    """Return an example with other constants and flags, or a function of integers."""
    if choose.random() < 0.4:
        return chain(choose, name)
    names = IN_XDSL if in_xdsl else [*ARITH_REWRITES]
    text = choose.choice(example_functions()[choose.choice(names)])

    def other(found: re.Match[str]) -> str:
        return choose.choice((found[0], f"arith.constant {choose.choice(NUMBERS)}"))

    text = re.sub(r"arith\.constant -?\d+(?= :)", other, text)
    if choose.random() < 0.3:
        text = re.sub(r"overflow<\w+>", "overflow<nsw, nuw>", text)
    return f"func.func @{name}{text}"


def chain(choose: random.Random, name: str) -> str:
    """Return a function of operations of a value and a constant, or of negations."""
    type_ = choose.choice(("i8", "i32", "i64", "index", "i128", "f32"))
    lines = []
    values = ["%x", "%y"]
    for number in range(choose.randint(2, 12)):
        operand = choose.choice(values[-3:])
        values.append(f"%v{number}")
        if type_ == "f32":
            lines.append(f"%v{number} = arith.negf {operand} : f32")
            continue
        constant = choose.choice(NUMBERS)
        operation = choose.choice(("muli", "divui", "addi", "muli", "subi"))
        lines.append(f"%c{number} = arith.constant {constant} : {type_}")
        lines.append(f"%v{number} = arith.{operation} {operand}, %c{number} : {type_}")
    body = "\n".join(lines)
    results, types = ", ".join(values[2:]), ", ".join([type_] * len(values[2:]))
    return (
        f"func.func @{name}(%x: {type_}, %y: {type_}) -> ({types}) {{\n"
        f"{body}\nfunc.return {results} : {types}\n}}\n"
    )


def modules(argument: str, *, in_xdsl: bool) -> Iterator[str]:
    """Yield modules of a few functions for a pass."""
    if argument == "randomized":
        yield from (random_module(seed).text for seed in range(NUM_MODULES))
        return
    choose = random.Random(71)  # noqa: S311 - it is repeated
    for _ in range(NUM_MODULES):
        functions = [
            random_function(choose, f"f{number}", in_xdsl=in_xdsl)
            for number in range(choose.randint(1, 5))
        ]
        yield "".join(functions)


PASSES: Final = {
    "arith-strength-reduction": (arith_spec(), "ArithStrengthReduction"),
    "arith-identities": (arith_spec(), "ArithIdentities"),
    "rewrites": (rewrites_spec(), "Rewrites"),
    "rewrites-greedily": (rewrites_spec(), "RewritesGreedily"),
    "randomized": (random_spec(), "Randomized"),
    "rewrites-in-xdsl": (rewrites_spec(), "RewritesInXdsl"),
}


LEAST_APPLIED: Final = {
    "arith-identities": 0,  # the greedy driver folds, which does the same
    "rewrites-greedily": 10,
    "randomized": NUM_RANDOM // 2,  # their constraint may hold of no module
}
"""The number of patterns that the modules need at least, if it is not all."""


def by_cpp(program: str, file: Path, pass_: str) -> list[tuple[str, dict[str, int]]]:
    """Return the IR of each module after a pass, and the counts of its patterns."""
    command = [program, str(file), f"func.func({pass_})"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    found = []
    for text in done.stdout.split(SEPARATOR)[:-1]:
        counts = dict(re.findall(r"^// (\w+) (\d+)$", text, re.MULTILINE))
        ir = re.sub(r"^// .*\n", "", text, flags=re.MULTILINE)
        found.append((ir, {name: int(count) for name, count in counts.items()}))
    return found


def by_python(
    context: Context, pass_: Patterns, text: str
) -> tuple[str, dict[str, int]]:
    """Return the IR of a module after a pass, and the counts of its patterns."""
    manager = PassManager(context)
    manager.counts_optional = True
    manager.nest("func.func").add_pass(pass_)
    module = context.parse(text, "in.mlir")
    manager.run(module)
    counts = {name: count for name, count in pass_.pattern_counts().items() if count}
    return context.print(module), counts


@pytest.mark.parametrize("argument", PASSES)
def test_cpp_does_what_python_does_on_the_ir_of_mlir(
    program: str, argument: str, tmp_path: Path
) -> None:
    texts = [*modules(argument, in_xdsl=False)]
    file = tmp_path / "in.mlir"
    file.write_text(SEPARATOR.join(texts), "utf-8")
    class_ = python_pass(*PASSES[argument])
    context = MLIRContext(allow_unregistered=True)

    found = by_cpp(program, file, argument)

    expected = [by_python(context, class_(), text) for text in texts]
    assert [ir.strip() for ir, _ in found] == [ir.strip() for ir, _ in expected]
    assert [counts for _, counts in found] == [counts for _, counts in expected]
    applied = {name for _, counts in found for name in counts}
    assert len(applied) >= LEAST_APPLIED.get(argument, len(class_.patterns))


# The greedy drivers fold, each by the rules of its library.
@pytest.mark.parametrize(
    "argument", ["arith-strength-reduction", "rewrites-in-xdsl", "randomized"]
)
def test_cpp_does_what_python_does_on_the_ir_of_xdsl(
    program: str, argument: str, tmp_path: Path
) -> None:
    texts = [*modules(argument, in_xdsl=True)]
    file = tmp_path / "in.mlir"
    file.write_text(SEPARATOR.join(texts), "utf-8")
    class_ = python_pass(*PASSES[argument])
    context = XDSLContext(allow_unregistered=True)
    reader = MLIRContext(allow_unregistered=True)

    found = by_cpp(program, file, argument)

    expected = [by_python(context, class_(), text) for text in texts]
    printed = [reader.print(reader.parse(ir, "xdsl.mlir")) for ir, _ in expected]
    assert [ir.strip() for ir, _ in found] == [ir.strip() for ir in printed]
    assert [counts for _, counts in found] == [counts for _, counts in expected]


SELECTIONS: Final = {
    "disable-patterns=mulToAdd,divToShift": {
        "disabled_patterns": ["mulToAdd", "divToShift"]
    },
    "enable-patterns=mulToAdd": {"enabled_patterns": ["mulToAdd"]},
    "enable-patterns=mulToAdd disable-patterns=mulToAdd": {
        "enabled_patterns": ["mulToAdd"],
        "disabled_patterns": ["mulToAdd"],
    },
}


@pytest.mark.parametrize("options", SELECTIONS)
def test_options_select_patterns_as_in_python(
    program: str, options: str, tmp_path: Path
) -> None:
    argument = "arith-strength-reduction"
    texts = [*modules(argument, in_xdsl=True)][:20]
    file = tmp_path / "in.mlir"
    file.write_text(SEPARATOR.join(texts), "utf-8")
    class_ = python_pass(*PASSES[argument])
    context = MLIRContext()

    found = by_cpp(program, file, f"{argument}{{{options}}}")

    for text, (ir, _) in zip(texts, found, strict=True):
        pass_ = class_(class_.options_class(**SELECTIONS[options]))
        assert by_python(context, pass_, text)[0].strip() == ir.strip()


def test_a_pattern_that_does_not_exist_is_an_error(
    program: str, tmp_path: Path
) -> None:
    file = tmp_path / "in.mlir"
    file.write_text("func.func private @f()\n", "utf-8")
    pipeline = "func.func(arith-identities{disable-patterns=addOne})"

    done = subprocess.run(
        [program, str(file), pipeline], capture_output=True, text=True, check=False
    )

    message = "option 'disable-patterns': there is no pattern 'addOne'"
    assert (done.returncode, message in done.stderr) == (1, True)
