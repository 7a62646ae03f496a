func.func @sum(%m: memref<?xf32>, %init: f32) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %m, %c0 : memref<?xf32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %init) -> (f32) {
    %0 = memref.load %m[%i] : memref<?xf32>
    %one = arith.constant 1.0 : f32
    %1 = arith.mulf %0, %one : f32
    %2 = arith.addf %acc, %1 : f32
    scf.yield %2 : f32
  }
  return %r : f32
}
func.func @choose(%c: i1, %a: i32, %b: i32) -> i32 {
  %r = scf.if %c -> i32 {
    %0 = arith.addi %a, %b : i32
    scf.yield %0 : i32
  } else {
    %0 = arith.subi %a, %b : i32
    scf.yield %0 : i32
  }
  return %r : i32
}
func.func @parallel(%m: memref<32x32xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  scf.parallel (%i, %j) = (%c0, %c0) to (%c32, %c32) step (%c1, %c1) {
    %0 = memref.load %m[%i, %j] : memref<32x32xf32>
    %1 = arith.negf %0 : f32
    memref.store %1, %m[%i, %j] : memref<32x32xf32>
    scf.reduce
  }
  return
}
func.func private @unused()
