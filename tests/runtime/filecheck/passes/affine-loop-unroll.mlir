// RUN: passgen-opt %s --pass-pipeline='builtin.module(func.func(affine-loop-unroll))' | filecheck %s
// RUN: passgen-opt %s --pass-pipeline='builtin.module(func.func(affine-loop-unroll{unroll-factor=1}))' | filecheck %s --check-prefix ONE
// RUN: passgen-opt %s --pass-pipeline='builtin.module(func.func(affine-loop-unroll{unroll-factor=-1}))' | filecheck %s --check-prefix FULL
// RUN: passgen-opt %s --pass-pipeline='builtin.module(func.func(affine-loop-unroll{unroll-factor=-1 unroll-full-threshold=3}))' | filecheck %s --check-prefix SHORT
// RUN: passgen-opt %s --pass-pipeline='builtin.module(func.func(affine-loop-unroll{unroll-factor=8 unroll-up-to-factor=true}))' | filecheck %s --check-prefix UPTO
// RUN: passgen-opt %s --pass-pipeline='builtin.module(func.func(affine-loop-unroll{cleanup-unroll=true}))' | filecheck %s --check-prefix CLEANUP
// RUN: passgen-opt %s --pass-pipeline='builtin.module(func.func(affine-loop-unroll{unroll-factor=2 unroll-num-reps=2}))' | filecheck %s --check-prefix TWICE
// RUN: not passgen-opt %s --pass-pipeline='builtin.module(func.func(affine-loop-unroll{unroll-factor=0}))' 2>&1 | filecheck %s --check-prefix INVALID

// INVALID:      error: Invalid option: 'unroll-factor' should be greater than 0 or equal to -1
// INVALID-NEXT: note: pass 'affine-loop-unroll' failed on its initialization
// INVALID-NEXT: note: in the pipeline builtin.module(func.func(affine-loop-unroll{

// CHECK-LABEL: func.func @remainder
// CHECK-NEXT:    affine.for %i = 0 to 8 step 4 {
// CHECK-NEXT:      "test.op"(%i)
// CHECK-NEXT:      %[[I1:.*]] = affine.apply affine_map<(d0) -> ((d0 + 1))> (%i)
// CHECK-NEXT:      "test.op"(%[[I1]])
// CHECK-NEXT:      %[[I2:.*]] = affine.apply affine_map<(d0) -> ((d0 + 2))> (%i)
// CHECK-NEXT:      "test.op"(%[[I2]])
// CHECK-NEXT:      %[[I3:.*]] = affine.apply affine_map<(d0) -> ((d0 + 3))> (%i)
// CHECK-NEXT:      "test.op"(%[[I3]])
// CHECK-NEXT:    }
// CHECK-NEXT:    affine.for %{{.*}} = 8 to 10 {

// ONE-LABEL:     func.func @remainder
// ONE-NEXT:        affine.for %i = 0 to 10 {

// FULL-LABEL:    func.func @remainder
// FULL-NOT:        affine.for
// FULL-COUNT-10:   "test.op"
// FULL-NOT:        "test.op"
// FULL-LABEL:    func.func @iteration_arguments

// SHORT-LABEL:   func.func @remainder
// SHORT-NEXT:      affine.for %i = 0 to 10 {

// CLEANUP-LABEL: func.func @remainder
// CLEANUP-NOT:     affine.for
// CLEANUP-COUNT-10: "test.op"

// Two rounds by two unroll by four; each round has its own remainder.
// TWICE-LABEL:   func.func @remainder
// TWICE:           affine.for %{{.*}} = 0 to 8 step 4 {
// TWICE-COUNT-4:     "test.op"
// TWICE:           }
// TWICE-COUNT-2:   "test.op"
// TWICE-NEXT:      func.return
func.func @remainder() {
  affine.for %i = 0 to 10 {
    "test.op"(%i) : (index) -> ()
  }
  return
}

// CHECK-LABEL: func.func @iteration_arguments
// CHECK-NEXT:    %[[FIRST:.*]] = affine.for %i = 0 to 12 step 4 iter_args(%a = %v, %b = %w) -> (i32, i32) {
// CHECK-NEXT:      %[[S1:.*]] = arith.addi %a, %b : i32
// CHECK-NEXT:      %[[S2:.*]] = arith.addi %b, %[[S1]] : i32
// CHECK-NEXT:      %[[S3:.*]] = arith.addi %[[S1]], %[[S2]] : i32
// CHECK-NEXT:      %[[S4:.*]] = arith.addi %[[S2]], %[[S3]] : i32
// CHECK-NEXT:      affine.yield %[[S3]], %[[S4]] : i32, i32
func.func @iteration_arguments(%v: i32, %w: i32) -> (i32, i32) {
  %0, %1 = affine.for %i = 0 to 12 iter_args(%a = %v, %b = %w) -> (i32, i32) {
    %2 = arith.addi %a, %b : i32
    affine.yield %b, %2 : i32, i32
  }
  return %0, %1 : i32, i32
}

// The trip count may be negative: the remainder must not start before the loop.
// CHECK-LABEL: func.func @symbolic
// CHECK-NEXT:    affine.for %i = 3 to affine_map<()[s0] -> (((((s0 + -3) floordiv 4) * 4) + 3))>()[%n] step 4 {
// CHECK:         affine.for %{{.*}} = max affine_map<()[s0] -> (3, ((((s0 + -3) floordiv 4) * 4) + 3))>()[%n] to %n {
func.func @symbolic(%n: index) {
  affine.for %i = 3 to %n {
    "test.op"(%i) : (index) -> ()
  }
  return
}

// No remainder where the trip count is known to be a multiple.
// CHECK-LABEL: func.func @symbolic_multiple
// CHECK-NEXT:    affine.for %i = 0 to affine_map<()[s0] -> ((s0 * 8))>()[%n] step 4 {
// CHECK-NOT:     affine.for
// CHECK:         func.return
func.func @symbolic_multiple(%n: index) {
  affine.for %i = 0 to affine_map<()[s0] -> (s0 * 8)>()[%n] {
    "test.op"(%i) : (index) -> ()
  }
  return
}

// CHECK-LABEL: func.func @untouched
// CHECK-NEXT:    affine.for %i = 0 to 3 {
// CHECK:         affine.for %j = 0 to 0 {
// CHECK:         affine.for %k = 0 to min affine_map<(d0) -> (d0, 20)>(%n) {
// CHECK:         affine.for %l = max affine_map<(d0) -> (d0, 2)>(%n) to 50 {

// ONE-LABEL:     func.func @untouched
// ONE-NEXT:        affine.for %i = 0 to 3 {

// FULL-LABEL:    func.func @untouched
// FULL-COUNT-3:    "test.op"
// FULL-NEXT:       affine.for %j = 0 to 0 {

// SHORT-LABEL:   func.func @untouched
// SHORT-COUNT-3:   "test.op"
// SHORT-NEXT:      affine.for %j = 0 to 0 {

// UPTO-LABEL:    func.func @untouched
// UPTO-COUNT-3:    "test.op"
// UPTO-NEXT:       affine.for %j = 0 to 0 {
func.func @untouched(%n: index) {
  affine.for %i = 0 to 3 {
    "test.op"(%i) : (index) -> ()
  }
  affine.for %j = 0 to 0 {
    "test.op"(%j) : (index) -> ()
  }
  affine.for %k = 0 to min affine_map<(d0) -> (d0, 20)>(%n) {
    "test.op"(%k) : (index) -> ()
  }
  affine.for %l = max affine_map<(d0) -> (d0, 2)>(%n) to 50 {
    "test.op"(%l) : (index) -> ()
  }
  return
}

// Only the innermost loop is unrolled; with a threshold, outer loops are too.
// CHECK-LABEL: func.func @nest
// CHECK-NEXT:    affine.for %i = 0 to 2 {
// CHECK-NEXT:      affine.for %j = affine_map<(d0) -> (d0)>(%i) to affine_map<(d0) -> ((d0 + 8))>(%i) step 4 {

// SHORT-LABEL:   func.func @nest
// SHORT:           affine.for
// SHORT:           affine.for
// SHORT-NOT:       affine.for
// SHORT-LABEL:   func.func private @declaration
func.func @nest() {
  affine.for %i = 0 to 2 {
    affine.for %j = affine_map<(d0) -> (d0)>(%i) to affine_map<(d0) -> (d0 + 8)>(%i) {
      "test.op"(%j) : (index) -> ()
    }
  }
  return
}

// CHECK-LABEL: func.func private @declaration
func.func private @declaration(index)

// CHECK-LABEL: func.func @empty
func.func @empty() {
  return
}
