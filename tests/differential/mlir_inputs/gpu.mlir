func.func @launch(%m: memref<64xf32>, %x: f32) {
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%sx = %c64, %sy = %c1, %sz = %c1) {
    memref.store %x, %m[%tx] : memref<64xf32>
    gpu.terminator
  }
  return
}
gpu.module @kernels {
  gpu.func @scale(%m: memref<64xf32>, %f: f32) kernel {
    %i = gpu.thread_id x
    %0 = memref.load %m[%i] : memref<64xf32>
    %1 = arith.mulf %0, %f : f32
    %2 = arith.mulf %0, %f : f32
    %3 = arith.addf %1, %2 : f32
    memref.store %3, %m[%i] : memref<64xf32>
    gpu.return
  }
}
