// Shared options and lists that passes put together in different orders.
include "mlir/Pass/PassBase.td"

defvar depth = Option<"depth", "depth", "unsigned", "1", "Loops inside one another">;
defvar width = Option<"width", "width", "unsigned", "8", "Elements side by side">;
defvar verbosity = [
  Option<"verbose", "verbose", "bool", "false", "Say more">,
  Option<"quiet", "quiet", "bool", "false", "Say less">
];

def Forwards : Pass<"forwards"> {
  let summary = "Take them in order";
  let options = [depth, width] # verbosity;
}

def Backwards : Pass<"backwards"> {
  let summary = "Take them in reverse";
  let options = verbosity # [width, depth];
}

def Between : Pass<"between"> {
  let summary = "Have an own one between";
  let options = [depth, Option<"own", "own", "bool", "false", "Of this pass">] # verbosity;
}
