#even = affine_map<(d0) -> (d0 * 2)>
func.func @matmul(%a: memref<16x16xf32>, %b: memref<16x16xf32>, %c: memref<16x16xf32>) {
  affine.for %i = 0 to 16 {
    affine.for %j = 0 to 16 {
      affine.for %k = 0 to 16 {
        %0 = affine.load %a[%i, %k] : memref<16x16xf32>
        %1 = affine.load %b[%k, %j] : memref<16x16xf32>
        %2 = affine.load %c[%i, %j] : memref<16x16xf32>
        %3 = arith.mulf %0, %1 : f32
        %4 = arith.addf %2, %3 : f32
        affine.store %4, %c[%i, %j] : memref<16x16xf32>
      }
    }
  }
  return
}
func.func @producer_consumer(%a: memref<64xf32>, %b: memref<64xf32>) {
  %t = memref.alloc() : memref<64xf32>
  affine.for %i = 0 to 64 {
    %0 = affine.load %a[%i] : memref<64xf32>
    affine.store %0, %t[%i] : memref<64xf32>
  }
  affine.for %i = 0 to 32 {
    %0 = affine.load %t[%i] : memref<64xf32>
    %1 = arith.addf %0, %0 : f32
    %e = affine.apply #even(%i)
    affine.store %1, %b[%e] : memref<64xf32>
  }
  return
}
