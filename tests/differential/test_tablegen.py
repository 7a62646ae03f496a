"""`Passes.td` files through `passgen import` and all targets, against LLVM's tools.

The files are those that LLVM installs, read in place, and those in `tests/tablegen`,
one for each feature of TableGen that other projects use.
"""

from __future__ import annotations

import importlib
import json
import re
import shutil
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Any

import pytest

from passgen import cli
from passgen.cpp import group_records
from passgen.findings import compare, read_input
from passgen.generation import Generated, Options, generate
from passgen.source import SourceFile
from passgen.tablegen import ImportedGroup, import_dump, read_dump
from passgen.tablegen.dump import read_records
from passgen.targets import TARGETS
from passgen_runtime import PassRegistry
from tests.generated_python import mypy_strict
from tests.llvm_tools import find_include, find_system_include, find_tool, missing

FEATURES = Path(__file__).parents[1] / "tablegen"
PYTHON = ("python", "native-python")
"""Laid out by black, which takes three quarters of the time of all targets."""
GENERATORS = {
    "cpp": ("-gen-pass-decls", "-name=Group"),
    "capi-header": ("-gen-pass-capi-header", "--prefix=Group"),
    "capi-impl": ("-gen-pass-capi-impl", "--prefix=Group"),
    "mlir-markdown": ("-gen-pass-doc",),
}


def installed(root: Path | None) -> list[Path]:
    return sorted(root.rglob("Passes.td")) if root else []


def only_in_the_wheel() -> list[Path]:
    """Return the files that the system has otherwise: the wheel is of a later LLVM."""
    system, wheel = find_system_include(), find_include()
    if system is None or wheel is None or system == wheel:
        return []
    return [
        path
        for path in installed(wheel)
        if path.read_bytes() != (system / path.relative_to(wheel)).read_bytes()
    ]


SYSTEM = installed(find_system_include())
FILES = [*SYSTEM, *only_in_the_wheel(), *sorted(FEATURES.glob("*.td"))]
if not SYSTEM:
    FILES.append(Path("mlir", "Passes.td"))  # so that what is missing shows


def root_of(path: Path) -> Path:
    """Return the include directory for `path`."""
    for root in (find_system_include(), find_include()):
        if root is not None and path.is_relative_to(root):
            return root
    return find_system_include() or missing("the include directory")


def name_of(path: Path) -> str:
    for prefix, root in (("", find_system_include()), ("wheel/", find_include())):
        if root is not None and path.is_relative_to(root):
            return prefix + path.relative_to(root).as_posix()
    return path.stem


@dataclass(frozen=True)
class Case:
    """A file with its dump, its spec, and the outputs of the spec."""

    path: Path
    dump: str
    imported: ImportedGroup
    records: tuple[Any, ...]

    @cached_property
    def generated(self) -> Generated:
        """The outputs of all targets except Python."""
        return self.generate(*(each for each in TARGETS if each not in PYTHON))

    def generate(self, *targets: str) -> Generated:
        source = SourceFile("passes.yaml", self.imported.text)
        return generate([source], Options(targets=targets))

    def text(self, target: str) -> str:
        names = [each for each in TARGETS if each not in PYTHON]
        return self.generated.files[names.index(target)].text


def run(tool: str, *arguments: str) -> str:
    command = find_tool(tool) or missing(tool)
    done = subprocess.run([str(command), *arguments], capture_output=True, check=False)
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout.decode()


def dump_of(path: Path, root: Path) -> str:
    return run("llvm-tblgen", "--dump-json", str(path), f"-I{root}")


@cache
def case_of(path: Path) -> Case:
    dump = dump_of(path, root_of(path))
    read = read_records(dump, SourceFile(str(path), path.read_text("utf-8")))
    imported = import_dump(read, path.name, "Group")
    records = tuple(each.record for each in read.passes)
    return Case(path, dump, imported, records)


@pytest.fixture(params=FILES, ids=name_of)
def case(request: pytest.FixtureRequest) -> Case:
    return case_of(request.param)


def test_all_files_of_llvm_are_here() -> None:
    passes = [len(case_of(path).records) for path in SYSTEM]

    assert (len(passes), sum(passes)) in {
        (33, 290),
        (33, 292),  # PyPI's affine group has two more
    }


def test_spec_holds_every_record(case: Case) -> None:
    assert group_records(case.generated.groups[0]) == case.records


def assert_same(target: str, ours: str, theirs: str, case: Case) -> None:
    """Assert that `ours` is `theirs`, which parsers of options follow in C++."""
    has_options = target == "cpp" and any(record.options for record in case.records)
    assert ours[: len(theirs)] == theirs
    assert "GEN_OPTIONS_PARSER_DECL" in ours if has_options else ours == theirs


@pytest.mark.parametrize("target", GENERATORS)
def test_output_is_that_of_mlir_tblgen(case: Case, target: str) -> None:
    arguments = (*GENERATORS[target], str(case.path), f"-I{root_of(case.path)}")

    theirs = run("mlir-tblgen", *arguments)
    if (case.path.stem, target) == (
        "not-compiled",
        "cpp",
    ):  # theirs ends raw literals within texts
        theirs = re.sub(r'\)(P)([DOS])" early', r')\1)\1\2" R"\1\2(\2" early', theirs)
    assert_same(target, case.text(target), theirs, case)


@pytest.mark.parametrize("name", ["", "plugin", "my_dialect"])
@pytest.mark.parametrize("target", ["cpp", "capi-header", "capi-impl"])
def test_output_is_that_of_mlir_tblgen_for_every_name(target: str, name: str) -> None:
    case = case_of(FEATURES / "deprecated.td")
    options = Options(name=name, targets=(target,))
    [ours] = generate([SourceFile("passes.yaml", case.imported.text)], options).files
    generator = GENERATORS[target][0]
    flag = "--name" if target == "cpp" else "--prefix"
    given = [f"{flag}={name}"] if name else []
    root = root_of(case.path)

    theirs = run("mlir-tblgen", generator, *given, str(case.path), f"-I{root}")

    assert_same(target, ours.text, theirs, case)


@pytest.mark.parametrize("target", GENERATORS)
def test_pipelines_follow_the_text_of_a_file_without_passes(
    target: str, tmp_path: Path
) -> None:
    spec = (
        "name: Group\nexternalPasses: [cse]\n"
        "pipelines: {Lower: {argument: lower, summary: Lower, elements: [cse]}}\n"
    )
    targets = Options(targets=(target, "tablegen"))
    ours, td = generate([SourceFile("passes.yaml", spec)], targets).files
    path = tmp_path / "Passes.td"
    path.write_text(td.text, "utf-8")
    root = find_system_include() or missing("the include directory")

    theirs = run("mlir-tblgen", *GENERATORS[target], str(path), f"-I{root}")

    rest = ours.text.removeprefix(theirs)  # mlir-tblgen has no pipelines
    assert bool(rest) == (target in {"cpp", "mlir-markdown"})


def test_tablegen_of_the_spec_has_the_same_records(case: Case, tmp_path: Path) -> None:
    path = tmp_path / "Passes.td"
    path.write_bytes(case.text("tablegen").encode())

    again = dump_of(path, root_of(case.path))

    assert passes(json.loads(again)) == passes(json.loads(case.dump))
    # A second import writes the same spec, below the line with the command.
    read = read_records(again, SourceFile(str(path), path.read_text("utf-8")))
    source = SourceFile("passes.yaml", import_dump(read, case.path.name, "Group").text)
    generated = generate([source], Options(targets=("tablegen",)))
    _, _, declared = generated.files[0].text.partition("\n")
    assert declared == case.text("tablegen").partition("\n")[2]


def passes(dump: dict[str, Any]) -> dict[str, Any]:
    """Return the passes with their options, without names and places of the file.

    Fields that no spec holds, and no generator of passes reads, are left out.
    """
    found = {}
    for name in dump["!instanceof"]["PassBase"]:
        found[name] = {
            key: value
            for key, value in dump[name].items()
            if key != "!locs" and not is_nested(value)
        }
        for kind in ("options", "statistics"):
            items = [dump[item["def"]] for item in dump[name][kind]]
            hidden = {"!anonymous", "!locs", "!name"}
            found[name][kind] = [
                {key: item[key] for key in item if key not in hidden} for item in items
            ]
    return found


def is_nested(value: object) -> bool:
    parts = value if isinstance(value, list) else [value]
    return any(isinstance(each, (dict, list)) for each in parts)


@pytest.fixture(scope="module")
def python_modules(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a module for each file, called by the number of the file."""
    folder = tmp_path_factory.mktemp("modules")
    for number, path in enumerate(FILES):
        module, _ = case_of(path).generate(*PYTHON).files
        (folder / f"group_{number}.py").write_text(module.text, "utf-8")
    return folder


def test_mypy_strict_accepts_generated_python(python_modules: Path) -> None:
    assert len(list(python_modules.glob("*.py"))) == len(FILES)
    assert mypy_strict(python_modules) == ""


def test_generated_python_registers_every_pass(
    python_modules: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # One registry a group: groups of different projects share arguments.
    monkeypatch.syspath_prepend(python_modules)
    count = 0
    for number in range(len(FILES)):
        registry = PassRegistry()
        module = importlib.import_module(f"group_{number}")
        module.registerGroupPasses(registry)
        count += len(list(registry.passes()))

    assert count == sum(len(case_of(path).records) for path in FILES)


def test_specs_are_what_stands_beside_the_features(
    golden: Callable[[Path, str], None],
) -> None:
    for path in sorted(FEATURES.glob("*.td")):
        imported = case_of(path).imported
        warnings = [
            f"# {each.severity}: {each.message}\n" for each in imported.warnings
        ]
        golden(path.with_suffix(".yaml"), "".join(warnings) + imported.text)


def test_an_installed_file_finds_what_it_includes(mlir_include: Path) -> None:
    path = mlir_include / "mlir/Transforms/Passes.td"
    group = read_input(str(path))

    (cse,) = (each for each in group.passes if each.argument == "cse")
    assert "CSE" in cse.location.source.line_text(cse.location.line)
    assert list(compare(group, group)) == []


def test_the_headers_of_an_installed_llvm_are_found_and_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "Passes.td"
    path.write_text(
        'include "mlir/Pass/PassBase.td"\ndef A : Pass<"a"> { let summary = "A"; }\n'
    )

    assert cli.main(["import", str(path)]) == 0
    found = re.fullmatch(
        r"note: MLIR's files are those of '-I (.*)'\n", capsys.readouterr().err
    )
    assert found
    assert (Path(found[1]) / "mlir/Pass/PassBase.td").is_file()

    assert cli.main(["import", str(path), "-I", found[1]]) == 0
    assert capsys.readouterr().err == ""


def test_a_dialect_is_called_what_its_own_file_says(tmp_path: Path) -> None:
    (tmp_path / "MyDialect.td").write_text(
        'include "mlir/IR/OpBase.td"\ndef My_Dialect : Dialect {\n'
        '  let name = "mine";\n  let cppNamespace = "::my";\n}\n'
    )
    path = tmp_path / "Passes.td"
    path.write_text(
        'include "mlir/Pass/PassBase.td"\ndef A : Pass<"a"> {\n'
        '  let summary = "A";\n  let dependentDialects = ["my::MyDialect"];\n}\n'
    )

    guessed = import_dump(read_dump(str(path)), "Passes.td")
    read = import_dump(read_dump(str(path), [str(tmp_path)]), "Passes.td")

    assert "namespace: my  # a guess" in guessed.text
    assert "dependentDialects: [mine]" in read.text
    assert read.warnings == ()


def test_diff_reads_a_td_file_and_its_includes_at_a_git_revision(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    git = shutil.which("git") or "git"
    identity = ("-c", "user.name=A", "-c", "user.email=a@example.org")
    Path("include").mkdir()
    Path("lib").mkdir()
    Path("include/Base.td").write_text(
        'include "mlir/Pass/PassBase.td"\n'
        'class LoopPass<string name> : Pass<"loop-" # name> { let summary = name; }\n'
    )
    passes = 'include "Base.td"\ndef Unroll : LoopPass<"unroll">;\n'
    Path("lib/Passes.td").write_text(passes + 'def Jam : LoopPass<"jam">;\n')
    for arguments in (("init", "-q"), ("add", "."), ("commit", "-qm", "Declare")):
        subprocess.run([git, *identity, *arguments], check=True)
    Path("lib/Passes.td").write_text(passes)
    base = Path("include/Base.td")
    base.write_text(base.read_text().replace('"loop-"', '"loops-"'))

    code = cli.main(["diff", "--against", "HEAD", "-I", "include", "lib/Passes.td"])

    out = capfd.readouterr().out
    assert code == 1
    lines = [line for line in out.splitlines() if line.endswith("]")]
    assert lines == [
        "HEAD:lib/Passes.td:3:1: error: pass 'loop-jam' was removed [pass-removed]",
        "lib/Passes.td:2:1: error: pass 'loop-unroll' is 'loops-unroll' now [pass-renamed]",
    ]
