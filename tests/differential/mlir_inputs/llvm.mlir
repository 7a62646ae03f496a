llvm.func @callee(%a: i32) -> i32 {
  %c = llvm.mlir.constant(0 : i32) : i32
  %0 = llvm.add %a, %c : i32
  %1 = llvm.add %a, %c : i32
  %2 = llvm.mul %0, %1 : i32
  llvm.return %2 : i32
}
llvm.func @caller(%a: i32) -> i32 {
  %0 = llvm.call @callee(%a) : (i32) -> i32
  llvm.return %0 : i32
}
llvm.mlir.global internal constant @text("hi\00") {addr_space = 0 : i32}
func.func @f(%a: i32, %b: i1) -> i32 {
  cf.cond_br %b, ^bb1, ^bb2(%a : i32)
^bb1:
  %0 = arith.addi %a, %a : i32
  cf.br ^bb2(%0 : i32)
^bb2(%r: i32):
  return %r : i32
}
