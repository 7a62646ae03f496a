"""Reproducers of one pass on one operation, and the commands that use them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from passgen_runtime.instrumentations.reproducer import Reproducer
from passgen_tools.bisect.bisection import CheckJudge
from passgen_tools.bisect.culprit import Culprit, State
from passgen_tools.bisect.driver_command import (
    MAX_MESSAGES_BYTES,
    DriverCommand,
    DriverOutput,
)
from passgen_tools.bisect.search import Search
from passgen_tools.check_command import (
    PLACEHOLDER,
    CheckCommand,
    Verdict,
    file_argument,
    shell_command,
)
from passgen_tools.record import Execution, RecordedSteps

_MARK: Final = "// passgen-bisect has written this reproducer.\n"

_RUNNING: Final = re.compile(r"BISECT: running pattern \((\d+)\) (.*)")


@dataclass(frozen=True, slots=True)
class Reproduction:
    """A reproducer, and whether running its pass has made good IR bad again."""

    text: str
    problem: str
    """The reason why it was not confirmed; empty if it was."""

    rewrite: str = ""
    """The application of a declared pattern that makes good IR bad, if any."""

    scope: str = ""
    """The reason why it has the whole module, if the check could not do with less."""


def pipeline_of(execution: Execution) -> str:
    """Return the pipeline with one pass: `builtin.module(func.func(cse))`."""
    *anchors, _ = re.sub(r"\[\d+\](?=/|$)", "", execution.path).split("/")
    return f"{'('.join(anchors)}({execution.text}{')' * len(anchors)}"


def reproducer_of(execution: Execution, module: str) -> str:
    """Return a reproducer of a pass on the text of a module."""
    pipeline = pipeline_of(execution)
    reproducer = Reproducer(pipeline, disable_threading=True, verify_each=True)
    return reproducer.append_to(f"{_MARK}{module}")


def may_replace(path: Path) -> bool:
    """Return whether there is no file at `path`, or a reproducer of a bisection."""
    if not path.is_file():  # reading a pipe would wait for a writer
        return True
    with path.open("rb") as file:
        return file.read(len(_MARK)) == _MARK.encode()


def module_of(steps: RecordedSteps, path: str, ir_id: int | None) -> str:
    """Return a module with one operation of a record; empty if there can be none."""
    is_inside = path != steps.root and "/" not in path
    if ir_id is None or (is_inside and steps.root.startswith("@")):
        return ""
    joined = steps.record.joined(ir_id)
    if is_inside:
        joined = joined._replace(text=f"{steps.root} {{\n{joined.text}\n}}")
    elif path != steps.root:
        return ""
    return steps.record.complete(joined, steps.run_id)


def reproduce(
    steps: RecordedSteps, culprit: Culprit, driver: DriverCommand, judge: CheckJudge
) -> Reproduction:
    """Return a reproducer of a culprit, with only its operation if that is enough."""
    step, part = culprit.step, culprit.part
    execution = step.executions[0] if part is None else part.execution
    problem = scope = ""
    for module in _candidates(steps, culprit):
        # Not --pass-pipeline, which drivers trust: the pipeline comes from a record.
        text = reproducer_of(execution, module)
        output = driver.run(text, "--run-reproducer")
        problem = output.problem
        if problem:
            continue
        is_whole = module == culprit.before
        label = "of the reproducer" + ("" if is_whole else " with the operation alone")
        after = State(f"the output {label}", output.text)
        before = State(f"the input {label}", module)
        made = judge(after)
        given = "good" if is_whole or made != "bad" else judge(before)
        if made == "bad" and given == "good":
            rewrite = _first_bad_rewrite(text, driver, judge)
            return Reproduction(text, "", rewrite, scope if is_whole else "")
        if not is_whole and (made == "skip" or given != "good"):
            scope = "the whole module: CHECK cannot judge the operation alone"
        problem = (
            "the pass alone does not make good IR bad; passgen-opt --audit finds passes"
            " that rely on stale analyses or on order"
        )
    return Reproduction(reproducer_of(execution, culprit.before), problem)


def _first_bad_rewrite(text: str, driver: DriverCommand, judge: CheckJudge) -> str:
    """Return the first application of a pattern after which the IR is bad."""

    def run(limit: int) -> DriverOutput:
        return driver.run(text, "--run-reproducer", f"--pattern-bisect-limit={limit}")

    def judge_rewrite(number: int) -> Verdict:
        output = run(number)
        label = f"the output with {number} of {last} rewrites"
        return "skip" if output.problem else judge(State(label, output.text))

    messages = run(-1).messages
    lines = {int(number): line for number, line in _RUNNING.findall(messages)}
    last = max(lines, default=0)
    if last != len(lines) or (not last and len(messages) >= MAX_MESSAGES_BYTES):
        return f"unknown, because the driver prints over {MAX_MESSAGES_BYTES} bytes"
    if not last or judge_rewrite(0) != "good":
        return ""
    search = Search(judge_rewrite, last)
    if not search.run():
        return ""
    return f"{search.bad} of {last}: {lines.get(search.bad, '').rstrip()}"


def _candidates(steps: RecordedSteps, culprit: Culprit) -> Iterator[str]:
    part = culprit.part
    if part is not None:
        module = module_of(steps, part.path, part.before_id)
        if module and part.path != steps.root:
            yield module
    yield culprit.before


def reduce_command(
    path: str, check: CheckCommand, driver: DriverCommand, lower: str
) -> str:
    """Return the command that reduces a reproducer.

    Its check calls a reproducer bad if the pass makes good IR bad. It cannot judge one
    whose input is not good, or whose pass fails.
    """
    # The file is "$1", so that its name cannot contain code of the script.
    given, before, after, lowered = '"$1"', '"$1.before"', '"$1.after"', '"$1.lowered"'
    # Remove the resource with the pipeline, which not all readers of IR know. It is the
    # last section; those of dialects before it have the constants of the IR.
    remove_section = '-e "/^  external_resources: {/,/^  }/d"'
    remove_comma = '-e "/^{-#/,\\$s/^  },/  }/"'
    commands = [
        f"sed {remove_section} {remove_comma} {given} > {before}",
        f"{driver.script_for(given, '--run-reproducer')} -o {after}",
    ]
    if lower:
        flag = f"--pass-pipeline={lower}"
        commands += [f"{driver.script_for(before, flag)} -o {lowered}"]
        commands += [f"{driver.script_for(after, flag)} -o {before}"]
        before, after = lowered, before
    good, bad = map(check.script_for, (before, after))
    script = f"{' && '.join([*commands, good])} || exit 125; {bad}"
    command = ["passgen-reduce", *driver.reduce_flags, "--check-must-fail"]
    command += [file_argument(path), "--", "sh", "-c", script, "sh", PLACEHOLDER]
    return shell_command(command)
