// The pipeline that the spec of the affine passes declares, as a flag and in a pipeline.
// RUN: passgen-opt %s --affine-optimize=unroll-factor=2 | filecheck %s
// RUN: passgen-opt %s --pass-pipeline='builtin.module(affine-optimize{unroll=false})' | filecheck %s --check-prefix ROLLED
// RUN: passgen-opt %s --affine-optimize=unroll=false --dump-pass-pipeline=line 2>&1 | filecheck %s --check-prefix PIPELINE

// PIPELINE:     builtin.module(func.func(affine-loop-normalize
// PIPELINE-NOT: affine-loop-unroll
// PIPELINE:     cse))

// CHECK:          %[[FACTOR:.*]] = arith.mulf
// CHECK-NEXT:     affine.for %{{.*}} = 0 to 16 step 2
// CHECK:            arith.addf %{{.*}}, %[[FACTOR]]
// CHECK:            affine.store
// CHECK:            arith.addf %{{.*}}, %[[FACTOR]]
// CHECK:            affine.store

// ROLLED:         %[[FACTOR:.*]] = arith.mulf
// ROLLED-NEXT:    affine.for %{{.*}} = 0 to 16 {
// ROLLED:           arith.addf %{{.*}}, %[[FACTOR]]
// ROLLED-NEXT:      affine.store
// ROLLED-NEXT:    }
func.func @raise(%rate: f32, %days: f32, %values: memref<32xf32>) {
  affine.for %i = 0 to 32 step 2 {
    %factor = arith.mulf %rate, %days : f32
    %value = affine.load %values[%i] : memref<32xf32>
    %raised = arith.addf %value, %factor : f32
    affine.store %raised, %values[%i] : memref<32xf32>
  }
  return
}
