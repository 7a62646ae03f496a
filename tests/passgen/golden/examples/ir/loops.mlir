func.func @main() {
  "loop"() {step = 1} : () -> ()
  return
}
