"""The pass generator: declarative pass specs in, pass boilerplate and docs out.

The modules are the phases of a compiler, in the order in which `generate` runs them:
`loader` (text to data), `schema` (shape), `resolve` (data to model), `checks` (rules
across entities), `targets` and `render` (model to text), `output` (text to files).
"""
