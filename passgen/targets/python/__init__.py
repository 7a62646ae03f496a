"""The Python target: the model as the templates in `templates/python` need it."""

from passgen.targets.python.module import PythonModule, docstring, values

__all__ = ["PythonModule", "docstring", "values"]
