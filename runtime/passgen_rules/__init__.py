"""What the generator and the runtime must understand alike, each meaning once.

The grammar of pipelines, the values of options, the order of passes and the forms of
IR. It has no dependency and knows neither IR nor YAML; adapters bring places and words.

Its modules import each other by relative imports alone, because the folder has two
names: `passgen_rules` in the distribution of the runtime, and `passgen.passgen_rules`
in that of the generator, which must work without the runtime.
"""
