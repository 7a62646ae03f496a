// RUN: passgen-opt %s --pass-pipeline='builtin.module(func.func(affine-loop-normalize))' | filecheck %s --check-prefixes CHECK,PROMOTE
// RUN: passgen-opt %s --pass-pipeline='builtin.module(func.func(affine-loop-normalize{promote-single-iter=false}))' | filecheck %s --check-prefixes CHECK,KEEP

// CHECK-LABEL: func.func @constant_bounds
// CHECK-NEXT:    affine.for %i = 0 to 5 {
// CHECK-NEXT:      affine.apply affine_map<(d0) -> (((d0 * 2) + 3))> (%i)
// CHECK:         affine.for %j = 0 to 3 {
// CHECK-NEXT:      affine.apply affine_map<(d0) -> ((d0 + -5))> (%j)
// CHECK:         affine.for %k = 0 to 0 {
// CHECK:         affine.for %l = 0 to 10 {
// CHECK-NEXT:      "test.op"(%l)
func.func @constant_bounds() {
  affine.for %i = 3 to 12 step 2 {
    "test.op"(%i) : (index) -> ()
  }
  affine.for %j = -5 to -2 {
    "test.op"(%j) : (index) -> ()
  }
  affine.for %k = 5 to 5 {
    "test.op"(%k) : (index) -> ()
  }
  affine.for %l = 0 to 10 {
    "test.op"(%l) : (index) -> ()
  }
  return
}

// CHECK-LABEL:  func.func @single_iteration
// PROMOTE-NEXT:   %[[THREE:.*]] = arith.constant 3 : index
// PROMOTE-NEXT:   "test.op"(%[[THREE]])
// KEEP-NEXT:      affine.for %i = 0 to 1 {
func.func @single_iteration() {
  affine.for %i = 3 to 5 step 4 {
    "test.op"(%i) : (index) -> ()
  }
  return
}

// CHECK-LABEL: func.func @symbolic_bounds
// CHECK-NEXT:    affine.for %i = 0 to affine_map<()[s0] -> ((s0 ceildiv 3))>()[%n] {
// CHECK-NEXT:      affine.apply affine_map<(d0) -> ((d0 * 3))> (%i)
// CHECK:         affine.for %j = 0 to min affine_map<()[s0] -> ((s0 + -2), 18)>()[%n] {
func.func @symbolic_bounds(%n: index) {
  affine.for %i = 0 to %n step 3 {
    "test.op"(%i) : (index) -> ()
  }
  affine.for %j = 2 to min affine_map<(d0) -> (d0, 20)>(%n) {
    "test.op"(%j) : (index) -> ()
  }
  return
}

// CHECK-LABEL: func.func @nest
// CHECK-NEXT:    affine.for %i = 0 to 4 {
// CHECK-NEXT:      %[[I:.*]] = affine.apply affine_map<(d0) -> (((d0 * 3) + 1))> (%i)
// CHECK-NEXT:      affine.for %j = 0 to 5 {
// CHECK-NEXT:        affine.apply affine_map<(d0, d1) -> ((d0 + d1))> (%[[I]], %j)
func.func @nest() {
  affine.for %i = 1 to 11 step 3 {
    affine.for %j = affine_map<(d0) -> (d0)>(%i) to affine_map<(d0) -> (d0 + 5)>(%i) {
      "test.op"(%j) : (index) -> ()
    }
  }
  return
}

// CHECK-LABEL: func.func @several_lower_bounds
// CHECK-NEXT:    affine.for %i = max affine_map<(d0) -> (d0, 2)>(%n) to 50 {
func.func @several_lower_bounds(%n: index) {
  affine.for %i = max affine_map<(d0) -> (d0, 2)>(%n) to 50 {
    "test.op"(%i) : (index) -> ()
  }
  return
}

// CHECK-LABEL: func.func @parallel()
// CHECK-NEXT:    "affine.parallel"() <{
// CHECK-SAME:      lowerBoundsMap = affine_map<() -> (0, 0)>
// CHECK-SAME:      steps = [1 : i64, 1 : i64]
// CHECK-SAME:      upperBoundsMap = affine_map<() -> (6, 4)>
// CHECK-NEXT:    ^{{.*}}(%i: index, %j: index):
// CHECK-NEXT:      %[[I:.*]] = affine.apply affine_map<(d0) -> (((d0 * 3) + 2))> (%i)
// CHECK-NEXT:      %[[J:.*]] = affine.apply affine_map<(d0) -> (((d0 * 2) + 1))> (%j)
// CHECK-NEXT:      "test.op"(%[[I]], %[[J]])
func.func @parallel() {
  "affine.parallel"() <{lowerBoundsGroups = dense<1> : tensor<2xi32>, lowerBoundsMap = affine_map<() -> (2, 1)>, reductions = [], steps = [3, 2], upperBoundsGroups = dense<1> : tensor<2xi32>, upperBoundsMap = affine_map<() -> (20, 9)>}> ({
  ^body(%i: index, %j: index):
    "test.op"(%i, %j) : (index, index) -> ()
    affine.yield
  }) : () -> ()
  return
}

// Both operands become symbols; that of the upper bound comes first, as it was one before.
// CHECK-LABEL: func.func @symbolic_parallel
// CHECK-NEXT:    "affine.parallel"(%m, %n) <{
// CHECK-SAME:      lowerBoundsMap = affine_map<() -> (0, 0)>
// CHECK-SAME:      steps = [1 : i64, 1 : i64]
// CHECK-SAME:      upperBoundsMap = affine_map<()[s0, s1] -> (((s1 * -1) + 7), (s0 ceildiv 2))>
// CHECK-NEXT:    ^{{.*}}(%i: index, %j: index):
// CHECK-NEXT:      %[[I:.*]] = affine.apply affine_map<(d0, d1) -> ((d0 + d1))> (%n, %i)
// CHECK-NEXT:      "test.op"(%[[I]])
func.func @symbolic_parallel(%n: index, %m: index) {
  "affine.parallel"(%n, %m) <{lowerBoundsGroups = dense<1> : tensor<2xi32>, lowerBoundsMap = affine_map<(d0) -> (d0, 0)>, reductions = [], steps = [1, 2], upperBoundsGroups = dense<1> : tensor<2xi32>, upperBoundsMap = affine_map<()[s0] -> (7, s0)>}> ({
  ^body(%i: index, %j: index):
    "test.op"(%i) : (index) -> ()
    affine.yield
  }) : (index, index) -> ()
  return
}

// CHECK-LABEL: func.func @parallel_with_minimum
// CHECK-NEXT:    "affine.parallel"(%n) <{
// CHECK-SAME:      lowerBoundsMap = affine_map<() -> (2)>
// CHECK-SAME:      steps = [3 : i64]
// CHECK-SAME:      upperBoundsMap = affine_map<(d0) -> (20, d0)>
func.func @parallel_with_minimum(%n: index) {
  "affine.parallel"(%n) <{lowerBoundsGroups = dense<1> : tensor<1xi32>, lowerBoundsMap = affine_map<() -> (2)>, reductions = [], steps = [3], upperBoundsGroups = dense<2> : tensor<1xi32>, upperBoundsMap = affine_map<(d0) -> (20, d0)>}> ({
  ^body(%i: index):
    "test.op"(%i) : (index) -> ()
    affine.yield
  }) : (index) -> ()
  return
}

// CHECK-LABEL: func.func private @declaration
func.func private @declaration(index)
