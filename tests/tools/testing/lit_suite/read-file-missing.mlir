// RUN: passgen-opt %s %{readfile:nix}
func.func @f() {
  func.return
}
