// RUN: passgen-test-opt %s -mlir-disable-threading -pass-pipeline='builtin.module(func.func(cse,canonicalize))' -mlir-print-ir-before=cse -o %t 2>&1 | filecheck %s --check-prefix=BEFORE
// RUN: passgen-test-opt %s -mlir-disable-threading -pass-pipeline='builtin.module(func.func(cse,canonicalize{max-iterations=2}))' -mlir-print-ir-before-all -o %t 2>&1 | filecheck %s --check-prefix=BEFORE_ALL
// RUN: passgen-test-opt %s -mlir-disable-threading -pass-pipeline='builtin.module(func.func(cse,canonicalize))' -mlir-print-ir-after=cse -o %t 2>&1 | filecheck %s --check-prefix=AFTER
// RUN: passgen-test-opt %s -mlir-disable-threading -pass-pipeline='builtin.module(func.func(test-step,cse,cse))' -mlir-print-ir-after-all -mlir-print-ir-after-change -o %t 2>&1 | filecheck %s --check-prefix=AFTER_CHANGE
// RUN: passgen-test-opt %s -cse -mlir-print-ir-after-change -o %t 2>&1 | filecheck %s --check-prefix=CHANGE_ALONE
// RUN: passgen-test-opt %s -mlir-disable-threading -pass-pipeline='builtin.module(func.func(cse))' -mlir-print-ir-after=cse -mlir-print-ir-module-scope -o %t 2>&1 | filecheck %s --check-prefix=MODULE_SCOPE
// RUN: not passgen-test-opt %s -mlir-disable-threading -pass-pipeline='builtin.module(func.func(cse,test-pass-failure))' -mlir-print-ir-after-failure 2>&1 | filecheck %s --check-prefix=AFTER_FAILURE
// RUN: passgen-test-opt %s -pass-pipeline='builtin.module(func.func(cse))' -print-ir-after-all -print-ir-tree-dir=%t.tree -o /dev/null | filecheck %s --check-prefix=NOTHING --allow-empty
// RUN: passgen-test-opt %s -mlir-disable-threading -pass-pipeline='builtin.module(func.func(cse,canonicalize{max-iterations=2}))' -mlir-print-ir-after-all -mlir-print-ir-pass-options -mlir-print-ir-module-scope -o %t 2>&1 | filecheck %s --check-prefix=OPTIONS
// RUN: not passgen-test-opt %s -mlir-disable-threading -pass-pipeline='builtin.module(func.func(test-pass-failure{gen-diagnostics=true}))' -mlir-print-ir-after-failure -mlir-print-ir-pass-options 2>&1 | filecheck %s --check-prefix=FAILED_OPTIONS
// RUN: not passgen-test-opt %s -cse -mlir-print-ir-after-all -mlir-print-ir-module-scope 2>&1 | filecheck %s --check-prefix=THREADS

// BEFORE: // -----// IR Dump Before CSE (cse) //----- //
// BEFORE-NEXT: func.func @twice
// BEFORE: // -----// IR Dump Before CSE (cse) //----- //
// BEFORE-NEXT: func.func @once
// BEFORE-NOT: // -----// IR Dump

// BEFORE_ALL: // -----// IR Dump Before CSE (cse) //----- //
// BEFORE_ALL-NEXT: func.func @twice
// BEFORE_ALL: // -----// IR Dump Before Canonicalizer (canonicalize) //----- //
// BEFORE_ALL-NEXT: func.func @twice
// BEFORE_ALL: // -----// IR Dump Before CSE (cse) //----- //
// BEFORE_ALL-NEXT: func.func @once
// BEFORE_ALL: // -----// IR Dump Before Canonicalizer (canonicalize) //----- //
// BEFORE_ALL-NEXT: func.func @once

// CHANGE_ALONE: warning: --mlir-print-ir-after-change prints nothing alone: add --mlir-print-ir-after-all

// AFTER-NOT: // -----// IR Dump Before
// AFTER: // -----// IR Dump After CSE (cse) //----- //
// AFTER-NEXT: func.func @twice
// AFTER: // -----// IR Dump After CSE (cse) //----- //
// AFTER-NEXT: func.func @once
// AFTER-NOT: // -----// IR Dump

// OPTIONS: // -----// IR Dump After CSE: cse ('func.func' operation: @twice) //----- //
// OPTIONS: // -----// IR Dump After Canonicalizer: canonicalize{max-iterations=2} ('func.func' operation: @twice) //----- //

// FAILED_OPTIONS: // -----// IR Dump After TestFailurePass Failed: test-pass-failure{gen-diagnostics=true} //----- //

// AFTER_CHANGE: P @twice
// AFTER_CHANGE-NEXT: // -----// IR Dump After CSE (cse) //----- //
// AFTER_CHANGE-NEXT: func.func @twice
// AFTER_CHANGE-NOT: // -----// IR Dump

// MODULE_SCOPE: // -----// IR Dump After CSE (cse) ('func.func' operation: @twice) //----- //
// MODULE_SCOPE: func.func @twice
// MODULE_SCOPE: func.func @once
// MODULE_SCOPE: // -----// IR Dump After CSE (cse) ('func.func' operation: @once) //----- //
// MODULE_SCOPE: func.func @twice
// MODULE_SCOPE: func.func @once

// AFTER_FAILURE-NOT: // -----// IR Dump After{{.*}}CSE
// AFTER_FAILURE: // -----// IR Dump After {{.*}}TestFailurePass Failed (test-pass-failure) //----- //
// AFTER_FAILURE: func.func @twice

// NOTHING-NOT: {{.}}

// THREADS: IR print for module scope can't be setup on a pass-manager without disabling multi-threading first.

func.func @twice() -> (i32, i32) {
  %0 = arith.constant 1 : i32
  %1 = arith.constant 1 : i32
  return %0, %1 : i32, i32
}

func.func @once() -> i32 {
  %0 = arith.constant 1 : i32
  return %0 : i32
}
