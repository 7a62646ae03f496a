"""What pytest skips in Pyodide, and why."""

from __future__ import annotations

from typing import Final

import pytest

_THREADS: Final = "it has no threads"
_DEEP_JSON: Final = "deep JSON overflows the stack of node, which ends the process"
_FILES: Final = "its files are in memory, with neither pipes nor holes"
_ERRNO: Final = "its system has other words for an error"
_LIBYAML: Final = "PyYAML is there without libyaml, which has other words"
_CURRENT_FOLDER: Final = "it cannot delete the current folder"

_SKIPPED: Final = {
    "passgen/commands/test_cli_import.py::test_what_is_no_dump_is_refused": _DEEP_JSON,
    "passgen/commands/test_serving.py": _THREADS,
    "passgen/output/test_orphans.py::test_a_damaged_manifest_is_reported": _DEEP_JSON,
    "passgen/output/test_orphans.py::test_calls_at_the_same_time": _THREADS,
    "passgen/output/test_orphans.py::test_error_a_manifest_that_is_a_pipe": _FILES,
    "passgen/output/test_orphans.py::test_what_is_no_file_is_no_orphan": _FILES,
    "passgen/output/test_output.py::test_a_pipe_is_written_to": _FILES,
    "passgen/output/test_output.py::test_error_replacing_leaves": _ERRNO,
    "passgen/spec/test_bounded_input.py": _FILES,
    "passgen/spec/test_format.py::test_layout_changes_no_meaning_and_is_done_once["
    "tests/passgen/invalid/escape-of-no-character": _LIBYAML,
    "passgen/spec/test_invalid.py::test_what_is_said[escape-of-no": _LIBYAML,
    "passgen/spec/test_invalid.py::test_what_is_said[yaml-": _LIBYAML,
    "passgen/test_cli_errors.py::test_a_deleted_current_folder": _CURRENT_FOLDER,
    "runtime/filecheck/opt/files.mlir": "it has no /dev/full",
    "runtime/filecheck/pass/pass-timing.mlir": _THREADS,
    "runtime/instrumentations/pass_timing.pycon::Threads add": _THREADS,
    "runtime/instrumentations/pass_timing.pycon::User time is the sum": _THREADS,
    "runtime/instrumentations/test_crash_reproducer.py::test_runs_at_the_same": _THREADS,
    "runtime/pass_registry/registration.pycon::Threads may": _THREADS,
    "runtime/pass_registry/test_concurrent_lookups.py": _THREADS,
    "runtime/remarks/test_remark_yaml.py::test_each_text_is_read": _LIBYAML,
    "runtime/remarks/test_remarks.py::test_remarks_of_threads": _THREADS,
    "runtime/test_output_files.py::test_pipe": _FILES,
    "runtime/test_output_files.py::test_reader_of_a_named_pipe": _FILES,
}
"""The reasons, by the beginnings of the names of tests, below `tests/`."""


def pytest_configure(config: pytest.Config) -> None:
    # Python 3.14 counts fewer references than hypothesis expects.
    message = "ignore:.*`register_random`:hypothesis.errors.HypothesisWarning"
    config.addinivalue_line("filterwarnings", message)


def pytest_itemcollected(item: pytest.Item) -> None:
    name = item.nodeid.removeprefix("tests/")
    for beginning, reason in _SKIPPED.items():
        if name.startswith(beginning):
            item.add_marker(pytest.mark.skip(reason=f"Pyodide: {reason}"))
