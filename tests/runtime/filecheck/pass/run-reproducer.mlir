// RUN: passgen-test-opt %s -run-reproducer -mlir-print-ir-before=cse 2>&1 | filecheck %s --check-prefix=BEFORE
// RUN: passgen-test-opt %s -run-reproducer -dump-pass-pipeline -symbol-dce 2>&1 | filecheck %s --check-prefix=FLAGS
// RUN: passgen-test-opt %s -run-reproducer -dump-pass-pipeline -pass-pipeline='builtin.module(symbol-dce)' 2>&1 | filecheck %s --check-prefix=REPLACED
// RUN: passgen-test-opt %s | filecheck %s --check-prefix=KEPT
// RUN: passgen-test-opt %s -run-reproducer | filecheck %s --check-prefix=USED
// RUN: passgen-test-opt %s -pass-pipeline='builtin.module(func.func(cse))' -mlir-generate-reproducer=%t -o /dev/null && passgen-test-opt %t -run-reproducer | filecheck %s --check-prefix=USED

// BEFORE: // -----// IR Dump Before CSE (cse) //----- //
// BEFORE-NEXT: func.func @foo
// BEFORE: // -----// IR Dump Before CSE (cse) //----- //
// BEFORE-NEXT: func.func @bar

// FLAGS: builtin.module(
// FLAGS-NEXT:   func.func(
// FLAGS-NEXT:     cse,
// FLAGS-NEXT:     canonicalize{max-iterations=1
// FLAGS-NEXT:   ),
// FLAGS-NEXT:   symbol-dce
// FLAGS-NEXT: )

// REPLACED: builtin.module(
// REPLACED-NEXT:   symbol-dce
// REPLACED-NEXT: )
// REPLACED: arith.constant

// KEPT: mlir_reproducer: {
// KEPT-NEXT: verify_each: true,
// KEPT-NEXT: pipeline: "builtin.module(func.func(cse,canonicalize{max-iterations=1 max-num-rewrites=-1 region-simplify=normal test-convergence=false top-down=true}))",
// KEPT-NEXT: disable_threading: true

// USED: func.func @foo
// USED-NOT: mlir_reproducer

func.func @foo() {
  %0 = arith.constant 0 : i32
  return
}

func.func @bar() {
  return
}

{-#
  external_resources: {
    mlir_reproducer: {
      verify_each: true,
      // Entries may be in any order.
      pipeline: "builtin.module(func.func(cse,canonicalize{max-iterations=1 max-num-rewrites=-1 region-simplify=normal test-convergence=false top-down=true}))",
      disable_threading: true
    }
  }
#-}
