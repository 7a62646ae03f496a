// RUN: passgen-opt %s --pass-pipeline='any(canonicalize{max-iterations=0 test-convergence=true})' | filecheck %s --check-prefix NONE
// RUN: not passgen-opt %s --pass-pipeline='any(canonicalize{max-iterations=1 test-convergence=true})' 2>&1 | filecheck %s --check-prefix FAIL
// RUN: passgen-opt %s --pass-pipeline='any(canonicalize{max-iterations=2 test-convergence=true})' | filecheck %s --check-prefix DONE
// RUN: passgen-opt %s --pass-pipeline='any(canonicalize{max-num-rewrites=0})' | filecheck %s --check-prefix NONE
// RUN: passgen-opt %s --pass-pipeline='any(canonicalize{disable-patterns=SimplifyTrivialLoops})' | filecheck %s --check-prefix LOOP
// RUN: passgen-opt %s --pass-pipeline='any(canonicalize{enable-patterns=SimplifyTrivialLoops})' | filecheck %s --check-prefix DONE
// RUN: passgen-opt %s --pass-pipeline='any(canonicalize{enable-patterns=AssertTrue})' | filecheck %s --check-prefix LOOP

// NONE: scf.for
// NONE: arith.addi
// FAIL: error: pass 'canonicalize'
// LOOP: scf.for
// DONE-NOT: scf.for
// DONE: "test.op"(%v)
func.func @f(%v: i32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i32
  scf.for %i = %c0 to %c1 step %c1 {
    %q = arith.addi %v, %zero : i32
    "test.op"(%q) : (i32) -> ()
    scf.yield
  }
  return
}
