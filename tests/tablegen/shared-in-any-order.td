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

defvar near = Option<"near", "near", "bool", "false", "Look near">;
defvar far = Option<"far", "far", "bool", "false", "Look far">;

def Both : Pass<"both"> {
  let summary = "Look near and far";
  let options = [near, far];
}

def Same : Pass<"same"> {
  let summary = "Look as far";
  let options = [near, far];
}

def Nearest : Pass<"nearest"> {
  let summary = "Look near alone";
  let options = [near];
}
