"""Declared pipelines in C++: compiled, and compared with those of generated Python."""

from __future__ import annotations

import importlib
import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType

import pytest

from passgen import Options, generate, naming, write_outputs
from passgen.source import SourceFile
from passgen.targets.markdown.expansion import expand
from passgen_runtime import OperationPass, PassRegistry
from passgen_runtime.pass_manager_builder import PassManagerBuilder
from tests.cpp_compiler import CppCompiler

pytestmark = pytest.mark.builds

FOLDER = Path(__file__).with_name("cpp_pipelines")
INPUTS = Path(__file__).with_name("mlir_inputs")

SCALARS = (
    "",
    "flag",
    "flag=true small=-128 short=-32768 int32=5 int64=9223372036854775807 byte=0",
    "small=127 word=65535 uint32=0 uint64=7 single=0.25 twofold=-1.5e+300",
    "text='c d' inner={any(cse)} mode=very-slow",
    'text="don\'t"',
    "text=",
    "flag=false single=3e-7",
)
LISTS = (
    "",
    "bytes=1,2 sizes=3,-4 ratios=0.125,1e+20",
    "names={'a b',\"don't\",c}",
    "bytes={0} sizes={5} names=two naturals=4294967295",
    "sizes={} ratios={}",
)
MODES = ("", "mode=fast", "mode=very-slow")
VALUES = {
    "p-constructed-with": ("", "iterations=9"),
    "p-when": ("", "go=false", "go=true"),
    "p-when-enum": MODES,
    "p-when-block": ("", "go", "go=true deep=false", "deep=false"),
    "p-scalars": SCALARS,
    "p-made-scalars": SCALARS,
    "p-foreign": SCALARS,
    "p-lists": LISTS,
    "p-made-lists": LISTS,
    "p-foreign-lists": LISTS,
    "p-other-enum": (*MODES, "width=-3"),
    "p-widened": ("", "one=65535 more=127,-128", "more={}"),
    "p-included": (*SCALARS, *LISTS),
    "p-included-enum": ("", "how=very-slow"),
    "p-native": ("", "inlines=false"),
    "p-required": ("one=1 more=2,3",),
    "p-optional": ("", "rounds=3", "text=ab", "text=x rounds=0"),
    "p-optional-inside": ("", "text=y"),
}
"""The options that pipelines get; those of the others are left out."""

WRONG = {
    "any(p-required{one=1})": "for the --more option: must be specified at least once",
    "func.func(p-nest)": "Can't add pipeline 'p-nest' restricted to 'builtin.module'",
    "builtin.module(p-on-func)": "Can't add pipeline 'p-on-func' restricted to",
    "func.func(builtin.module(p-on-func))": "Can't add pipeline 'p-on-func' restricted",
    "any(p-unregistered)": "pass 'not-registered' is not registered",
    "any(p-no-text)": "no such option no-such-option",
    "any(p-pass{x=1})": "pipeline 'p-pass' has no options",
    "any(p-scalars{x=1})": "no such option x",
    "any(p-scalars{small=128})": "option 'small': found 128, expected int8",
    "any(p-scalars{small=-129})": "option 'small': found -129, expected int8",
    "any(p-scalars{word=65536})": "option 'word': found 65536, expected uint16",
    "any(p-lists{bytes=1,256})": "option 'bytes': found 256, expected uint8",
    "any(p-lists{naturals=-1})": "option 'naturals': found -1, expected uint32",
    "any(p-lists{naturals=4294967296})": "found 4294967296, expected uint32",
    "any(p-scalars{mode=slow})": "Cannot find option named 'slow'!",
    "any(p-made-scalars{text={a'b\"c}})": "option 'text': no text of a pipeline can be",
}
"""Pipelines that are errors, with a part of their messages."""


def registry_of(*modules: ModuleType) -> PassRegistry:
    """Return a registry of the passes that `modules` declare, which do nothing."""
    registry = PassRegistry()
    for module in modules:
        for name, base in list(vars(module).items()):
            if name.endswith("PassBase") and issubclass(base, OperationPass):
                body = {"run_on_operation": lambda _: None}
                setattr(module, name[:-8], type(name[:-8], (base,), body))
        stem = module.__name__.removesuffix("_passes").title()
        getattr(module, f"register{stem}Passes")(registry)
    return registry


class Tool:
    """The compiled passes and pipelines."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def run(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        command = [str(self._path), *arguments]
        return subprocess.run(command, capture_output=True, text=True, check=False)

    def lines(self, pipelines: Sequence[str]) -> list[str]:
        """Return pipelines as MLIR prints them, or the first lines of its messages."""
        done = subprocess.run(
            [str(self._path)],
            input="".join(f"{each}\n" for each in pipelines),
            capture_output=True,
            text=True,
            check=True,
        )
        assert done.stderr == ""
        return done.stdout.splitlines()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("pipelines")
    specs = [str(FOLDER / "shown.yaml"), str(FOLDER / "outside.yaml")]
    native = [str(FOLDER / "mlir.yaml")]
    declared = generate(specs, Options(("cpp", "python"), str(folder)))
    known = generate(native, Options(("python",), str(folder)))
    write_outputs(folder, (*declared.files, *known.files))
    return folder


@pytest.fixture(scope="module")
def tool(folder: Path, cpp: CppCompiler) -> Tool:
    main = folder / "shown-opt.cpp"
    main.write_text((FOLDER / "main.cpp").read_text("utf-8"), "utf-8")
    return Tool(cpp.link(main))


@pytest.fixture(scope="module")
def python_texts(folder: Path) -> dict[str, str]:
    """The pipelines of generated Python, by those that name the pipeline."""
    names = ("shown_passes", "outside_passes", "native_passes")
    sys.path.insert(0, str(folder))
    try:
        modules = [importlib.import_module(name) for name in names]
    finally:
        sys.path.remove(str(folder))
    shown, registry = modules[0], registry_of(*modules)
    group = generate([str(FOLDER / name) for name in ("shown.yaml", "outside.yaml")])
    texts = {}
    for pipeline in group.groups[0].pipelines:
        if f"any({pipeline.argument})" in WRONG:
            continue
        for options in VALUES.get(pipeline.argument, ("",)):
            anchor = pipeline.operation or "builtin.module"
            builder = PassManagerBuilder(registry=registry, anchor=anchor)
            stem = pipeline.name.removesuffix("Pipeline") + "Pipeline"
            given = []
            if pipeline.options:
                given = [getattr(shown, f"{stem}Options").parse(options)]
            getattr(shown, f"build{stem}")(builder, *given)
            named = pipeline.argument + (f"{{{options}}}" if options else "")
            texts[f"{anchor}({named})"] = str(builder)
    return texts


def as_values(text: str) -> str:
    """Return a pipeline that MLIR printed, without lists that have their defaults.

    MLIR prints such a list if a text has set it, and else a blank for it.
    """
    defaults = r"names=\{one\}|ratios=\{5.000000e-01\}|sizes=\{32,-32\}|bytes=\{\}|naturals=\{\}"
    text = re.sub(rf"(?<=[ {{])({defaults})(?=[ }}])", "", text)
    return re.sub(r"(?<=[ {]) +| +(?=\})", "", text)


def test_each_pipeline_is_that_of_python(
    tool: Tool, python_texts: dict[str, str]
) -> None:
    assert len({each.partition("{")[0] for each in python_texts}) >= 30

    ours = tool.lines(tool.lines(list(python_texts)))

    theirs = tool.lines(tool.lines(list(python_texts.values())))
    assert [each for each in ours if not each.startswith(("builtin", "func"))] == []
    assert dict(zip(python_texts, map(as_values, ours), strict=True)) == dict(
        zip(python_texts, map(as_values, theirs), strict=True)
    )


def test_pages_show_what_a_pipeline_is_by_default(
    tool: Tool, python_texts: dict[str, str]
) -> None:
    specs = [str(FOLDER / name) for name in ("shown.yaml", "outside.yaml")]
    group = generate(specs).groups[0]
    shown = {each.argument: expand(each, group) for each in group.pipelines}
    names = {
        named: name
        for named in python_texts
        for anchor, _, name in [named.removesuffix(")").partition("(")]
        if name in shown and anchor == "builtin.module"
    }
    assert len(names) >= 30

    ours = tool.lines(tool.lines(list(names)))

    theirs = tool.lines(tool.lines([shown[name] for name in names.values()]))
    assert dict(zip(names, map(as_values, theirs), strict=True)) == dict(
        zip(names, map(as_values, ours), strict=True)
    )


def test_mistakes_are_errors_of_the_parser(tool: Tool) -> None:
    done = [tool.run(f"--pass-pipeline={each}") for each in WRONG]

    found = dict(zip(WRONG, done, strict=True))
    assert {each.returncode for each in done} == {1}
    assert {
        each: found[each].stderr
        for each, message in WRONG.items()
        if message not in found[each].stderr
    } == {}


@pytest.mark.parametrize("name", ["affine", "memref", "scf"])
@pytest.mark.parametrize("options", ["", "{inlines=false}"])
def test_passes_of_mlir_do_the_same_in_a_pipeline_of_python(
    name: str, options: str, tool: Tool, python_texts: dict[str, str], mlir_opt: Path
) -> None:
    named = f"builtin.module(p-native{options})"
    file = str(INPUTS / f"{name}.mlir")

    ours = tool.run(f"--pass-pipeline={named}", file)

    flag = f"--pass-pipeline={python_texts[named]}"
    theirs = subprocess.run(
        [mlir_opt, flag, file], capture_output=True, text=True, check=True
    )
    assert (ours.stderr, ours.stdout) == ("", theirs.stdout)


@pytest.mark.parametrize("value", ["'}x{'", "'{x y'", "'x}'"])
def test_a_value_with_braces_that_no_text_can_hold_is_refused(
    value: str, tool: Tool
) -> None:
    done = tool.run(f"--p-made-scalars=text={value}", str(INPUTS / "scf.mlir"))

    assert "option 'text': no text of a pipeline can be" in done.stderr


# Members of the base of the options: those that generated code does not use, and those
# that it uses, which `passgen` refuses.
FREE_NAMES = (
    "copyOptionValuesFrom", "createFromString", "getName", "getOptionWidth", "options",
    "pm", "print", "printHelp", "registerSubCommand", "reset",
)  # fmt: skip


@pytest.mark.parametrize(
    "names", [FREE_NAMES, *zip(sorted(naming.CPP_PIPELINE_MEMBERS), strict=True)]
)
def test_options_have_all_names_but_those_that_generated_code_uses(
    names: tuple[str, ...], tmp_path: Path, cpp: CppCompiler
) -> None:
    placeholders = [f"placeholder{number}" for number, _ in enumerate(names)]
    rows = "".join(
        f"      - {{name: {name}, argument: {name}, type: bool}}\n"
        for name in placeholders
    )
    rows += "      - {name: one, type: bool}\n      - {name: many, listOf: int64}\n"
    spec = "name: Named\nexternalPasses: [cse]\npipelines:\n  Named:\n"
    spec += f"    argument: named\n    summary: Named\n    options:\n{rows}"
    spec += "    elements: [{pass: cse, when: placeholder0}]\n"
    (made,) = generate([SourceFile("named.yaml", spec)], Options(("cpp",))).files
    text = made.text
    for placeholder, name in zip(placeholders, names, strict=True):
        text = text.replace(f"> {placeholder}{{", f"> {name}{{")
        text = text.replace(f"options.{placeholder})", f"options.{name})")
    (tmp_path / "named_passes.h.inc").write_text(text, "utf-8")
    main = tmp_path / "main.cpp"
    main.write_text(NAMED_MAIN, "utf-8")

    if set(names) <= naming.CPP_PIPELINE_MEMBERS:
        with pytest.raises(AssertionError):
            cpp.compile("g++", main, "-fsyntax-only")
    else:
        cpp.compile("g++", main, "-fsyntax-only")


def test_the_macros_of_mlir_s_headers_get_another_name(
    tmp_path: Path, cpp: CppCompiler
) -> None:
    names = sorted(filter(str.islower, naming.CPP_MACROS - {"math_errhandling"}))
    values = ", ".join(f"'{name}'" for name in sorted(naming.CPP_MACROS))
    rows = "".join(f"      - {{name: {name}, type: bool}}\n" for name in names)
    rows += "      - {name: mode, type: enum, enumName: Mode, "
    rows += f"values: [{values}], default: 'NULL'}}\n"
    spec = "name: Named\npasses:\n  Named:\n    argument: named\n    summary: Named\n"
    spec += f"    options:\n{rows}"
    spec += "  Counts:\n    argument: counts\n    summary: Counts\n"
    spec += f"    statistics: [{', '.join(f'{{name: {name}}}' for name in names)}]\n"
    spec += "pipelines:\n  Run:\n    argument: run\n    summary: Run\n"
    spec += f"    options:\n{rows.replace('Mode', 'Kind')}"
    spec += f"    elements: [{{pass: named, when: {names[0]}}}]\n"
    (made,) = generate([SourceFile("named.yaml", spec)], Options(("cpp",))).files
    (tmp_path / "named_passes.h.inc").write_text(made.text, "utf-8")
    main = tmp_path / "main.cpp"
    main.write_text(MACROS_MAIN + NAMED_MAIN, "utf-8")

    cpp.compile("g++", main, "-fsyntax-only", *GNU)


def test_the_list_of_macros_is_that_of_mlir_s_headers(
    tmp_path: Path, cpp: CppCompiler
) -> None:
    main = tmp_path / "main.cpp"
    main.write_text(NAMED_MAIN.replace("named_passes.h.inc", "climits"), "utf-8")
    macros_file = tmp_path / "macros"

    cpp.compile("g++", main, "-E", "-dM", "-o", str(macros_file), *GNU)

    text = macros_file.read_text("utf-8")
    macros = set(re.findall(r"^#define (\w+) ", text, re.MULTILINE))

    words = set(filter(str.isalpha, macros))
    formats = {name for name in words if re.match("PRI|SCN", name)}
    assert words - formats <= naming.CPP_MACROS <= macros


GNU = "-std=gnu++17", "-Wno-invalid-pch"
"""The language of CMake by default, in which `linux` is a macro."""

MACROS_MAIN = """\
#define GEN_PASS_DECL
#define GEN_PASS_DEF_NAMED
#define GEN_PASS_DEF_COUNTS
#define GEN_PASS_REGISTRATION
"""

NAMED_MAIN = """\
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassOptions.h"
#include "mlir/Pass/PassRegistry.h"
#include "llvm/Support/Format.h"
#define GEN_PIPELINE_DECL
#define GEN_PIPELINE_DEF
#define GEN_PIPELINE_REGISTRATION
#include "named_passes.h.inc"
"""


def test_a_pipeline_is_a_flag_with_help(tool: Tool) -> None:
    file = str(INPUTS / "scf.mlir")

    flag = tool.run("--p-native=inlines=false", "--dump-pass-pipeline", file)
    help_ = tool.run("--help")

    assert "inline" not in flag.stderr
    assert "func.func(canonicalize{" in "".join(flag.stderr.split())
    assert re.search(r"--p-native +- +Run passes of MLIR", help_.stdout)
    assert re.search(r"--inlines +- Whether to inline calls", help_.stdout)
