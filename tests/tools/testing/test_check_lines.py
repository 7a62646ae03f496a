"""CHECK lines for an output: names become variables, and lines stand above functions."""

from __future__ import annotations

from passgen_tools.testing.check_lines import with_checks, without_checks


def test_names_of_values_become_variables_of_their_function() -> None:
    source = "// RUN: x\n\nfunc.func @f(%x: i32) {\n}\n\nfunc.func @g() {\n}\n"
    output = """\
builtin.module {
  func.func @f(%x: i32) -> i32 {
    %0:2 = "test.two"(%x) : (i32) -> (i32, i32)
    %c-1.a$ = "test.one"(%0#1) {name = "%x"} : (i32) -> i32
    func.return %c-1.a$ : i32
  }
  func.func private @g() {
    %0 = "test.zero"() : () -> i32
  }
}
"""

    assert with_checks(source, "CHECK", output) == """\
// RUN: x

// CHECK-LABEL: func.func @f(
// CHECK-SAME:    %[[X:.*]]: i32) -> i32 {
// CHECK-NEXT:    %[[VAL_0:.*]]:2 = "test.two"(%[[X]]) : (i32) -> (i32, i32)
// CHECK-NEXT:    %[[C_1_A_:.*]] = "test.one"(%[[VAL_0]]#1) {name = "%x"} : (i32) -> i32
// CHECK-NEXT:    func.return %[[C_1_A_]] : i32
// CHECK-NEXT:  }
func.func @f(%x: i32) {
}

// CHECK-LABEL: func.func private @g() {
// CHECK-NEXT:    %[[VAL_0:.*]] = "test.zero"() : () -> i32
// CHECK-NEXT:  }
func.func @g() {
}
"""


def test_name_that_is_defined_again_is_another_variable() -> None:
    output = "^bb0(%x: i32):\n  %0 = t.a %x\n^bb1(%x: i32):\n  %0 = t.a %x\n"

    assert with_checks("", "C", output) == """\
// C:       ^bb0(%[[X:.*]]: i32):
// C-NEXT:    %[[VAL_0:.*]] = t.a %[[X]]
// C-NEXT:  ^bb1(%[[X_1:.*]]: i32):
// C-NEXT:    %[[VAL_0_1:.*]] = t.a %[[X_1]]
"""


def test_aliases_are_variables_of_all_functions() -> None:
    source = "// RUN: x\nfunc.func @f() {\n}\nfunc.func @g() {\n}\n"
    output = """\
#map = affine_map<(d0) -> (d0)>
!pair = tuple<i1, i2>
module {
  func.func @f(%map: !pair) attributes {n = "#map"} {
    %0:2 = t.a %map, #map, #arith.fastmath<none> : !pair -> !llvm.ptr
    t.b %0#1
  }
  func.func @g() attributes {m = #map} {
  }
}
"""

    assert with_checks(source, "CHECK", output) == """\
// RUN: x

// CHECK:       #[[$MAP:.*]] = affine_map<(d0) -> (d0)>
// CHECK-NEXT:  ![[$PAIR:.*]] = tuple<i1, i2>

// CHECK-LABEL: func.func @f(
// CHECK-SAME:    %[[MAP:.*]]: ![[$PAIR]]) attributes {n = "#map"} {
// CHECK-NEXT:    %[[VAL_0:.*]]:2 = t.a %[[MAP]], #[[$MAP]], #arith.fastmath<none> : \
![[$PAIR]] -> !llvm.ptr
// CHECK-NEXT:    t.b %[[VAL_0]]#1
// CHECK-NEXT:  }
func.func @f() {
}
// CHECK-LABEL: func.func @g(
// CHECK-SAME:    ) attributes {m = #[[$MAP]]} {
// CHECK-NEXT:  }
func.func @g() {
}
"""


def test_alias_that_stands_below_its_uses_is_one_variable() -> None:
    output = 'module {\n} loc(#loc1)\n#loc1 = loc("a")\n'

    assert with_checks("", "CHECK", output) == """\
// CHECK:       module {
// CHECK-NEXT:  } loc(#[[$LOC1:.*]])
// CHECK-NEXT:  #[[$LOC1]] = loc("a")
"""


def test_text_that_filecheck_would_read_as_syntax_is_escaped() -> None:
    output = 'dense<[[1], [2]]> {{a = 1}} @f "[[X]]"\n'

    assert with_checks("", "CHECK", output) == (
        "// CHECK:       dense<{{\\[\\[}}1], [2]]> {{\\{\\{}}a = 1}} @f "
        '"{{\\[\\[}}X]]"\n'
    )


def test_old_lines_of_the_prefix_go_and_other_comments_stay() -> None:
    source = (
        "// CHECK-LABEL: @f\n// Why.\n//\n// CHECK-COUNT-2: x\nop // CHECK{LITERAL}: y\n"
        "// OTHER: z\n// CHECKED: by whom\n"
    )

    assert without_checks(source, "CHECK") == (
        "// Why.\nop\n// OTHER: z\n// CHECKED: by whom\n"
    )


def test_lines_are_replaced_by_the_same_lines_for_the_same_output() -> None:
    source = "// RUN: x\nfunc.func @f() {\n}\n"
    output = "#a = b\nmodule {\n  func.func @f() {\n    t.a #a\n\n    t.b\n  }\n}\n"

    once = with_checks(source, "CHECK", output)

    assert once == """\
// RUN: x

// CHECK:       #[[$A:.*]] = b

// CHECK-LABEL: func.func @f() {
// CHECK-NEXT:    t.a #[[$A]]
// CHECK-EMPTY:
// CHECK-NEXT:    t.b
// CHECK-NEXT:  }
func.func @f() {
}
"""
    assert with_checks(once, "CHECK", output) == once


def test_text_without_symbols_is_checked_below_the_run_lines() -> None:
    source = "// RUN: x\n\n// Why.\nfunc.func @f() {\n}\n"

    assert with_checks(source, "CHECK", "one\n\ntwo %\n\n") == """\
// RUN: x

// CHECK:       one
// CHECK-EMPTY:
// CHECK-NEXT:  two %

// Why.
func.func @f() {
}
"""


def test_functions_in_another_order_are_checked_below_the_run_lines() -> None:
    source = "// RUN: x\nfunc.func @f() {\n}\nfunc.func @g() {\n}\n"
    output = "func.func @g() {\n}\nfunc.func @f() {\n}\n"

    assert with_checks(source, "CHECK", output).startswith("""\
// RUN: x

// CHECK-LABEL: func.func @g() {
// CHECK-NEXT:  }

// CHECK-LABEL: func.func @f() {
// CHECK-NEXT:  }

func.func @f() {
""")


def test_function_that_the_input_lacks_has_its_lines_in_order() -> None:
    source = "// RUN: x\nfunc.func @f() {\n}\n"
    output = "func.func @new() {\n}\nfunc.func @f() {\n}\n"

    lines = with_checks(source, "CHECK", output).splitlines()

    assert lines.index("// CHECK-LABEL: func.func @new() {") < lines.index(
        "// CHECK-LABEL: func.func @f() {"
    )


def test_repeated_functions_have_no_labels() -> None:
    output = "func.func @f() {\n}\nfunc.func @f() {\n}\n"

    assert "LABEL" not in with_checks("func.func @f() {\n}\n", "CHECK", output)


def test_parts_of_the_input_are_checked_apart() -> None:
    source = "// RUN: x\nfunc.func @f() {\n}\n// -----\nfunc.func @f() {\n}\n"
    output = "func.func @f() {\n  t.a\n}\n// -----\nfunc.func @f() {\n  t.b\n}\n"

    assert with_checks(source, "CHECK", output) == """\
// RUN: x

// CHECK-LABEL: func.func @f() {
// CHECK-NEXT:    t.a
// CHECK-NEXT:  }
func.func @f() {
}
// -----

// CHECK-LABEL: func.func @f() {
// CHECK-NEXT:    t.b
// CHECK-NEXT:  }
func.func @f() {
}
"""


def test_lines_of_nested_functions_are_indented_as_these() -> None:
    source = "// RUN: x\nmodule {\n  func.func @f() {\n  }\n}\n"

    assert "\n  // CHECK-LABEL: func.func @f() {\n  // CHECK-NEXT:  }\n  func" in (
        with_checks(source, "CHECK", "module {\n  func.func @f() {\n  }\n}\n")
    )


def test_expected_diagnostics_stay_with_their_operation() -> None:
    source = "// RUN: x\n\n// expected-error@+1 {{no}}\nfunc.func @f() {\n}\n"

    assert "// CHECK-NEXT:  }\n// expected-error@+1 {{no}}\nfunc.func @f() {" in (
        with_checks(source, "CHECK", "func.func @f() {\n}\n")
    )


def test_lines_of_several_prefixes_stand_in_order() -> None:
    source = "// RUN: x\n\nfunc.func @f() {\n}\n"

    text = with_checks(source, "A", "one\n")
    text = with_checks(text, "B", "two\n", above=["A"])

    assert text.startswith("// RUN: x\n\n// A:       one\n\n// B:       two\n\nfunc")


def test_whole_lines_are_not_divided() -> None:
    output = "func.func @f(%x: i32) {\n}\n"

    assert with_checks("func.func @f() {\n}\n", "CHECK", output, whole_lines=True) == (
        "// CHECK:       func.func @f(%[[X:.*]]: i32) {\n// CHECK-NEXT:  }\n\n"
        "func.func @f() {\n}\n"
    )


def test_check_in_a_string_is_no_check_line() -> None:
    source = 'op {a = "// CHECK: \\" x"} // CHECK: y\n// See // CHECK: "z\n'

    assert without_checks(source, "CHECK") == 'op {a = "// CHECK: \\" x"}\n// See\n'


def test_notes_on_how_a_pass_was_run_are_left_out() -> None:
    output = (
        "error: no\nnote: why\nnote: in the pipeline any(x)\nnote: for a reproducer, "
        "add --y\n\nerror: two\nnote: end\n"
    )

    assert with_checks("", "CHECK", output) == """\
// CHECK:       error: no
// CHECK-NEXT:  note: why
// CHECK:       error: two
// CHECK-NEXT:  note: end
"""
