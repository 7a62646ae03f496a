// A loop whose step is not positive has no number of iterations, and stays as it is.

// RUN: passgen-opt %s --affine-loop-normalize | filecheck %s
// RUN: passgen-opt %s --affine-loop-unroll | filecheck %s
// RUN: passgen-opt %s --affine-loop-unroll=unroll-factor=-1 | filecheck %s
// RUN: passgen-opt %s --affine-loop-unroll=cleanup-unroll | filecheck %s
// RUN: passgen-opt %s --affine-loop-invariant-code-motion | filecheck %s

// CHECK: affine.for %i = 0 to 8 step 0 {
func.func @zero(%m: memref<8xi32>, %v: i32) {
  "affine.for"() <{lowerBoundMap = affine_map<() -> (0)>, upperBoundMap = affine_map<() -> (8)>, step = 0 : index, operandSegmentSizes = array<i32: 0, 0, 0>}> ({
  ^bb0(%i: index):
    affine.store %v, %m[%i] : memref<8xi32>
    affine.yield
  }) : () -> ()
  return
}

// CHECK: affine.for %i = 0 to 8 step -2 {
func.func @negative(%m: memref<8xi32>, %v: i32) {
  "affine.for"() <{lowerBoundMap = affine_map<() -> (0)>, upperBoundMap = affine_map<() -> (8)>, step = -2 : index, operandSegmentSizes = array<i32: 0, 0, 0>}> ({
  ^bb0(%i: index):
    affine.store %v, %m[%i] : memref<8xi32>
    affine.yield
  }) : () -> ()
  return
}

// CHECK: "affine.parallel"{{.*}}affine_map<() -> (2)>{{.*}}steps = [0 : i64]
func.func @parallel(%m: memref<8xi32>, %v: i32) {
  "affine.parallel"() <{reductions = [], lowerBoundsMap = affine_map<() -> (2)>, lowerBoundsGroups = dense<1> : vector<1xi32>, upperBoundsMap = affine_map<() -> (8)>, upperBoundsGroups = dense<1> : vector<1xi32>, steps = [0 : i64]}> ({
  ^bb0(%i: index):
    affine.store %v, %m[%i] : memref<8xi32>
    affine.yield
  }) : () -> ()
  return
}
