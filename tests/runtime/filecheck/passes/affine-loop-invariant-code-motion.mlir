// RUN: passgen-opt %s --pass-pipeline='builtin.module(func.func(affine-loop-invariant-code-motion))' | filecheck %s

// CHECK-LABEL: func.func @load
// CHECK-NEXT:    %[[X:.*]] = affine.load %m[0]
// CHECK-NEXT:    %[[Y:.*]] = arith.addf %[[X]], %[[X]] : f32
// CHECK-NEXT:    affine.for %i = 0 to 10
// CHECK-NEXT:      affine.store %[[Y]], %out[%i]
func.func @load(%m: memref<4xf32>, %out: memref<10xf32>) {
  affine.for %i = 0 to 10 {
    %0 = affine.load %m[0] : memref<4xf32>
    %1 = arith.addf %0, %0 : f32
    affine.store %1, %out[%i] : memref<10xf32>
  }
  return
}

// CHECK-LABEL: func.func @load_of_what_is_stored
// CHECK-NEXT:    affine.for
// CHECK-NEXT:      affine.load
// CHECK-NEXT:      affine.store
func.func @load_of_what_is_stored(%m: memref<10xf32>) {
  affine.for %i = 0 to 10 {
    %0 = affine.load %m[0] : memref<10xf32>
    affine.store %0, %m[%i] : memref<10xf32>
  }
  return
}

// A view aliases its source.
// CHECK-LABEL: func.func @load_of_stored_view
// CHECK:         affine.for
// CHECK-NEXT:      affine.load
func.func @load_of_stored_view(%m: memref<10xf32>) {
  %view = "memref.cast"(%m) : (memref<10xf32>) -> memref<?xf32>
  affine.for %i = 0 to 10 {
    %0 = affine.load %m[0] : memref<10xf32>
    affine.store %0, %view[%i] : memref<?xf32>
  }
  return
}

// CHECK-LABEL: func.func @load_beside_call
// CHECK-NEXT:    affine.for
// CHECK-NEXT:      affine.load
func.func @load_beside_call(%m: memref<10xf32>, %out: memref<10xf32>) {
  affine.for %i = 0 to 10 {
    %0 = affine.load %m[0] : memref<10xf32>
    affine.store %0, %out[%i] : memref<10xf32>
    func.call @external() : () -> ()
  }
  return
}
func.func private @external()

// CHECK-LABEL: func.func @only_as_far_as_the_variable_goes
// CHECK-NEXT:    affine.for %i = 0 to 4
// CHECK-NEXT:      %[[X:.*]] = affine.load %m[%i]
// CHECK-NEXT:      affine.for %j = 0 to 4
// CHECK-NEXT:        affine.store %[[X]], %out[%i, %j]
func.func @only_as_far_as_the_variable_goes(%m: memref<4xf32>, %out: memref<4x4xf32>) {
  affine.for %i = 0 to 4 {
    affine.for %j = 0 to 4 {
      %0 = affine.load %m[%i] : memref<4xf32>
      affine.store %0, %out[%i, %j] : memref<4x4xf32>
    }
  }
  return
}

// CHECK-LABEL: func.func @store
// CHECK-NEXT:    affine.store %v, %m[0]
// CHECK-NEXT:    affine.for
func.func @store(%m: memref<4xf32>, %v: f32) {
  affine.for %i = 0 to 10 {
    affine.store %v, %m[0] : memref<4xf32>
  }
  return
}

// A loop that may not run must not store, load out of bounds, or divide by zero.
// CHECK-LABEL: func.func @may_not_run
// CHECK:         %[[X:.*]] = affine.load %m[3]
// CHECK-NEXT:    affine.for %i = 0 to %n
// CHECK-NEXT:      affine.load %m[%n]
// CHECK-NEXT:      arith.divsi
// CHECK-NEXT:      affine.store %v, %out[0]
func.func @may_not_run(%m: memref<4xi32>, %out: memref<4xi32>, %v: i32, %n: index) {
  affine.for %i = 0 to %n {
    %0 = affine.load %m[3] : memref<4xi32>
    %1 = affine.load %m[%n] : memref<4xi32>
    %2 = arith.divsi %0, %1 : i32
    affine.store %v, %out[0] : memref<4xi32>
  }
  return
}

// A loop inside moves as a whole, unless it reads what it writes.
// CHECK-LABEL: func.func @inner_loops
// CHECK-NEXT:    affine.for %j = 0 to 4
// CHECK-NEXT:      affine.store %v, %m[%j]
// CHECK-NEXT:    }
// CHECK-NEXT:    affine.for %i = 0 to 10
// CHECK-NEXT:      affine.for %k = 0 to 4
// CHECK-NEXT:        affine.load %sum[%k]
func.func @inner_loops(%m: memref<4xf32>, %sum: memref<4xf32>, %v: f32) {
  affine.for %i = 0 to 10 {
    affine.for %j = 0 to 4 {
      affine.store %v, %m[%j] : memref<4xf32>
    }
    affine.for %k = 0 to 4 {
      %0 = affine.load %sum[%k] : memref<4xf32>
      %1 = arith.addf %0, %v : f32
      affine.store %1, %sum[%k] : memref<4xf32>
    }
  }
  return
}

// CHECK-LABEL: func.func @iteration_argument
// CHECK-NEXT:    affine.for
// CHECK-NEXT:      arith.addf
func.func @iteration_argument(%v: f32) -> f32 {
  %0 = affine.for %i = 0 to 10 iter_args(%acc = %v) -> (f32) {
    %1 = arith.addf %acc, %v : f32
    affine.yield %1 : f32
  }
  return %0 : f32
}

// CHECK-LABEL: func.func private @declaration
func.func private @declaration(f32)
