// C += 2 * alpha * A * B for 16x16 matrices, deliberately slow: loops do not start at 0
// or have other steps than 1, 2 * alpha is computed in the innermost loop, and the row
// is computed once for each array.
func.func @matmul(%A: memref<16x16xf32>, %B: memref<16x16xf32>, %C: memref<16x16xf32>,
                  %alpha: f32) {
  affine.for %i = 0 to 32 step 2 {
    affine.for %j = 1 to 17 {
      affine.for %k = 0 to 16 {
        %scale = arith.constant 2.0 : f32
        %factor = arith.mulf %alpha, %scale : f32
        %row_a = affine.apply affine_map<(d0) -> (d0 floordiv 2)>(%i)
        %row_c = affine.apply affine_map<(d0) -> (d0 floordiv 2)>(%i)
        %a = affine.load %A[%row_a, %k] : memref<16x16xf32>
        %b = affine.load %B[%k, %j - 1] : memref<16x16xf32>
        %c = affine.load %C[%row_c, %j - 1] : memref<16x16xf32>
        %product = arith.mulf %a, %b : f32
        %scaled = arith.mulf %factor, %product : f32
        %sum = arith.addf %c, %scaled : f32
        affine.store %sum, %C[%row_c, %j - 1] : memref<16x16xf32>
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
