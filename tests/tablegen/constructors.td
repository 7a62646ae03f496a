// Constructors with arguments and over several lines.
include "mlir/Pass/PassBase.td"

def One : Pass<"one"> {
  let summary = "One";
  let constructor = "my::createOne(/*level=*/1, \"x\")";
}

def Two : Pass<"two"> {
  let summary = "Two";
  let constructor = [{
    my::createTwo(
      {1, 2},
      my::Options())
  }];
}

def Three : Pass<"three"> {
  let summary = "Three";
  let constructor = "my::createThree(std::string(\"pass\"))";
  let options = [Option<"count", "count", "unsigned", "3", "How many">];
}
