builtin.module {
  builtin.module {
    func.func @inner() {
      return
    }
  }
  func.func @outer() {
    "loop.for"() {step = 1 : i32} : () -> ()
    return
  }
}
