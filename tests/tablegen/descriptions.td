// Descriptions that Markdown and YAML could trip over.
include "mlir/Pass/PassBase.td"

def Indented : Pass<"indented"> {
  let summary = "Indent the first line most";
  let description = [{
        first
      second
    third
  }];
}

def Rules : Pass<"rules"> {
  let summary = "Have rules";
  let description = [{
    ---
    above
    ...
    ===
    # Heading
    ## Another
    ```mlir
    func.func @f() {
      return
    }
    ```
    - item: "unbalanced
    <a href="x">HTML</a> <!-- comment
    $$ \\frac{1}{2} $$ and $x_1$ 'unbalanced
    %TAG ! * & { [ | > @
  }];
}

def Trailing : Pass<"trailing"> {
  let summary = "Have blanks at the ends of lines";
  let description = [{
    ends in blanks   
    ends in a tab	
       
    after a line of blanks
	after a tab
    café — “quoted” 🚀
  }];
}

def OneLine : Pass<"one-line"> {
  let summary = "Have one line";
  let description = "Just this: # no more.";
}

def Unindented : Pass<"unindented"> {
  let summary = "Begin at the margin";
  let description = [{Begins here
    and goes on
      further.}];
}

def Deep : Pass<"deep"> {
  let summary = "Be indented otherwise";
  let description = [{

      Six columns.

      Again.

    }];
}

def Blank : Pass<"blank"> {
  let summary = "Be blank";
  let description = [{
  }];
}

def End : Pass<"end"> {
  let summary = "Hold what ends a block";
  let description = [{
    `[{` and `}] # "}]" # [{` and `)PD"`
  }];
}

def Fence : Pass<"fence"> {
  let summary = "Leave a fence open";
  let description = [{
    ~~~
    open
  }];
}
