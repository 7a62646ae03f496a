func.func @kernel(%image: memref<?xf32>, %filter: memref<?xf32>, %out: memref<?xf32>) {
  linalg.conv_1d ins(%image, %filter : memref<?xf32>, memref<?xf32>) outs(%out : memref<?xf32>)
  %zero = index.constant 0
  %value = memref.load %out[%zero] : memref<?xf32>
  %root = math.sqrt %value : f32
  memref.store %root, %out[%zero] : memref<?xf32>
  return
}
func.func @corner(%m: memref<8x8xf32>, %i: index) -> f32 {
  %v = memref.subview %m[%i, %i] [4, 4] [1, 1] : memref<8x8xf32> to memref<4x4xf32, strided<[8, 1], offset: ?>>
  %x = memref.load %v[%i, %i] : memref<4x4xf32, strided<[8, 1], offset: ?>>
  return %x : f32
}
