"""Forms of IR, which passes need and give: the attribute `forms` of their classes."""

from passgen_rules.forms import NO_FORMS, Form, FormRules

__all__ = ["NO_FORMS", "Form", "FormRules"]
