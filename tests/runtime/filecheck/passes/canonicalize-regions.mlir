// RUN: passgen-opt %s --pass-pipeline='builtin.module(func.func(canonicalize{region-simplify=disabled}))' | filecheck %s --check-prefixes CHECK,OFF
// RUN: passgen-opt %s --pass-pipeline='builtin.module(func.func(canonicalize))' | filecheck %s --check-prefixes CHECK,NORMAL
// RUN: passgen-opt %s --pass-pipeline='builtin.module(func.func(canonicalize{region-simplify=aggressive}))' | filecheck %s --check-prefixes CHECK,MERGE

// MLIR's driver erases unreachable blocks at any level.
// CHECK-LABEL: func.func @unreachable
// CHECK-NEXT:    func.return
// CHECK-NEXT:  }
func.func @unreachable(%a: i32) {
  return
^one(%b: i32):
  "test.op"(%b) : (i32) -> ()
  cf.br ^two(%b : i32)
^two(%c: i32):
  cf.br ^one(%c : i32)
}

// An argument that only feeds itself is unused.
// CHECK-LABEL: func.func @unused_arguments
// OFF:         ^loop(%p: i32, %q: i32):
// NORMAL:      ^loop:
// NORMAL-NEXT:   cf.cond_br %c, ^loop, ^exit
// MERGE:      ^loop:
// MERGE-NEXT:    cf.cond_br %c, ^loop, ^exit
func.func @unused_arguments(%c: i1, %v: i32) {
  cf.br ^loop(%v, %v : i32, i32)
^loop(%p: i32, %q: i32):
  %r = arith.addi %p, %v : i32
  cf.cond_br %c, ^loop(%r, %v : i32, i32), ^exit
^exit:
  "test.op"() : () -> ()
  return
}

// CHECK-LABEL: func.func @equal_blocks
// OFF-COUNT-2:    "test.op"(%a)
// NORMAL-COUNT-2: "test.op"(%a)
// MERGE:          "test.op"(%a)
// MERGE-NOT:      "test.op"(%a)
func.func @equal_blocks(%c: i1, %a: i32) {
  cf.cond_br %c, ^left, ^right
^left:
  "test.op"(%a) : (i32) -> ()
  return
^right:
  "test.op"(%a) : (i32) -> ()
  return
}

// CHECK-LABEL: func.func @different_blocks
// CHECK:         "test.op"(%a)
// CHECK:         "test.op"(%b)
func.func @different_blocks(%c: i1, %a: i32, %b: i32) {
  cf.cond_br %c, ^left, ^right
^left:
  "test.op"(%a) : (i32) -> ()
  return
^right:
  "test.op"(%b) : (i32) -> ()
  return
}

// CHECK-LABEL: func.func @always_the_same
// OFF:           "test.op"(%p)
// NORMAL:        "test.op"(%p)
// MERGE:         "test.op"(%a)
func.func @always_the_same(%c: i1, %a: i32) {
  cf.br ^loop(%a : i32)
^loop(%p: i32):
  "test.op"(%p) : (i32) -> ()
  cf.cond_br %c, ^loop(%p : i32), ^exit
^exit:
  return
}
