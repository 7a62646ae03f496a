// RUN: %if slow %{ nix %s %}
// RUN: %if !slow && fast %{ not %} passgen-opt %s --nix
func.func @f() {
  func.return
}
