// RUN: passgen-opt %s --mlir-pass-statistics \
// RUN:   --pass-pipeline='builtin.module(func.func(cse))' 2>&1 | filecheck %s

// As `mlir-opt` counts: two for the replaced addition, one for the replaced load.
// CHECK:      'func.func' Pipeline
// CHECK-NEXT:   CSE
// CHECK-NEXT:     (S) 3 num-cse'd
// CHECK-NEXT:     (S) 1 num-dce'd
func.func @f(%m: memref<4xi32>, %a: i32, %i: index) -> (i32, i32) {
  %0 = arith.addi %a, %a : i32
  %1 = arith.addi %a, %a : i32
  %2 = memref.load %m[%i] : memref<4xi32>
  %3 = memref.load %m[%i] : memref<4xi32>
  %unused = arith.muli %a, %a : i32
  %4 = arith.muli %0, %2 : i32
  %5 = arith.subi %1, %3 : i32
  return %4, %5 : i32, i32
}
