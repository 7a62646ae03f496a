"""Forms of IR, which passes need and give: the attribute `forms` of their classes."""

from dataclasses import dataclass, field

from passgen_runtime.errors import refuse_text


@dataclass(frozen=True)
class Form:
    """A property of an operation and all that is nested in it, of one of three kinds.

    With a `check`, it says nothing of nested operations themselves.
    """

    name: str
    summary: str = field(default="", compare=False)
    absent: tuple[str, ...] = ()
    only: tuple[str, ...] = ()
    """The operations and dialects that may not be there, or that alone may be."""

    check: str = ""
    """`module:function`, which yields or returns what is wrong with an operation."""

    def __post_init__(self) -> None:
        """Refuse a text as names, which would be its letters.

        Raises:
            TypeError: there is one.
        """
        refuse_text(self, "absent", "only")


@dataclass(frozen=True)
class FormRules:
    """The forms that must hold before a pass, and those that hold after it.

    What it neither gives nor keeps is unknown; what it breaks is not guaranteed.
    """

    needs: tuple[Form, ...] = ()
    gives: tuple[Form, ...] = ()
    keeps: tuple[Form, ...] = ()
    breaks: tuple[Form, ...] = ()
    creates: tuple[str, ...] | None = None
    """All operations and dialects that it may create; `None`: unknown."""

    def __post_init__(self) -> None:
        """Refuse a text as names, which would be its letters.

        Raises:
            TypeError: there is one.
        """
        refuse_text(self, "needs", "gives", "keeps", "breaks", "creates")


NO_FORMS = FormRules()
