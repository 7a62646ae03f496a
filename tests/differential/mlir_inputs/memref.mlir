func.func @views(%m: memref<8x8xf32>, %i: index) -> f32 {
  %s = memref.subview %m[2, 2] [4, 4] [1, 1] : memref<8x8xf32> to memref<4x4xf32, strided<[8, 1], offset: 18>>
  %0 = memref.load %s[%i, %i] : memref<4x4xf32, strided<[8, 1], offset: 18>>
  return %0 : f32
}
func.func @local() -> f32 {
  %c0 = arith.constant 0 : index
  %x = arith.constant 1.5 : f32
  %a = memref.alloc() : memref<4xf32>
  memref.store %x, %a[%c0] : memref<4xf32>
  %0 = memref.load %a[%c0] : memref<4xf32>
  memref.dealloc %a : memref<4xf32>
  return %0 : f32
}
memref.global "private" constant @table : memref<2xi32> = dense<[1, 2]>
func.func @global(%i: index) -> i32 {
  %t = memref.get_global @table : memref<2xi32>
  %0 = memref.load %t[%i] : memref<2xi32>
  return %0 : i32
}
