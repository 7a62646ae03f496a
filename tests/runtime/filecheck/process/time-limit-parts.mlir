// Each part of the input has the whole time, and one that takes too long ends alone.
// DEFINE: %{opt} = python -m tests.passgen_test_opt --split-input-file
// DEFINE: %{check} = filecheck %s --check-prefix

// RUN: %{opt} %s --timeout=1.2 -o - --test-step='do={time.sleep(0.5)}' | %{check}=ALL
// ALL: func.func @a
// ALL: func.func @b
// ALL: func.func @c

// A run without a limit, or below it, is as without.
// RUN: %{opt} %s --test-step > %t.plain
// RUN: %{opt} %s --test-step --timeout=0 > %t.none
// RUN: %{opt} %s --test-step --timeout=99999999999999999999 > %t.long
// RUN: cmp %t.plain %t.none && cmp %t.plain %t.long

// The parser takes minutes for a type of such a rank: the place of its lexer is shown.
// RUN: (echo '// Blanks.'; python -c "print('  func.func private @g(memref<' + 400_000 * '1x' + 'i32>)')") > %t.endless
// RUN: not %{opt} %t.endless --timeout=0.5 -o %t.out 2>&1 | %{check}=TOKEN
// TOKEN: {{^.*}}.endless:2:{{[0-9]+}}: error: the time limit of 0.5 s has passed while the input was parsed: the lexer stood here
// TOKEN-NEXT: {{^}}  func.func private @g(memref<1x1x1x
// TOKEN-NEXT: {{^ +\^$}}
// RUN: not cat %t.out

// RUN: (cat %t.endless; echo '//' -----; cat %s) > %t.parts
// RUN: not %{opt} %t.parts --timeout=0.5 --test-step='do={next(iter(self.operation.body.ops)).sym_name.data == "b" and time.sleep(60)}' > %t.others 2> %t.err
// RUN: cat %t.err | %{check}=ERRORS
// RUN: cat %t.others | %{check}=OTHERS
// ERRORS: .parts:2:{{[0-9]+}}: error: the time limit of 0.5 s has passed while the input was parsed
// ERRORS: error: the time limit of 0.5 s has passed while pass 'test-step' ran on 'builtin.module' operation
// ERRORS-NOT: time limit
// OTHERS: func.func @a
// OTHERS-NOT: func.func @b
// OTHERS: func.func @c

func.func @a() { return }
// -----
func.func @b() { return }
// -----
func.func @c() { return }
