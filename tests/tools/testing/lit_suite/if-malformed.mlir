// RUN: passgen-opt %s %if fast {--cse}
func.func @f() {
  func.return
}
