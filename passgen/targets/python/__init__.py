"""The Python target: the model as the templates in `templates/python` need it."""

from passgen.targets.python.module import PythonModule, values

__all__ = ["PythonModule", "values"]
