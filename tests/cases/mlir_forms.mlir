// Varied IR on which passes are run, to see which operations they create.

func.func @fill(%value: f32, %buffer: memref<8x?xf32>) {
  linalg.fill ins(%value : f32) outs(%buffer : memref<8x?xf32>)
  return
}
func.func @matmul(%a: memref<4x8xf32>, %b: memref<8x16xf32>, %c: memref<4x16xf32>) {
  linalg.matmul ins(%a, %b : memref<4x8xf32>, memref<8x16xf32>) outs(%c : memref<4x16xf32>)
  return
}
#id = affine_map<(d0, d1) -> (d0, d1)>
#first = affine_map<(d0, d1) -> (d0)>
func.func @generic(%a: memref<?xi32>, %b: memref<?x?xi32>) {
  linalg.generic {indexing_maps = [#first, #id], iterator_types = ["parallel", "parallel"]}
    ins(%a : memref<?xi32>) outs(%b : memref<?x?xi32>) {
  ^bb0(%x: i32, %y: i32):
    %i = linalg.index 0 : index
    %c = arith.index_cast %i : index to i32
    %s = arith.addi %x, %c : i32
    linalg.yield %s : i32
  }
  return
}

// -----

func.func @convolution(%i: memref<?xf32>, %k: memref<?xf32>, %o: memref<?xf32>) {
  linalg.conv_1d ins(%i, %k : memref<?xf32>, memref<?xf32>) outs(%o : memref<?xf32>)
  return
}
func.func @functions(%f: f32, %i: index) -> (f32, index) {
  %s = math.sqrt %f : f32
  %t = math.rsqrt %s : f32
  %k = index.constant 3
  %j = index.add %i, %k
  return %t, %j : f32, index
}

// -----

func.func private @use(index)
func.func @loops(%n: index, %c: i1, %m: memref<?xf32>) -> index {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %sum = scf.for %i = %zero to %n step %one iter_args(%a = %zero) -> (index) {
    %k = arith.addi %zero, %one : index
    %b = arith.addi %a, %i : index
    %r = scf.if %c -> (index) {
      scf.yield %b : index
    } else {
      scf.yield %k : index
    }
    scf.yield %r : index
  }
  %w = scf.while (%x = %zero) : (index) -> index {
    %t = arith.cmpi slt, %x, %n : index
    scf.condition(%t) %x : index
  } do {
  ^bb0(%y: index):
    %z = arith.addi %y, %one : index
    scf.yield %z : index
  }
  scf.parallel (%i) = (%zero) to (%n) step (%one) {
    %f = arith.constant 1.0 : f32
    memref.store %f, %m[%i] : memref<?xf32>
    scf.reduce
  }
  %q = scf.execute_region -> index {
    scf.yield %w : index
  }
  scf.index_switch %q
  case 2 {
    func.call @use(%q) : (index) -> ()
    scf.yield
  }
  default {
    scf.yield
  }
  scf.forall (%t) in (%n) {
    %f = arith.constant 2.0 : f32
    memref.store %f, %m[%t] : memref<?xf32>
  }
  return %sum : index
}

// -----

func.func @affine(%n: index, %m: memref<?xf32>, %v: memref<64xf32>) {
  affine.for %i = 0 to %n {
    %x = affine.load %m[%i] : memref<?xf32>
    affine.if affine_set<(d0) : (d0 - 4 >= 0)>(%i) {
      affine.store %x, %m[%i floordiv 2] : memref<?xf32>
    }
    %j = affine.apply affine_map<(d0) -> (d0 mod 3 + d0 ceildiv 5)>(%i)
    %y = memref.load %m[%j] : memref<?xf32>
  }
  affine.for %i = max affine_map<(d0) -> (d0, 3)>(%n) to min affine_map<(d0) -> (d0, 64)>(%n) step 2 {
    %w = affine.vector_load %v[%i] : memref<64xf32>, vector<4xf32>
    affine.vector_store %w, %v[%i] : memref<64xf32>, vector<4xf32>
    affine.prefetch %v[%i], read, locality<3>, data : memref<64xf32>
  }
  affine.parallel (%i, %j) = (0, 0) to (8, %n) {
    %z = affine.load %v[%i] : memref<64xf32>
    affine.store %z, %m[%j] : memref<?xf32>
  }
  %r = affine.parallel (%i) = (0) to (8) reduce ("addf") -> f32 {
    %z = affine.load %v[%i] : memref<64xf32>
    affine.yield %z : f32
  }
  affine.store %r, %v[0] : memref<64xf32>
  %d:2 = affine.delinearize_index %n into (4, 8) : index, index
  %l = affine.linearize_index [%d#0, %d#1] by (4, 8) : index
  %min = affine.min affine_map<(d0) -> (d0, 7)>(%l)
  memref.store %r, %m[%min] : memref<?xf32>
  return
}

// -----

func.func @branch(%c: i1, %a: i32, %b: index) -> i32 {
  cf.assert %c, "expected"
  cf.cond_br %c, ^one(%a : i32), ^two
^one(%x: i32):
  cf.switch %x : i32, [default: ^two, 1: ^three(%x : i32)]
^two:
  cf.br ^three(%a : i32)
^three(%y: i32):
  return %y : i32
}
func.func @indices(%a: index, %b: index, %c: i32) -> i1 {
  %s = index.add %a, %b
  %k = index.constant 3
  %d = index.ceildivs %s, %k
  %f = index.floordivs %d, %b
  %e = index.ceildivu %f, %k
  %m = index.maxs %e, %a
  %t = index.casts %c : i32 to index
  %z = index.sizeof
  %u = index.sub %m, %t
  %r = index.cmp slt(%u, %z)
  %bool = index.bool.constant true
  return %r : i1
}

// -----

func.func @arith(%a: i32, %b: index, %f: f32, %v: vector<4xf32>, %w: vector<2x4xi32>) -> (i32, f32) {
  %zero = arith.constant 0 : i32
  %two = arith.constant 2 : i32
  %x = arith.addi %a, %zero : i32
  %y = arith.muli %two, %two : i32
  %c = arith.cmpi slt, %x, %y : i32
  %s = arith.select %c, %x, %y : i32
  %d = arith.ceildivsi %s, %two : i32
  %i = arith.index_cast %b : index to i32
  %m = arith.maxsi %i, %d : i32
  %g = arith.maximumf %f, %f : f32
  %h = arith.truncf %g : f32 to f16
  %e = arith.extf %h : f16 to f32
  %lo, %hi = arith.mulsi_extended %a, %m : i32
  %sum, %o = arith.addui_extended %lo, %hi : i32, i1
  %vv = arith.addf %v, %v : vector<4xf32>
  %ww = arith.addi %w, %w : vector<2x4xi32>
  %k = arith.constant dense<1> : vector<2x4xi32>
  %bc = arith.bitcast %e : f32 to i32
  %r = arith.addi %bc, %sum : i32
  return %r, %e : i32, f32
}
func.func @unsigned(%a: i64) -> i1 {
  %z = arith.constant 0 : i64
  %c = arith.cmpi ult, %a, %z : i64
  return %c : i1
}

// -----

memref.global "private" constant @table : memref<4xf32> = dense<1.0>
func.func @memory(%n: index, %m: memref<?x8xf32>, %u: memref<*xf32>) -> memref<?xf32> {
  %a = memref.alloc(%n) : memref<?xf32>
  %s = memref.alloca() : memref<4xf32>
  %g = memref.get_global @table : memref<4xf32>
  memref.copy %g, %s : memref<4xf32> to memref<4xf32>
  %zero = arith.constant 0 : index
  %d = memref.dim %m, %zero : memref<?x8xf32>
  %x = memref.load %m[%d, %zero] : memref<?x8xf32>
  memref.store %x, %a[%zero] : memref<?xf32>
  %c = memref.cast %a : memref<?xf32> to memref<*xf32>
  %rc = memref.reinterpret_cast %m to offset: [0], sizes: [%n], strides: [1] : memref<?x8xf32> to memref<?xf32>
  %al = memref.alloc() {alignment = 64} : memref<8xf32>
  memref.dealloc %al : memref<8xf32>
  %rk = memref.rank %u : memref<*xf32>
  %at = memref.atomic_rmw addf %x, %a[%zero] : (f32, memref<?xf32>) -> f32
  memref.prefetch %a[%zero], read, locality<3>, data : memref<?xf32>
  memref.copy %m, %m : memref<?x8xf32> to memref<?x8xf32>
  %ptr = memref.extract_aligned_pointer_as_index %a : memref<?xf32> -> index
  memref.assume_alignment %a, 16 : memref<?xf32>
  return %rc : memref<?xf32>
}

// -----

func.func private @external(f32) -> f32
func.func private @callee(%x: i32) -> i32 {
  %c = arith.constant 3 : i32
  %m = math.ctlz %x : i32
  %y = arith.addi %m, %c : i32
  return %y : i32
}
func.func private @dead() {
  return
}
func.func @caller(%x: i32, %c: i1) -> i32 {
  %k = arith.constant 4 : i32
  %r = func.call @callee(%k) : (i32) -> i32
  %q = scf.if %c -> i32 {
    %n = func.call @callee(%r) : (i32) -> i32
    scf.yield %n : i32
  } else {
    scf.yield %r : i32
  }
  return %q : i32
}
func.func @indirect(%f: f32, %x: i1) -> f32 {
  %h = func.constant @external : (f32) -> f32
  %r = func.call_indirect %h(%f) : (f32) -> f32
  %t = arith.constant true
  %z = arith.andi %t, %x : i1
  cf.cond_br %t, ^a, ^b
^a:
  return %r : f32
^b:
  return %f : f32
}
func.func @memrefs(%m: memref<4xf32>, %v: vector<2xindex>, %t: index) -> (memref<4xf32>, index) {
  return %m, %t : memref<4xf32>, index
}

// -----

func.func @tensors(%t: tensor<?xf32>, %n: index) -> (tensor<?xf32>, index, tensor<4xf32>) {
  %zero = arith.constant 0 : index
  %f = arith.constant 0.0 : f32
  %d = tensor.dim %t, %zero : tensor<?xf32>
  %e = tensor.empty(%n) : tensor<?xf32>
  %l = linalg.fill ins(%f : f32) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  %c = tensor.cast %l : tensor<?xf32> to tensor<4xf32>
  %s = tensor.extract_slice %l[0] [%n] [1] : tensor<?xf32> to tensor<?xf32>
  %p = tensor.pad %s low[0] high[0] {
  ^bb0(%i: index):
    tensor.yield %f : f32
  } : tensor<?xf32> to tensor<?xf32>
  %same = tensor.cast %p : tensor<?xf32> to tensor<?xf32>
  %i = "test.unknown"() : () -> index
  %u = builtin.unrealized_conversion_cast %i : index to i64
  %v = builtin.unrealized_conversion_cast %u : i64 to index
  return %same, %v, %c : tensor<?xf32>, index, tensor<4xf32>
}

// -----

func.func @subview(%m: memref<8x8xf32>, %i: index, %s: index) -> memref<?x4xf32, strided<[?, 1], offset: ?>> {
  %v = memref.subview %m[%i, 0] [%s, 4] [1, 1] : memref<8x8xf32> to memref<?x4xf32, strided<[8, 1], offset: ?>>
  %c = memref.cast %v : memref<?x4xf32, strided<[8, 1], offset: ?>> to memref<?x4xf32, strided<[?, 1], offset: ?>>
  return %c : memref<?x4xf32, strided<[?, 1], offset: ?>>
}
func.func @reshape(%m: memref<8x8xf32>) -> (memref<64xf32>, memref<2x4x8xf32>) {
  %v = memref.collapse_shape %m [[0, 1]] : memref<8x8xf32> into memref<64xf32>
  %e = memref.expand_shape %m [[0, 1], [2]] output_shape [2, 4, 8] : memref<8x8xf32> into memref<2x4x8xf32>
  return %v, %e : memref<64xf32>, memref<2x4x8xf32>
}
func.func @flatten(%m: memref<?x?xf32>) -> (memref<?xf32>, index) {
  %v = memref.collapse_shape %m [[0, 1]] : memref<?x?xf32> into memref<?xf32>
  %p = memref.extract_aligned_pointer_as_index %v : memref<?xf32> -> index
  return %v, %p : memref<?xf32>, index
}
func.func @metadata(%m: memref<8x8xf32>, %o: index) -> (memref<f32>, index, index, index, index, index) {
  %c0 = arith.constant 0 : index
  %a = memref.assume_alignment %m, 16 : memref<8x8xf32>
  %r = memref.reinterpret_cast %a to offset: [%o], sizes: [2, 2], strides: [1, 1] : memref<8x8xf32> to memref<2x2xf32, strided<[1, 1], offset: ?>>
  %b, %of, %s:2, %t:2 = memref.extract_strided_metadata %r : memref<2x2xf32, strided<[1, 1], offset: ?>> -> memref<f32>, index, index, index, index, index
  return %b, %of, %s#0, %s#1, %t#0, %t#1 : memref<f32>, index, index, index, index, index
}
