"""The Python target: the model as the templates in `templates/python` need it."""

from passgen.targets.python.module import Module, docstring, values

__all__ = ["Module", "docstring", "values"]
