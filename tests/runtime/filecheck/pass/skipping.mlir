// An idempotent pass is skipped where nothing has changed since it ran, and reports say so.

// RUN: passgen-opt %s -pass-pipeline='builtin.module(func.func(canonicalize,print-ir,canonicalize))' -mlir-pass-statistics -o /dev/null 2>&1 | filecheck %s --check-prefix=STATS
// RUN: passgen-opt %s -pass-pipeline='builtin.module(func.func(canonicalize,print-ir,canonicalize))' -mlir-pass-statistics -no-skip -o /dev/null 2>&1 | filecheck %s --check-prefix=ALL
// RUN: passgen-opt %s -mlir-disable-threading -pass-pipeline='builtin.module(func.func(canonicalize,print-ir,canonicalize))' -mlir-timing -o /dev/null 2>&1 | filecheck %s --check-prefix=TIMING
// RUN: passgen-opt %s -pass-pipeline='builtin.module(canonicalize,canonicalize{max-iterations=1})' -mlir-pass-statistics -o /dev/null 2>&1 | filecheck %s --check-prefix=OPTIONS
// RUN: passgen-opt %s -pass-pipeline='builtin.module(canonicalize)' -verify-each=end | filecheck %s --check-prefix=IR
// RUN: passgen-opt %s -pass-pipeline='builtin.module(canonicalize)' -verify-each=all | filecheck %s --check-prefix=IR

// STATS: 'func.func' Pipeline
// STATS-NEXT: Canonicalizer
// STATS-NEXT: PrintIRPass
// STATS-NEXT: Canonicalizer
// STATS-NEXT: (S) 2 skipped-unchanged - Number of runs without need

// ALL: 'func.func' Pipeline
// ALL-NOT: skipped

// TIMING: 'func.func' Pipeline
// TIMING-NEXT: Canonicalizer
// TIMING-NEXT: PrintIRPass
// TIMING-NEXT: Canonicalizer (skipped, unchanged)

// OPTIONS: Canonicalizer
// OPTIONS-NOT: skipped

// IR: func.func @first
func.func @first() {
  return
}

func.func @second(%a: i32) -> i32 {
  %0 = arith.constant 0 : i32
  %1 = arith.addi %a, %0 : i32
  return %1 : i32
}
