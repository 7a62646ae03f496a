// RUN: passgen-opt %s --pass-pipeline='builtin.module(func.func(cse))' | filecheck %s

// Operands of a commutative operation count in any order.
// CHECK-LABEL: func.func @commutative
// CHECK-NEXT:    %[[SUM:.*]] = arith.addi %a, %b : i32
// CHECK-NEXT:    func.return %[[SUM]], %[[SUM]] : i32, i32
func.func @commutative(%a: i32, %b: i32) -> (i32, i32) {
  %0 = arith.addi %a, %b : i32
  %1 = arith.addi %b, %a : i32
  return %0, %1 : i32, i32
}

// CHECK-LABEL: func.func @not_commutative
// CHECK-COUNT-2: arith.subi
func.func @not_commutative(%a: i32, %b: i32) -> (i32, i32) {
  %0 = arith.subi %a, %b : i32
  %1 = arith.subi %b, %a : i32
  return %0, %1 : i32, i32
}

// Attributes count in any order, and each in its own place.
// CHECK-LABEL: func.func @attributes
// CHECK-NEXT:    %[[SUM:.*]] = arith.addi %a, %a {a = 1 : i32, b = 2 : i32} : i32
// CHECK-NEXT:    %[[OTHER:.*]] = arith.addi %a, %a {a = 2 : i32, b = 1 : i32} : i32
// CHECK-NEXT:    func.return %[[SUM]], %[[SUM]], %[[OTHER]] : i32, i32, i32
func.func @attributes(%a: i32) -> (i32, i32, i32) {
  %0 = arith.addi %a, %a {a = 1 : i32, b = 2 : i32} : i32
  %1 = arith.addi %a, %a {b = 2 : i32, a = 1 : i32} : i32
  %2 = arith.addi %a, %a {a = 2 : i32, b = 1 : i32} : i32
  return %0, %1, %2 : i32, i32, i32
}

// Expressions of dominating blocks are known, those of sibling blocks are not.
// CHECK-LABEL: func.func @dominance
// CHECK:         %[[SUM:.*]] = arith.addi %a, %a : i32
// CHECK:       ^left:
// CHECK-NEXT:    %{{.*}} = arith.muli %[[SUM]], %a : i32
// CHECK:       ^right:
// CHECK-NEXT:    %{{.*}} = arith.muli %a, %a : i32
// CHECK:       ^join(%p: i32):
// CHECK-NEXT:    arith.muli %a, %a : i32
func.func @dominance(%c: i1, %a: i32) -> i32 {
  %0 = arith.addi %a, %a : i32
  cf.cond_br %c, ^left, ^right
^left:
  %1 = arith.addi %a, %a : i32
  %2 = arith.muli %1, %a : i32
  cf.br ^join(%2 : i32)
^right:
  %3 = arith.muli %a, %a : i32
  cf.br ^join(%3 : i32)
^join(%p: i32):
  %4 = arith.muli %a, %a : i32
  %5 = arith.addi %4, %p : i32
  %6 = arith.addi %5, %0 : i32
  return %6 : i32
}

// A write in between makes a second read necessary.
// CHECK-LABEL: func.func @reads
// CHECK-NEXT:    %[[FIRST:.*]] = memref.load
// CHECK-NEXT:    memref.store
// CHECK-NEXT:    %[[SECOND:.*]] = memref.load
// CHECK-NEXT:    func.return %[[FIRST]], %[[FIRST]], %[[SECOND]]
func.func @reads(%m: memref<4xi32>, %i: index, %v: i32) -> (i32, i32, i32) {
  %0 = memref.load %m[%i] : memref<4xi32>
  %1 = memref.load %m[%i] : memref<4xi32>
  memref.store %v, %m[%i] : memref<4xi32>
  %2 = memref.load %m[%i] : memref<4xi32>
  return %0, %1, %2 : i32, i32, i32
}

// CHECK-LABEL: func.func @unknown_effects
// CHECK-COUNT-2: memref.load
func.func @unknown_effects(%m: memref<4xi32>, %i: index) -> (i32, i32) {
  %0 = memref.load %m[%i] : memref<4xi32>
  func.call @external() : () -> ()
  %1 = memref.load %m[%i] : memref<4xi32>
  return %0, %1 : i32, i32
}
func.func private @external()

// Operations with regions are equal if their regions are, types included.
// CHECK-LABEL: func.func @regions
// CHECK-COUNT-2: scf.if
// CHECK-NOT:   scf.if
func.func @regions(%a: f64, %c: i1) -> (f64, f64, f64) {
  %0 = scf.if %c -> (f64) {
    %t = arith.truncf %a : f64 to f32
    %e = arith.extf %t : f32 to f64
    scf.yield %e : f64
  } else {
    scf.yield %a : f64
  }
  %1 = scf.if %c -> (f64) {
    %t = arith.truncf %a : f64 to f32
    %e = arith.extf %t : f32 to f64
    scf.yield %e : f64
  } else {
    scf.yield %a : f64
  }
  %2 = scf.if %c -> (f64) {
    %t = arith.truncf %a : f64 to f16
    %e = arith.extf %t : f16 to f64
    scf.yield %e : f64
  } else {
    scf.yield %a : f64
  }
  return %0, %1, %2 : f64, f64, f64
}

// CHECK-LABEL: func.func @dead
// CHECK-NEXT:    func.return
func.func @dead(%m: memref<4xi32>, %i: index) {
  %0 = memref.load %m[%i] : memref<4xi32>
  %1 = memref.alloc() : memref<4xi32>
  affine.for %k = 0 to 4 {
  }
  return
}

// CHECK-LABEL: func.func private @declaration
func.func private @declaration(i32) -> i32
