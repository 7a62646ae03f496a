"""Checks of `.mlir` tests that no checker reads: what is accused, and what is not."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from passgen_tools.testing.lit_test import read_test
from passgen_tools.testing.settings import OWN_PROGRAMS, Settings
from passgen_tools.testing.strictness import Judgement, Suite

RUN = "// RUN: passgen-opt %s | filecheck %s"
SETTINGS = Settings(
    OWN_PROGRAMS,
    substitutions={
        "ROUNDTRIP": "passgen-opt %s | filecheck %s",
        "%{check-b}": "filecheck --check-prefix=B %s",
    },
)

Judge = Callable[..., Judgement]


@pytest.fixture
def judge(tmp_path: Path) -> Judge:
    def judge(text: str, **others: str) -> Judgement:
        for name, other in {"a": text, **others}.items():
            (tmp_path / f"{name}.mlir").write_text(other)
        tests = [read_test(path) for path in sorted(tmp_path.glob("*.mlir"))]
        suite = Suite(lambda: [(test, SETTINGS) for test in tests])
        return suite.judge(tests[0], SETTINGS)

    return judge


def found(judgement: Judgement) -> list[str]:
    return [
        f"{each.line}:{each.column}: {each.kind}: {each.message}"
        for each in judgement.findings
    ]


UNREAD = "unread: found"
NEARLY = "nearly spelt: found"
NO_LINE = "no line: found"


@pytest.mark.parametrize(
    ("text", "findings"),
    [
        (
            f"{RUN}\n// CHECK: a\n// CHEKC: b\n",
            [f"3:4: {NEARLY} 'CHEKC:', which is not read"],
        ),
        (
            f"{RUN}\n// CHECK: a\n  // CHECK-NXT: b\n",
            [f"3:6: {NEARLY} 'CHECK-NXT:', which is not read"],
        ),
        (
            f"{RUN}\n// CHECK: a\n// CHECK : b\n",
            [f"3:4: {NEARLY} 'CHECK :', which is not read"],
        ),
        (
            f"{RUN}\n// CHECK: a\n// CHECK-NEXT : b\n",
            [f"3:4: {NEARLY} 'CHECK-NEXT :', which is not read"],
        ),
        (
            f"{RUN}\n// CHECK: a\n// CHECK_SAME: b\n",
            [f"3:4: {NEARLY} 'CHECK_SAME:', which is not read"],
        ),
        (
            f"{RUN}\n// CHECK: a\n// CHECK-EMPY:\n// CHECKS:\n",
            [f"3:4: {NEARLY} 'CHECK-EMPY:', which is not read"],
        ),
        (
            f"{RUN}\n// CHECK: a\n// CHECK-COUNT: b\n",
            [f"3:4: {NEARLY} 'CHECK-COUNT:', which is not read"],
        ),
        (
            f"{RUN}\n// CHECK: a\n// check-next: b\n",
            [f"3:4: {NEARLY} 'check-next:', which is not read"],
        ),
        (
            f"{RUN}\n// CHECK: a\n// OLD-NEXT: b\n// OLD: c\n// OLD: d\n",
            [
                (
                    f"3:4: {UNREAD} 'OLD-NEXT:' (and 2 more such lines), "
                    "which no RUN line reads"
                )
            ],
        ),
        (
            f"{RUN}\n// CHECK: a\nop // CHECK-ASM: b\n",
            [f"3:7: {UNREAD} 'CHECK-ASM:', which no RUN line reads"],
        ),
        (
            f"{RUN}\n// CHECK: a\n// CHECK-NOT-NEXT: b\n",
            [f"3:4: {UNREAD} 'CHECK-NOT-NEXT:', which no RUN line reads"],
        ),
        (
            f"{RUN} --check-prefix=CHECK1\n// CHECK1: a\n// CHECK2: b\n",
            [f"3:4: {UNREAD} 'CHECK2:', which no RUN line reads"],
        ),
        (
            "// RUN: passgen-opt %s\n// CHECK: a\n// CHECK-NEXT: b\n",
            [
                (
                    f"2:4: {UNREAD} 'CHECK:' (and 1 more such lines), "
                    "and no RUN line has a checker"
                )
            ],
        ),
        (
            "// RUN: passgen-opt %s | filecheck\n// CHECK: a\n",
            [f"2:4: {UNREAD} 'CHECK:', and no RUN line has a checker"],
        ),
        (
            "// RUN: passgen-opt %s | filecheck %S/other.mlir\n// CHECK: a\n",
            [f"2:4: {UNREAD} 'CHECK:', and no RUN line has a checker"],
        ),
        (
            f"{RUN} --check-prefixes=CHECK,B\n// CHECK: a\n",
            [f"1:1: {NO_LINE} --check-prefix=B, and no line 'B: ...'"],
        ),
        (
            f"{RUN} -check-prefix NEWER\n// NEWEST-NEXT: a\n",
            [
                f"1:1: {NO_LINE} --check-prefix=NEWER, and no line 'NEWER: ...'",
                f"2:4: {UNREAD} 'NEWEST-NEXT:', which no RUN line reads",
            ],
        ),
        (
            f"{RUN}\n// CHECK: a\n// UNREAD: alow\n",
            ["3:1: malformed: found 'UNREAD: alow'"],
        ),
    ],
)
def test_checks_that_are_not_read_are_found(
    judge: Judge, text: str, findings: list[str]
) -> None:
    assert found(judge(text)) == findings


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(f"{RUN}\n// CHECK: a\n{lines}\n", id=name)
        for name, lines in {
            "prose": "// NB: a\n// TODO: b\n// FILE: c\n// L1: d\n// Note: e",
            "prose with a word like CHECK": "// Check: a\n// check: b\n// CHEESE: a",
            "text of an operation": "// acc.loop: a\n// pred: ^bb0\n// RV32F: b",
            "a link": "// https://example.org: a",
            "a heading": "// CHECK-OLD:",
            "a comment": "// COM: CHECK-OLD: a\n// COM-CHECK-NEXT: b",
            "expected diagnostics": "// expected-error @below {{CHECK-OLD: a}}",
            "words of lit": "// REQUIRES: *\n// UNSUPPORTED: nothing",
            "a mention": "// the prefix CHECK-OLD: was removed",
            "in code": '"t.op"() {a = "CHECK-OLD: a"} : () -> ()',
            "all suffixes": (
                "// CHECK-NEXT: a\n// CHECK-SAME: a\n// CHECK-LABEL: a\n"
                "// CHECK-DAG: a\n// CHECK-NOT: a\n// CHECK-COUNT-12: a\n"
                "// CHECK-EMPTY:\n// CHECK-NEXT{LITERAL}: a"
            ),
            "without a blank": "//CHECK: a\n//CHECK-NEXT:b",
            "other parts": "// -----\n// CHECK: b\n// -----\n// CHECK-NEXT: c",
            "an accepted line": "// UNREAD: allow\n// CHECK-OLD: a",
            "accepted prefixes": (
                "// UNREAD: allow OLD, CHECK-OLD\n// CHECK-OLD: a\n// OLD-NEXT: b"
            ),
        }.items()
    ]
    + [
        pytest.param(f"{text}\n", id=name)
        for name, text in {
            "prefixes with commas": (
                f"{RUN} --check-prefixes=A,CHECK-B\n// A: a\n// CHECK-B-NEXT: b"
            ),
            "two flags": (
                f"{RUN} --check-prefix=A --check-prefix=B\n// A: a\n// B-NOT: b"
            ),
            "one dash": f"{RUN} -check-prefix A\n// A: a\n// A-NEXT: b",
            "two RUN lines": f"{RUN}\n{RUN} --check-prefix=B\n// B: a\n// CHECK: b",
            "a continued line": (
                "// RUN: passgen-opt %s \\\n// RUN: | filecheck %s \\\n"
                "// RUN: --check-prefix=OLD\n// OLD-NEXT: a"
            ),
            "a substitution of the project": "// RUN: ROUNDTRIP\n// CHECK-NEXT: a",
            "flags behind a substitution": (
                "// RUN: ROUNDTRIP --check-prefix=OLD\n// OLD-NEXT: a"
            ),
            "a checker in a substitution": (
                "// RUN: passgen-opt %s | %{check-b}\n// B-NEXT: a"
            ),
            "a defined prefix": (
                f"// DEFINE: %{{p}} = OLD\n{RUN} --check-prefix=%{{p}}\n// OLD-NEXT: a"
            ),
            "diagnostics alone": (
                "// RUN: passgen-opt --verify-diagnostics %s\n// expected-error {{a}}"
            ),
            "success alone": "// RUN: passgen-opt %s\n// TODO: check the output",
            "an input file": (
                "// RUN: passgen-opt %s -o %t\n"
                "// RUN: filecheck --input-file=%t %s\n// CHECK: a"
            ),
            "redirections": (
                "// RUN: passgen-opt %s > %t 2>&1\n// RUN: filecheck %s < %t\n"
                "// CHECK: a"
            ),
            "under not": "// RUN: not passgen-opt %s 2>&1 | filecheck %s\n// CHECK: a",
            "a check under not": (
                "// RUN: passgen-opt %s | not filecheck %s\n// CHECK: a"
            ),
            "under env": ("// RUN: passgen-opt %s | env A=1 FileCheck %s\n// CHECK: a"),
            "in a shell": (
                "// RUN: sh -c 'passgen-opt %s | filecheck %s'; true\n// CHECK: a"
            ),
            "a quoted path": "// RUN: passgen-opt %s | FileCheck '%s'\n// CHECK: a",
            "a path of the checker": (
                "// RUN: passgen-opt %s | /opt/bin/FileCheck %s\n// CHECK: a"
            ),
            "parts as files": (
                "// RUN: split-file %s %t\n"
                "// RUN: passgen-opt %t/a.mlir | filecheck %t/a.mlir\n"
                "//--- a.mlir\n// CHECK: a"
            ),
            "a branch for another machine": (
                f"{RUN} %if gpu %{{--check-prefix=GPU%}} %else %{{--check-prefix=CPU%}}\n"
                "// GPU-NEXT: a\n// CPU-NEXT: a"
            ),
            "branches of two features": (
                f"{RUN}\n{RUN} %if a && !b %{{--check-prefix=ONE%}}\n"
                "// CHECK: a\n// ONE-NEXT: a"
            ),
            "a word that ends as a suffix": (
                f"{RUN} --check-prefix=CAN\n// CAN: a\n// Cannot: b"
            ),
            "a comment prefix": (
                f"{RUN} --comment-prefixes=OFF\n// CHECK: a\n// OFF: CHECK-NEXT: a"
            ),
            "a prefix without lines that is accepted": (
                f"// UNREAD: allow\n{RUN} --check-prefixes=CHECK,B\n// CHECK: a"
            ),
        }.items()
    ],
)
def test_what_is_read_or_prose_is_not_accused(judge: Judge, text: str) -> None:
    judgement = judge(text)

    assert (found(judgement), judgement.unjudged) == ([], "")


def test_a_word_is_a_prefix_if_another_test_reads_it(judge: Judge) -> None:
    text = f"{RUN}\n// CHECK: a\n// FILE: b\n"

    assert not judge(text).findings
    assert found(judge(text, b=f"{RUN} --check-prefix=FILE\n// FILE: a\n")) == [
        f"3:4: {UNREAD} 'FILE:', which no RUN line reads"
    ]


def test_the_run_line_of_another_test_reads_a_check(judge: Judge) -> None:
    text = f"{RUN}\n// CHECK: a\n// OLD-NEXT: b\n"
    other = "// RUN: passgen-opt %s | filecheck --check-prefix=OLD %S/a.mlir\n"

    assert not judge(text, b=other).findings


@pytest.mark.parametrize(
    ("command", "word"),
    [
        ("$CHECKER %s", "'$CHECKER' is unknown"),
        ("passgen-opt %s | %checker", "'%checker' is unknown"),
        ("THEIR_ROUNDTRIP", "'THEIR_ROUNDTRIP' is unknown"),
        ("python %S/check.py %s", "check.py' is unknown"),
        ("passgen-opt %s | filecheck %s $FLAGS", "'$FLAGS' is unknown"),
        ("passgen-opt %s | filecheck %s --unknown=1", "is unknown"),
        ("passgen-opt %s | filecheck %s %{flags}", "a substitution is unknown"),
    ],
)
def test_a_test_whose_checkers_are_unknown_is_not_judged(
    judge: Judge, command: str, word: str
) -> None:
    judgement = judge(f"// RUN: {command}\n// OLD-NEXT: a\n")

    assert not judgement.findings
    assert "a.mlir:1: " in judgement.unjudged
    assert word in judgement.unjudged


def test_other_substitutions_may_be_unknown(judge: Judge) -> None:
    judgement = judge("// RUN: $TOOL %s | filecheck %s\n// CHECK: a\n// OLD-NEXT: a\n")

    assert [each.line for each in judgement.findings] == [3]


@pytest.mark.parametrize(
    ("text", "advice"),
    [
        ("// CHEKC: a", "write 'CHECK:'"),
        ("// CHECK-NXT: a", "write 'CHECK-NEXT:'"),
        ("// CHECK-LABLE: a", "write 'CHECK-LABEL:'"),
        ("// CHECK-COUNT: a", "write 'CHECK-COUNT-2:'"),
        (
            "// CHECK-OLD: a",
            (
                "write '| filecheck %s --check-prefix=CHECK-OLD' in a RUN line, or "
                "'CHECK:' here; '// UNREAD: allow CHECK-OLD' accepts it"
            ),
        ),
    ],
)
def test_a_finding_says_what_to_write(judge: Judge, text: str, advice: str) -> None:
    [finding] = judge(f"{RUN}\n// CHECK: a\n{text}\n").findings

    assert finding.advice == advice
