// Summaries that are missing, have several lines, or odd characters.
include "mlir/Pass/PassBase.td"

def Missing : Pass<"missing">;

def Lines : Pass<"lines"> {
  let summary = [{
    Two lines
    of text
  }];
}

def Blanks : Pass<"blanks"> {
  let summary = "  blanks around  ";
}

def Hash : Pass<"hash"> {
  let summary = "# no comment: a key, and - a dash # too";
}

def Quotes : Pass<"quotes"> {
  let summary = "\"quoted\" and 'quoted' and `code` \\ backslash";
}

def Emoji : Pass<"emoji"> {
  let summary = "🚀 launch, café, 日本語";
}

def Word : Pass<"word"> {
  let summary = "true";
}

def Number : Pass<"number"> {
  let summary = "0x10";
}
