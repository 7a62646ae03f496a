"kernel.setup"() : () -> ()
func.func @first() {
  "kernel.matmul"() : () -> ()
  return
}
func.func @second() {
  "kernel.add"() : () -> ()
  return
}
