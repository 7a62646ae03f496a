func.func @first() {
  "loop.for"() {step = 1 : i32} : () -> ()
  return
}
func.func @second() {
  "loop.for"() {step = 1 : i32} : () -> ()
  return
}
