// RUN: passgen-opt %s --pass-pipeline='builtin.module(func.func(canonicalize))' | filecheck %s

// CHECK-LABEL: func.func @fold
// CHECK-NEXT:    %[[FIVE:.*]] = arith.constant 5 : i32
// CHECK-NEXT:    func.return %a, %[[FIVE]] : i32, i32
func.func @fold(%a: i32) -> (i32, i32) {
  %c0 = arith.constant 0 : i32
  %0 = arith.addi %a, %c0 : i32
  %c2 = arith.constant 2 : i32
  %c3 = arith.constant 3 : i32
  %1 = arith.addi %c2, %c3 : i32
  return %0, %1 : i32, i32
}

// CHECK-LABEL: func.func @unused
// CHECK-NEXT:    func.return
func.func @unused(%a: i32) {
  %0 = arith.addi %a, %a : i32
  %1 = arith.muli %0, %0 : i32
  affine.for %i = 0 to 4 {
  }
  return
}

// CHECK-LABEL: func.func @loop_that_runs_once
// CHECK-NEXT:    %[[SUM:.*]] = arith.addi %v, %v : i32
// CHECK-NEXT:    func.return %[[SUM]] : i32
func.func @loop_that_runs_once(%v: i32) -> i32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %c1 step %c1 iter_args(%s = %v) -> (i32) {
    %q = arith.addi %s, %s : i32
    scf.yield %q : i32
  }
  return %r : i32
}

// CHECK-LABEL: func.func private @declaration
func.func private @declaration(i32) -> i32
