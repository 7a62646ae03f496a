// C = alpha * A * B for 16x16 matrices, written without a thought for speed: the
// outer loops count in steps, the product alpha * scale is computed in the innermost
// loop, and so is the element of A.
func.func @matmul(%A: memref<16x16xf32>, %B: memref<16x16xf32>, %C: memref<16x16xf32>,
                  %alpha: f32) {
  affine.for %i = 0 to 32 step 2 {
    affine.for %j = 1 to 17 {
      affine.for %k = 0 to 16 {
        %scale = arith.constant 2.0 : f32
        %factor = arith.mulf %alpha, %scale : f32
        %a = affine.load %A[%i floordiv 2, %k] : memref<16x16xf32>
        %b = affine.load %B[%k, %j - 1] : memref<16x16xf32>
        %c = affine.load %C[%i floordiv 2, %j - 1] : memref<16x16xf32>
        %product = arith.mulf %a, %b : f32
        %scaled = arith.mulf %factor, %product : f32
        %sum = arith.addf %c, %scaled : f32
        affine.store %sum, %C[%i floordiv 2, %j - 1] : memref<16x16xf32>
      }
    }
  }
  return
}

// Called by nobody: symbol-dce removes it.
func.func private @unused(%x: f32) -> f32 {
  %0 = arith.addf %x, %x : f32
  return %0 : f32
}
