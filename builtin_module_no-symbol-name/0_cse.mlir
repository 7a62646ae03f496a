// -----// IR Dump After CSE (cse) //----- //
builtin.module {
  func.func @f() {
    func.return
  }
}


