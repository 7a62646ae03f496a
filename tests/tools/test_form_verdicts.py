"""Pipelines whose passes find the forms that they need or not, and the errors.

`form_verdicts/pipelines.yaml` has a row for each pipeline, with short sentences that say
what errors must name. `form_verdicts/texts` has the whole texts.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import yaml

from passgen import Options, SpecsError, generate
from passgen.generation import read_groups
from passgen_runtime import PassRegistry
from passgen_runtime.ir.xdsl import XDSLContext
from passgen_runtime.pass_manager_builder import PassManagerBuilder
from passgen_tools.opt import main, shipped_registry
from tests.cases.reader import read_yaml
from tests.tools.form_verdicts.passes import VendorIdle, VendorLower, register
from tests.tools.form_verdicts.sentences import sentences_before, sentences_running

FOLDER = Path(__file__).parent / "form_verdicts"
SPECS = ("kernels", "loops", "tensors", "tiles")
Golden = Callable[[Path, str], None]


@dataclass(frozen=True)
class Row:
    """A pipeline, and what is expected of it."""

    row: str
    pipeline: dict[str, Any]
    run: str
    input: str
    pipelines: dict[str, Any] = field(default_factory=dict)
    specs: list[str] = field(default_factory=lambda: ["kernels"])
    before: list[str] = field(default_factory=list)
    parsed: list[str] | None = None
    running: list[str] = field(default_factory=list)
    built: list[str] = field(default_factory=list)

    @property
    def is_wrong(self) -> bool:
        """Whether an error is expected."""
        return bool(self.before or self.parsed or self.running)

    @property
    def refused(self) -> list[str]:
        """What the driver and PassManagerBuilder refuse."""
        return self.before if self.parsed is None else self.parsed

    @property
    def text(self) -> str:
        """The pipeline with its anchor."""
        return f"builtin.module({self.run})"

    def spec(self) -> str:
        """Return the first spec with the pipeline in it."""
        row = {"summary": self.row, "anchor": "builtin.module", **self.pipeline}
        pipelines = {"pipelines": {**self.pipelines, "Row": row}}
        text = (FOLDER / f"{self.specs[0]}.yaml").read_text("utf-8")
        return text + yaml.safe_dump(pipelines, sort_keys=False)


ROWS = [Row(**row) for row in read_yaml(FOLDER / "pipelines.yaml")]


def copy_specs(names: list[str], folder: Path) -> list[str]:
    """Write specs, and what they include, into `folder`, and return their paths."""
    for name in ("shapes", *names):
        text = (FOLDER / f"{name}.yaml").read_text("utf-8")
        (folder / f"{name}.yaml").write_text(text, "utf-8")
    return [str(folder / f"{name}.yaml") for name in names]


def errors_of_passgen(row: Row, folder: Path) -> str:
    """Return what `passgen` prints about the specs of a row."""
    paths = copy_specs(row.specs, folder)
    Path(paths[0]).write_text(row.spec(), "utf-8")
    try:
        read_groups(paths)
    except SpecsError as error:
        return str(error).replace(f"{folder}/", "")
    return ""


@pytest.fixture(scope="module")
def registry(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PassRegistry]:
    """Return a registry of the passes of all specs, and of those without one."""
    registry = PassRegistry()
    paths = copy_specs([*SPECS], tmp_path_factory.mktemp("specs"))
    with pytest.MonkeyPatch.context() as patch:
        for file in generate(paths, Options(targets=("python",))).files:
            module = ModuleType(Path(file.path).stem)
            patch.setitem(sys.modules, module.__name__, module)
            exec(file.text, vars(module))  # noqa: S102 - the text that passgen wrote
            register(module, registry)
        for vendor in (VendorIdle, VendorLower):
            registry.register_pass(vendor)
        for argument in ("canonicalize", "cse"):
            entry = shipped_registry().lookup_pass(argument)
            assert entry
            registry.add(entry)
        yield registry


def test_the_table_has_forty_pipelines_and_half_of_them_are_wrong() -> None:
    wrong = [row for row in ROWS if row.is_wrong]

    assert len({row.row for row in ROWS}) == len(ROWS) >= 40
    assert len(wrong) >= 20
    assert len(ROWS) - len(wrong) >= 20


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.row)
def test_verdicts(
    row: Row,
    registry: PassRegistry,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    golden: Golden,
) -> None:
    errors = errors_of_passgen(row, tmp_path)
    arguments = ["--verify-forms", "--allow-unregistered-dialect"]
    arguments += [f"--pass-pipeline={row.text}", "-o", str(tmp_path / "out.mlir")]
    source = str(FOLDER / f"{row.input}.mlir")
    code = main([source, *arguments], registry=registry)
    output = capsys.readouterr().err.replace(f"{FOLDER}/", "")

    assert row.is_wrong or errors + output == ""
    assert sentences_before(errors) == row.before
    warnings = [
        text for text in re.split(r"(?m)^(?=\S*: )", output) if "warning" in text
    ]
    assert sentences_before("".join(warnings)) == row.refused
    assert sentences_running(output) == row.running
    assert code == bool(row.running)
    if row.is_wrong:
        specs = " ".join(f"{spec}.yaml" for spec in row.specs)
        flags = "--allow-unregistered-dialect --verify-forms"
        run = f"passgen-opt {row.input}.mlir {flags} -p '{row.text}'"
        texts = f"$ passgen {specs}\n{errors or 'accepted'}\n$ {run}\n{output or 'accepted'}"
        name = re.sub("[^a-z]+", "-", row.row)
        golden(FOLDER / "texts" / f"{name}.txt", texts)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.row)
def test_a_builder_judges_alike(row: Row, registry: PassRegistry) -> None:
    builder = PassManagerBuilder(XDSLContext(), registry=registry, defers_checks=True)
    builder.add(row.run)

    found = "\n".join(map(str, builder.check()))
    inserted = [
        change.partition("'")[2].partition("'")[0]
        for change in map(str, builder.remove_redundant_passes())
        if change.startswith("inserted")
    ]

    assert sentences_before(found) == row.refused
    assert inserted == row.built
    if row.built:
        assert builder.check() == []
