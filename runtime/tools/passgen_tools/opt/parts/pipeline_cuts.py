"""`--stop-after`, `--start-after`, `--edit-ir-after`: a part of the pipeline runs."""

from __future__ import annotations

import itertools
import os
import shlex
import sys
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TypeAlias

from passgen_runtime.context import Operation
from passgen_runtime.diagnostics import print_message
from passgen_runtime.errors import IRError, clip, nearest_note
from passgen_runtime.operation_pass import Pass
from passgen_runtime.pass_manager import OpPassManager, PassManager
from passgen_tools.opt.command_line import Flag, text
from passgen_tools.opt.driver_part import DriverPart, DriverRun
from passgen_tools.opt.files import OptError
from passgen_tools.opt.parts.resuming import ResumingPart

Element: TypeAlias = Pass | OpPassManager

_HELP = "of several, PASS#2 is the second"


class PipelineCutsPart(DriverPart):
    """Runs the passes up to one of them, or from one on."""

    start_after = text("start-after", f"run the passes after PASS; {_HELP}", "PASS")
    stop_after = text("stop-after", f"run no pass after PASS; {_HELP}", "PASS")

    @contextmanager
    def around_passes(self, run: DriverRun) -> Iterator[None]:
        """Remove the other passes from the pipeline.

        Raises:
            UsageError: the pipeline has no such pass.
        """
        resuming = run.part(ResumingPart)
        start = self.start_after
        if start is None and resuming is not None:
            start = resuming.start_after
        names = pass_names(run.manager)
        first, last = 0, len(names)
        if start is not None:
            first = _place(names, start, type(self).start_after) + 1
        if self.stop_after is not None:
            last = _place(names, self.stop_after, type(self).stop_after) + 1
        if last < first:
            raise type(self).stop_after.error(f"it is before --start-after={start}")
        run.manager.elements = kept_elements(run.manager, range(first, last))
        yield


class EditingPart(DriverPart):
    """Lets the user edit the IR after a pass."""

    edit_after = text("edit-ir-after", f"edit the IR after PASS; {_HELP}", "PASS")

    @contextmanager
    def around_passes(self, run: DriverRun) -> Iterator[None]:
        """Run the passes up to one, and open an editor; the others run on its result.

        Raises:
            UsageError: the pipeline has no such pass, or there is no editor.
            OptError: the editor fails, or the user gives up.
            PassError: a pass fails.
        """
        if self.edit_after is None:
            yield
            return
        flag, manager = type(self).edit_after, run.manager
        names = pass_names(manager)
        end = _place(names, self.edit_after, flag) + 1
        editor = os.environ.get("VISUAL") or os.environ.get("EDITOR") or ""
        try:
            command = shlex.split(editor)
        except ValueError as error:
            raise flag.error(f"the editor '{editor}' is no command: {error}") from error
        if not command:
            raise flag.error("no editor is known", "set $EDITOR")
        elements = manager.elements
        rest = kept_elements(manager, range(end, len(names)))
        manager.elements = kept_elements(manager, range(end))
        manager.run(run.operation, run.runner)
        run.operation = _edit(run, command)
        manager.elements = rest
        yield
        manager.elements = elements  # reports show all passes


def pass_names(manager: OpPassManager) -> list[str]:
    """Return the names of all passes in order: `cse#1`, `cse#2`."""
    counts: Counter[str] = Counter()
    names: list[str] = []
    for pass_ in manager.passes():
        name = pass_.argument or pass_.name
        counts[name] += 1
        names.append(f"{name}#{counts[name]}")
    return names


def kept_elements(manager: PassManager, places: Collection[int]) -> list[Element]:
    """Return the pipeline with the passes at `places`, which are the same objects."""
    numbers = itertools.count()

    def kept_in(elements: Iterable[Element]) -> Iterator[Element]:
        for element in elements:
            if not isinstance(element, OpPassManager):
                if next(numbers) in places:
                    yield element
                continue
            nesting, context = element.nesting, manager.context
            nested = OpPassManager(element.anchor, nesting=nesting, context=context)
            nested.elements = list(kept_in(element.elements))
            if nested.elements:
                yield nested

    return list(kept_in(manager.elements))


def _place(names: list[str], wanted: str, flag: Flag[str | None]) -> int:
    """Return the place of a pass.

    Raises:
        UsageError: there is none.
    """
    name = wanted if "#" in wanted else f"{wanted}#1"
    if name in names:
        return names.index(name)
    notes = nearest_note(name, names) or (f"it has {', '.join(names) or 'no pass'}",)
    raise flag.error(f"the pipeline has no pass '{wanted}'", clip(notes[0]))


def _edit(run: DriverRun, editor: Sequence[str]) -> Operation:
    """Return the IR as the user leaves it, which is valid."""
    import subprocess
    from tempfile import TemporaryDirectory

    context = run.context
    with TemporaryDirectory(prefix="passgen-edit-") as folder:
        path = Path(folder, "edit.mlir")
        path.write_text(f"{context.print(run.operation)}\n", encoding="utf-8")
        while True:
            try:
                # The user names the program.
                subprocess.run([*editor, str(path)], check=True)  # noqa: S603
                edited_text = path.read_text(encoding="utf-8")
            except (OSError, UnicodeError, subprocess.CalledProcessError) as error:
                raise OptError(f"error: the editor has failed: {error}") from error
            try:
                edited = context.parse(edited_text, str(path), implicit_module=False)
                context.verify(edited)
            except IRError as error:
                context.handle(error.diagnostic)
                print_message("edit it again? [Y/n] ")
                answer = sys.stdin.readline().strip().lower()
                if answer not in {"y", "yes"} and (answer or not sys.stdin.isatty()):
                    raise OptError("error: the edited IR is not valid") from error
            else:
                return edited
