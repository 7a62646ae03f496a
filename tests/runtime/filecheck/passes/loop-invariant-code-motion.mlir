// RUN: passgen-opt %s --pass-pipeline='builtin.module(func.func(loop-invariant-code-motion))' | filecheck %s

// An operation that leaves the inner loop may leave the outer one too.
// CHECK-LABEL: func.func @nest
// CHECK:         arith.addi %a, %b : index
// CHECK-NEXT:    scf.for %i =
// CHECK-NEXT:      %[[PER_I:.*]] = arith.muli %{{.*}}, %i : index
// CHECK-NEXT:      scf.for %j =
// CHECK-NEXT:        memref.store %[[PER_I]], %m[%j]
func.func @nest(%m: memref<8xindex>, %a: index, %b: index, %n: index, %s: index) {
  scf.for %i = %a to %n step %s {
    scf.for %j = %a to %n step %s {
      %0 = arith.addi %a, %b : index
      %1 = arith.muli %0, %i : index
      memref.store %1, %m[%j] : memref<8xindex>
      scf.yield
    }
    scf.yield
  }
  return
}

// A division may trap, a load may see a store, an allocation is new each time.
// CHECK-LABEL: func.func @stays
// CHECK:         scf.for
// CHECK:           arith.divsi %a, %b : i32
// CHECK-NEXT:      memref.load
// CHECK-NEXT:      memref.alloc
func.func @stays(%m: memref<8xf32>, %a: i32, %b: i32, %n: index, %s: index) {
  scf.for %i = %n to %n step %s {
    %0 = arith.divsi %a, %b : i32
    %1 = memref.load %m[%n] : memref<8xf32>
    %2 = memref.alloc() : memref<8xf32>
    "test.op"(%0, %1, %2) : (i32, f32, memref<8xf32>) -> ()
    scf.yield
  }
  return
}

// CHECK-LABEL: func.func @safe_division
// CHECK:         arith.divsi %a, %{{.*}} : i32
// CHECK:         scf.for
func.func @safe_division(%a: i32, %n: index, %s: index) {
  scf.for %i = %n to %n step %s {
    %five = arith.constant 5 : i32
    %0 = arith.divsi %a, %five : i32
    "test.op"(%0) : (i32) -> ()
    scf.yield
  }
  return
}

// An operation moves with its regions, if none of them uses what the loop defines.
// CHECK-LABEL: func.func @regions
// CHECK:         scf.if %c
// CHECK:         affine.for %i = 0 to 4
// CHECK:           scf.if %c
// CHECK-NEXT:        scf.yield %i : index
func.func @regions(%c: i1, %a: index) {
  affine.for %i = 0 to 4 {
    %0 = scf.if %c -> (index) {
      %1 = arith.addi %a, %a : index
      scf.yield %1 : index
    } else {
      scf.yield %a : index
    }
    %2 = scf.if %c -> (index) {
      scf.yield %i : index
    } else {
      scf.yield %a : index
    }
    "test.op"(%0, %2) : (index, index) -> ()
  }
  return
}

// CHECK-LABEL: func.func @while
// CHECK-NEXT:    %[[NEXT:.*]] = arith.addi %a, %a : i32
// CHECK-NEXT:    scf.while
func.func @while(%a: i32, %c: i1) -> i32 {
  %0 = scf.while (%x = %a) : (i32) -> i32 {
    scf.condition(%c) %x : i32
  } do {
  ^bb0(%y: i32):
    %1 = arith.addi %a, %a : i32
    scf.yield %1 : i32
  }
  return %0 : i32
}
