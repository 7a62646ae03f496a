"""What the generator and the runtime must understand alike, each meaning once.

It has no dependency and knows neither IR nor YAML; adapters bring places and words.

- `pipeline_text` parses and prints the text of a pipeline, and its options as text.
- `option_values` reads and prints values by type; `option_types` lists the types.
- `ordering_rules` is what a pass declares, `order_judgement` finds what is broken.
- `forms` is what a pass declares, `form_judgement` decides whether a form holds.
- `pattern_functions` has the functions that patterns call undeclared.
- `code_colors` has the colours of code, and the tokens of IR that have them.
- `sequence` has the guards and nests of passes, which both decisions need.

Its modules import each other by relative imports alone, because the folder has two
names: `passgen_rules` in the distribution of the runtime, and `passgen.passgen_rules`
in that of the generator, which must work without the runtime.
"""
