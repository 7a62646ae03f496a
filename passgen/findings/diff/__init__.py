"""Changes between two versions of a group, for the users of its passes.

The argument, which users write in pipelines, identifies a thing. A thing with another
argument but the same name in code was renamed. Texts for readers may change freely.

findings = list(compare(old, new))
"""

from passgen.findings.diff.groups import compare

__all__ = ["compare"]
