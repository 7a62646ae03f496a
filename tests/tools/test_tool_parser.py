"""Empty values on the command lines of all tools but the driver."""

from __future__ import annotations

from collections.abc import Callable
from importlib import metadata

import pytest

from passgen import cli
from passgen_tools import bisect, opt, reduce, report, verify


@pytest.mark.parametrize(
    ("main", "option"),
    [
        (bisect.main, "--reproducer"),
        (reduce.main, "-o"),
        (report.main, "--fail-on"),
        (verify.main, "--known"),
        (cli.main, "-o"),
        (cli.main, "--depfile"),
    ],
)
@pytest.mark.parametrize("form", ["separate", "joined"])
def test_an_empty_value_is_a_usage_error(
    main: Callable[[list[str]], int],
    option: str,
    form: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    values = [option, ""] if form == "separate" else [f"{option}="]
    arguments = [*values, "file", "--", "true"]

    with pytest.raises(SystemExit) as ended:
        raise SystemExit(main(arguments))

    assert ended.value.code == 2
    found = {
        "separate": f"error: found an empty argument after '{option}'\n",
        "joined": f"error: '{option}=' has no value\n",
    }
    assert capsys.readouterr().err.endswith(found[form])


@pytest.mark.parametrize(
    ("main", "name"),
    [
        (bisect.main, "passgen-bisect"),
        (reduce.main, "passgen-reduce"),
        (report.main, "passgen-report"),
        (verify.main, "passgen-verify"),
        (opt.main, "passgen-opt"),
    ],
)
def test_tools_that_are_not_installed_say_so(
    main: Callable[[list[str]], int],
    name: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def not_found(distribution: str) -> str:
        raise metadata.PackageNotFoundError(distribution)

    monkeypatch.setattr(metadata, "version", not_found)

    with pytest.raises(SystemExit) as ended:
        raise SystemExit(main(["--version"]))

    assert ended.value.code == 0
    assert capsys.readouterr().out == f"{name} of a source tree that is not installed\n"
