// Files that cannot be read or written: one message, no traceback, and no IR is lost.
// DEFINE: %{fails} = not passgen-opt
// DEFINE: %{check} = filecheck %s --check-prefix

// RUN: %{fails} %s --cse --mlir-timing --info-output-file=/dev/full 2>&1 | %{check}=FULL
// FULL: func.func @f
// FULL: error: cannot write '/dev/full': No space left on device
// FULL-NOT: {{.}}
// RUN: %{fails} %t.none 2>&1 | %{check}=MISSING
// MISSING: {{^}}error: cannot open input file '{{.*}}.none': No such file or directory
// MISSING-NOT: {{.}}
// RUN: %{fails} %s -o %t.none/output.mlir 2>&1 | %{check}=OUTPUT
// RUN: %{fails} %s -o / 2>&1 | %{check}=OUTPUT
// OUTPUT: {{^}}error: cannot {{.*}} '{{.*/output.mlir|/}}'{{.*$}}
// OUTPUT-NOT: {{.}}

// What failed leaves the output as it was.
// RUN: passgen-opt %s -o %t && not passgen-test-opt %s -test-pass-failure -o %t 2>&1 | %{check}=FAILED && filecheck %s --check-prefix=KEPT --input-file=%t
// RUN: not passgen-test-opt %s --split-input-file=func -o %t 2>&1 | %{check}=BROKEN && filecheck %s --check-prefix=KEPT --input-file=%t
// FAILED: error: pass 'test-pass-failure' failed
// BROKEN: files.mlir:{{[0-9:]+}}: error:
// BROKEN-NOT: Traceback
// KEPT: builtin.module {
// KEPT-NEXT: func.func @f

func.func @f() { return }
