// RUN: passgen-opt %s --affine-loop-unroll --remarks-filter=affine-loop-unroll --verify-diagnostics --split-input-file -o /dev/null
// RUN: passgen-opt %s --affine-loop-unroll='unroll-factor=-1' --remarks-filter='.*' --split-input-file -o /dev/null 2>&1 | filecheck %s --check-prefix FULL

// FULL:      :8:3: remark: [Passed] unrolledFully | Category:affine-loop-unroll | Function=fill | Remark="the loop was replaced by its 10 iterations", count=10
// FULL:      remark: [Missed] iterationsUnknown | Category:affine-loop-unroll | Function=symbolic
func.func @fill(%x: f32, %m: memref<100xf32>) {
  // expected-remark@+1 {{[Passed] unrolled | Category:affine-loop-unroll | Function=fill | Remark="the loop was unrolled by 4", factor=4}}
  affine.for %i = 0 to 10 {
    affine.store %x, %m[%i] : memref<100xf32>
  }
  return
}

// -----

func.func @one_group(%x: f32, %m: memref<100xf32>) {
  // The loop becomes one iteration, which needs no loop.
  // expected-remark@+1 {{[Passed] unrolledFully}}
  affine.for %i = 0 to 4 {
    affine.store %x, %m[%i] : memref<100xf32>
  }
  return
}

// -----

func.func @short(%x: f32, %m: memref<100xf32>) {
  // expected-remark@+1 {{the loop runs 3 times, less than the factor 4", Suggestion=}}
  affine.for %i = 0 to 3 {
    affine.store %x, %m[%i] : memref<100xf32>
  }
  // Nothing is said about a loop that does nothing.
  affine.for %i = 0 to 3 {
  }
  return
}

// -----

func.func @symbolic(%x: f32, %n: index, %m: memref<100xf32>) {
  // expected-remark@+1 {{[Passed] unrolled}}
  affine.for %i = 0 to %n {
    affine.store %x, %m[%i] : memref<100xf32>
  }
  // expected-remark@+1 {{[Missed] remainderStays}}
  affine.for %i = 0 to min affine_map<(d0) -> (d0, 50)>(%n) {
    affine.store %x, %m[%i] : memref<100xf32>
  }
  return
}
