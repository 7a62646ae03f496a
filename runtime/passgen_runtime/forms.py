"""Forms of IR, which passes need and give: the attribute `forms` of their classes."""

from passgen_rules.forms import NO_FORMS, Form, FormRules

__all__ = ["NO_FORMS", "Form", "FormRules", "forms_of"]


def forms_of(pass_: object) -> FormRules:
    """Return the rules of forms of a pass, or of a class of passes."""
    found = getattr(pass_, "forms", NO_FORMS)
    return found if isinstance(found, FormRules) else NO_FORMS
