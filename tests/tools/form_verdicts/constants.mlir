func.func @first(%flag: i1) -> i1 {
  %0 = arith.cmpi eq, %flag, %flag : i1
  return %0 : i1
}
func.func @second(%flag: i1) -> i1 {
  return %flag : i1
}
