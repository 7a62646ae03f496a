// RUN: passgen-opt %s %if fast %{--cse%} %else %{--nix%} | filecheck %s
// CHECK: func.func @f
func.func @f() {
  func.return
}
