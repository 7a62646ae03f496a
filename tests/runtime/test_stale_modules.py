"""A generated module that is older than its spec: errors name the command."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any, TypeAlias, cast

import pytest

from passgen.cli import main
from passgen_runtime import PassFailure, PassOptionError
from tests.recording import FUNCTIONS, Session

OptionsClass: TypeAlias = Any
"""The generated class of options."""

OLD = """\
name: Tune
summary: Tune
passes:
  Tune:
    summary: Tune
    description: Tunes.
    anchor: func.func
    options:
      - {name: maxGain, type: uint32, default: 4, description: d}
"""
NEW = f"""{OLD}\
      - [{{name: topGain, argument: gain-at-top, type: uint32, description: d}}]
    statistics:
      - {{name: numTuned, description: d}}
    remarks:
      - {{name: notTuned, kind: missed, message: m}}
  # lowGain is no option
"""
NOTE = (
    "'tune.yaml' declares '{}', which 'tune_passes.py' lacks: renew it by `passgen "
    "--target python -o made tune.yaml`"
)


@pytest.fixture
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    """Return a generated module, whose spec has changed since."""
    monkeypatch.chdir(tmp_path)
    Path("tune.yaml").write_text(OLD)
    assert main(["--target", "python", "-o", "made", "tune.yaml"]) == 0
    Path("tune.yaml").write_text(NEW)
    monkeypatch.syspath_prepend("made")
    yield importlib.import_module("tune_passes")
    del sys.modules["tune_passes"]


@pytest.fixture
def options(module: ModuleType) -> OptionsClass:
    return cast("OptionsClass", module.TuneOptions)


def failure_of(base: type, attribute: str) -> str:
    """Return the text of the failure of a pass that reads `attribute` of itself."""

    class Tune(base):  # type: ignore[misc] # generated
        def run_on_operation(self) -> None:
            for name in attribute.split("."):
                self = getattr(self, name)  # noqa: PLW0642 - as a pass would

    session = Session(FUNCTIONS)
    session.manager.nest("func.func").add_pass(Tune())
    with pytest.raises(PassFailure) as caught:
        session.manager.run(session.module)
    return str(caught.value)


@pytest.mark.parametrize("name", ["top_gain", "topGain", "gain_at_top"])
def test_an_option_by_name(name: str, options: OptionsClass) -> None:
    with pytest.raises(TypeError) as caught:
        options.given_by(None, {name: 3})
    assert str(caught.value) == f"TuneOptions has no '{name}'; {NOTE.format(name)}"


def test_an_option_of_a_pipeline(options: OptionsClass) -> None:
    with pytest.raises(PassOptionError) as caught:
        options.parse("gain-at-top=3")
    assert caught.value.notes == (
        NOTE.format("gain-at-top"),
        "valid options are max-gain",
    )


def test_an_option_that_is_set(options: OptionsClass) -> None:
    with pytest.raises(PassOptionError) as caught:
        options().top_gain = 3
    assert caught.value.notes == (NOTE.format("top_gain"),)


@pytest.mark.parametrize(
    "attribute", ["options.top_gain", "num_tuned", "remark_not_tuned"]
)
def test_an_attribute_that_a_pass_reads(attribute: str, module: ModuleType) -> None:
    text = failure_of(module.TunePassBase, attribute)

    assert f"note: {NOTE.format(attribute.rpartition('.')[2])}\n" in text
    assert "Did you mean" not in text


@pytest.mark.parametrize("name", ["low_gain", "top", "d", "maxgain", "max-gain;"])
def test_a_name_that_the_spec_does_not_declare(
    name: str, options: OptionsClass
) -> None:
    with pytest.raises(PassOptionError) as caught:
        setattr(options(), name, 3)
    assert not any("tune.yaml" in note for note in caught.value.notes)


@pytest.mark.parametrize("text", ["", "passes: [", "passes: {Tune: 3}", "\0"])
def test_a_spec_that_is_wrong_adds_nothing(text: str, options: OptionsClass) -> None:
    Path("tune.yaml").write_text(text)
    with pytest.raises(PassOptionError) as caught:
        options().top_gain = 3
    assert not any("tune.yaml" in note for note in caught.value.notes)


def test_a_spec_that_is_gone_adds_nothing(options: OptionsClass) -> None:
    Path("tune.yaml").unlink()
    with pytest.raises(PassOptionError) as caught:
        options().top_gain = 3
    assert not any("tune.yaml" in note for note in caught.value.notes)
