func.func @transfer(%m: memref<8x8xf32>, %i: index) -> vector<4xf32> {
  %p = arith.constant 0.0 : f32
  %v = vector.transfer_read %m[%i, %i], %p {in_bounds = [true]} : memref<8x8xf32>, vector<4xf32>
  %w = arith.addf %v, %v : vector<4xf32>
  vector.transfer_write %w, %m[%i, %i] {in_bounds = [true]} : vector<4xf32>, memref<8x8xf32>
  return %w : vector<4xf32>
}
func.func @reduce(%v: vector<4x4xf32>, %acc: vector<4xf32>) -> vector<4xf32> {
  %0 = vector.multi_reduction <add>, %v, %acc [1] : vector<4x4xf32> to vector<4xf32>
  return %0 : vector<4xf32>
}
func.func @fma(%a: vector<2x2xf32>) -> vector<2x2xf32> {
  %0 = vector.fma %a, %a, %a : vector<2x2xf32>
  return %0 : vector<2x2xf32>
}
