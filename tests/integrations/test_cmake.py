"""The example for CMake, built for real: what runs again after which change."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.integrations.example_builds import OTHER_SUMMARY, edit, example, needs, run

NOTHING = "ninja: no work to do.\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    needs("cmake", "ninja")
    return example("cmake", tmp_path)


@pytest.fixture
def built(folder: Path) -> Path:
    """The example, configured and built with Ninja."""
    configure(folder)
    build(folder)
    return folder


def configure(folder: Path, generator: str = "Ninja", code: int = 0) -> str:
    return run("cmake", "-G", generator, "-B", "build", ".", at=folder, code=code)


def build(folder: Path, code: int = 0) -> str:
    return run("cmake", "--build", "build", at=folder, code=code)


def text(folder: Path, name: str) -> str:
    return (folder / "build" / name).read_text("utf-8")


@pytest.mark.parametrize("generator", ["Ninja", "Ninja Multi-Config"])
def test_a_changed_spec_runs_passgen_and_not_cmake(
    folder: Path, generator: str
) -> None:
    configure(folder, generator)

    assert "Generating passes: demo_passes" in build(folder)
    assert (folder / "build/demo_passes.h.inc").exists()
    assert build(folder) == NOTHING

    edit(folder / "passes.yaml", *OTHER_SUMMARY)
    again = build(folder)
    assert "Generating passes: demo_passes" in again
    assert "Re-running CMake" not in again
    assert "Count all operations" in text(folder, "demo_passes.py")
    assert build(folder) == NOTHING


PIPELINES = """
externalPasses: [cse]
pipelines: {Lower: {argument: lower, summary: Lower, elements: [cse, count-ops]}}
"""


def test_a_changed_pipeline_is_built_and_one_without_cpp_stops_the_build(
    built: Path,
) -> None:
    spec = built / "passes.yaml"
    before = spec.read_text("utf-8")
    spec.write_text(before + PIPELINES, "utf-8")
    build(built)
    assert "buildLowerPipeline" in text(built, "demo_passes.h.inc")
    assert build(built) == NOTHING

    spec.write_text(before + PIPELINES + "ir: xdsl\n", "utf-8")
    stopped = build(built, code=1)
    assert "error: pass 'count-ops' of pipeline 'lower'" in stopped


def test_a_renamed_group_runs_cmake_as_its_outputs_have_other_names(
    built: Path,
) -> None:
    edit(built / "passes.yaml", "name: Demo", "name: Other")

    again = build(built)
    assert "Re-running CMake" in again
    assert "demo_passes.h.inc: warning: is orphaned" in again
    assert "count-ops" in text(built, "other_passes.h.inc")
    assert build(built) == NOTHING


def test_an_included_spec_that_changes_runs_passgen(folder: Path) -> None:
    spec = folder / "passes.yaml"
    spec.write_text("include: [common.yaml]\n" + spec.read_text("utf-8"))
    (folder / "common.yaml").write_text("sharedOptions: {}\n")
    configure(folder)
    build(folder)
    assert build(folder) == NOTHING

    (folder / "common.yaml").write_text("sharedOptions: {} # none\n")
    assert "Generating passes: demo_passes" in build(folder)
    assert build(folder) == NOTHING


def test_a_template_that_changes_runs_passgen(folder: Path) -> None:
    template = folder / "templates/python/passes.py.j2"
    template.parent.mkdir(parents=True)
    template.write_text("# one\n")
    lists = folder / "CMakeLists.txt"
    edit(lists, "TARGETS python cpp", "TARGETS python TEMPLATE_DIR templates")
    configure(folder)
    build(folder)
    assert text(folder, "demo_passes.py") == "# one\n"

    template.write_text("# two\n")
    build(folder)
    assert text(folder, "demo_passes.py") == "# two\n"


def test_make_rests_after_a_change_that_changes_no_output(folder: Path) -> None:
    needs("make")
    configure(folder, "Unix Makefiles")
    build(folder)
    with (folder / "passes.yaml").open("a") as spec:
        spec.write("# a comment\n")

    assert "Generating passes: demo_passes" in build(folder)
    assert build(folder) == "[100%] Built target demo_passes\n"


def test_error_in_a_spec_stops_the_configuration(folder: Path) -> None:
    (folder / "passes.yaml").write_text("passes: {CountOps: {argument: count-ops}}\n1")

    shown = configure(folder, code=1)
    assert "passes.yaml:2:1: error: " in shown
    assert (
        "passgen_generate(demo_passes): passgen failed, for the reasons above" in shown
    )


def test_error_in_a_spec_stops_the_build(built: Path) -> None:
    (built / "passes.yaml").write_text("passes: {CountOps: {argument: count-ops}}\n1")

    assert "passes.yaml:2:1: error: " in build(built, code=1)
    assert "count-ops" in text(built, "demo_passes.py")


@pytest.mark.parametrize(
    ("call", "message"),
    [
        ("TARGET cpp SPECS passes.yaml", "found 'TARGET', 'cpp', expected one of "),
        ("TARGETS cpp", "found no SPECS, expected the paths of specs"),
        ("SPECS", "found no value of 'SPECS', expected one"),
        ("SPECS none.yaml", "found no file '{folder}/none.yaml', expected a spec"),
        (
            "SPECS passes.yaml TEMPLATE_DIR none",
            "found no folder '{folder}/none', expected TEMPLATE_DIR",
        ),
        ("SPECS passes.yaml TARGETS c", "passgen failed, for the reasons above"),
    ],
)
def test_error_in_the_call(folder: Path, call: str, message: str) -> None:
    edit(folder / "CMakeLists.txt", "SPECS passes.yaml TARGETS python cpp", call)

    shown = " ".join(configure(folder, code=1).split())
    told = message.format(folder=folder)
    assert f"passgen_generate(demo_passes): {told}" in shown


def test_error_two_targets_of_one_name(folder: Path) -> None:
    with (folder / "CMakeLists.txt").open("a") as lists:
        lists.write("passgen_generate(demo_passes SPECS passes.yaml)\n")

    shown = " ".join(configure(folder, code=1).split())
    assert "found a target 'demo_passes', expected a new name" in shown
