"""Pass options: declared once, typed, parsed from a pipeline and printed back to it.

Implements "Instance Specific Pass Options" of MLIR's PassManagement page. Value syntax
and messages are those of LLVM's command line library.

    @dataclass(kw_only=True)
    class UnrollOptions(PassOptions):
        factor: int = option("factor", UINT32, default=4, description="Copies made.")

    UnrollOptions.parse("factor=8") == UnrollOptions(factor=8)
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar, Self, TypeVar, cast

from passgen_rules.option_values import OptionType
from passgen_runtime.errors import (
    OPTIONS_SOURCE,
    PassOptionError,
    PipelineError,
    nearest_note,
)
from passgen_runtime.pass_options.declarations import OptionInfo, declarations
from passgen_runtime.textual_pipeline import TextSlice, TextualOption, parse_options

OptionsT = TypeVar("OptionsT", bound="PassOptions")


@dataclass(kw_only=True)
class PassOptions:
    """Base of all options dataclasses; by itself, the options of a pass that has none.

    `str(options)` is the text between the braces of a pipeline: every option with its
    value, in order of argument as MLIR prints them. It omits lists and `None`s that are
    defaults.
    """

    _declared: ClassVar[tuple[OptionInfo, ...]]
    _by_field: ClassVar[dict[str, OptionInfo]]

    def __init_subclass__(cls, **kwargs: object) -> None:
        """Keep the comparison of this class."""
        super().__init_subclass__(**kwargs)
        if "__eq__" not in cls.__dict__:
            cls.__eq__ = cls.__eq__  # type: ignore[method-assign] # or dataclass adds one

    __hash__ = None  # type: ignore[assignment] # values can be changed

    def __eq__(self, other: object) -> bool:
        """Compare the values as dictionaries, in which a NaN is equal to itself.

        The method of a dataclass does so only before Python 3.13.
        """
        if other.__class__ is not self.__class__:
            return NotImplemented
        return vars(self) == vars(other)

    def __post_init__(self) -> None:
        """Refuse a class whose options would be lost.

        Raises:
            PassOptionError: it declares options, and is not a dataclass.
        """
        self.declared_options()

    if not TYPE_CHECKING:
        # A type checker that sees this method accepts any attribute.
        def __setattr__(self, name: str, value: object) -> None:
            """Set a field; the value of an option is checked, and a list copied.

            Raises:
                PassOptionError: the value is not of its option's type, or the class has
                    no such field.
            """
            cls = type(self)
            if "_by_field" not in cls.__dict__:
                cls._by_field = {info.field: info for info in cls.declared_options()}
            info = cls._by_field.get(name)
            known = name in cls.__dataclass_fields__ or hasattr(cls, name)
            if not known and not name.startswith("_"):
                message = f"{cls.__qualname__} has no field '{name}'"
                notes = cls._note_on_spec(name) or nearest_note(name, cls._by_field)
                raise PassOptionError(message, notes)
            if info is not None:
                value = info.coerce(value)
                # `dataclasses.replace` sets every option, most of them unchanged.
                if info.deprecated and value != info.default:
                    from passgen_runtime.deprecation import warn  # noqa: PLC0415 - rare

                    warn(f"option '{info.argument}'", info.deprecated, cls.__module__)
            super().__setattr__(name, value)

    @classmethod
    def declared_options(cls) -> tuple[OptionInfo, ...]:
        """Return the declarations of all options, in order of declaration.

        Raises:
            PassOptionError: two have one argument, or the class is not a dataclass.
        """
        if "_declared" not in cls.__dict__:
            cls._declared = declarations(cls)
        return cls._declared

    @classmethod
    def documented_options(cls) -> tuple[OptionInfo, ...]:
        """Return the declared options, for help texts and completions.

        A subclass may add options that the IR library parses.
        """
        return cls.declared_options()

    @classmethod
    def given_by(cls, options: PassOptions | None, settings: Mapping[str, Any]) -> Self:
        """Return `options`, or those whose fields `settings` gives.

        Raises:
            TypeError: both are given, there is no such field, or `options` are those
                of another pass.
        """
        if options is None and settings.keys() <= cls.__dataclass_fields__.keys():
            return cls(**settings)
        if options is not None and not settings:
            return cls._check_class(options)
        message = "options are given as an object or by name, not both"
        for name in settings.keys() - cls.__dataclass_fields__.keys():
            fields = cls.__dataclass_fields__
            notes = cls._note_on_spec(name) or nearest_note(name, fields)
            message = "; ".join((f"{cls.__qualname__} has no '{name}'", *notes))
        raise TypeError(message)

    @classmethod
    def _check_class(cls, options: PassOptions) -> Self:
        """Return `options`, if they are of this class or of one that extends it.

        Raises:
            TypeError: they are not. No class extends `PassOptions` itself, the options
                of a pass that has none.
        """
        found = type(options)
        is_own = found is cls if cls is PassOptions else isinstance(options, cls)
        if not is_own:
            message = f"expected {cls.__qualname__}, found {found.__qualname__}"
            is_of_a_pass = issubclass(found, PassOptions)
            raise TypeError(message + ": options of another pass" * is_of_a_pass)
        return cast("Self", options)

    @classmethod
    def has_mutable_values(cls) -> bool:
        """Return whether an option has values that can change in place, as lists."""
        infos = cls.declared_options()
        return any(info.is_list or info.type.is_mutable for info in infos)

    @classmethod
    def parse(cls, text: str) -> Self:
        """Return options from `text` in pipeline syntax, e.g. `factor=8 full`.

        Raises:
            PassOptionError: an option is unknown or a value wrong.
            PipelineError: a nested pipeline does not follow the grammar.
        """
        cls.declared_options()  # an error in a declaration is no error in the text
        try:
            return cls.from_textual(parse_options(text))
        except PassOptionError as error:
            error.text = text
            raise
        except PipelineError as error:
            error.source = OPTIONS_SOURCE
            raise

    @classmethod
    def from_textual(
        cls, options: Iterable[TextualOption], base: Self | None = None
    ) -> Self:
        """Return options from parsed ones; later scalars win, lists accumulate.

        Args:
            options: the parsed options.
            base: the values of all other options; their defaults if not given.

        Raises:
            PassOptionError: an option is unknown or a value wrong.
            PipelineError: a nested pipeline does not follow the grammar.
        """
        values: dict[str, Any] = {}
        for info, value in cls._read(options):
            before = values.get(info.field, ())
            values[info.field] = [*before, *value] if info.is_list else value
        for info in cls.declared_options() if base is None else ():
            if info.is_required and info.field not in values:
                raise info.not_given()
        return cls(**values) if base is None else replace(base, **values)

    @classmethod
    def _read(
        cls, options: Iterable[TextualOption]
    ) -> Iterator[tuple[OptionInfo, Any]]:
        """Yield the declaration and the value of each option; errors get its place."""
        for option in options:
            if not option.key:
                continue
            span = option.span
            try:
                info = cls.option_info(option.key)
                span = option.value_span
                value = info.read(option)
            except PassOptionError as error:
                error.span = error.span or span
                raise
            yield info, value

    @classmethod
    def option_info(cls, argument: str) -> OptionInfo:
        """Return the declaration of the option called `argument`.

        A pipeline may have `-` where the name has `_`: xDSL takes both in the options
        of its passes, and those that are imported from it keep its names.

        Raises:
            PassOptionError: no option is called so.
        """
        infos = cls.declared_options()
        for info in infos:
            if info.argument == argument:
                return info
        for info in infos:
            if "_" in info.argument and info.argument.replace("_", "-") == argument:
                return info
        notes = cls._notes_on_unknown(argument)
        raise PassOptionError(f"no such option {argument}", notes)

    @classmethod
    def _note_on_spec(cls, name: str) -> tuple[str, ...]:
        """Return a note that the spec declares a name that the class lacks, if so."""
        from passgen_runtime.stale_modules import stale_module_note  # noqa: PLC0415

        return stale_module_note(cls, name)

    @classmethod
    def _notes_on_unknown(cls, argument: str) -> Iterator[str]:
        arguments = sorted(info.argument for info in cls.declared_options())
        yield from cls._note_on_spec(argument) or nearest_note(argument, arguments)
        known = f"valid options are {', '.join(arguments)}"
        yield known if arguments else "no options are declared"

    def __str__(self) -> str:
        """Return the options in pipeline syntax, in order of argument.

        Raises:
            PassOptionError: a list was changed in place and holds a wrong value.
        """
        return " ".join(self._spellings())

    def _spellings(self) -> Iterator[str]:
        """Yield the options that `__str__` joins."""
        for info in sorted(self.declared_options(), key=lambda info: info.argument):
            value = info.coerce(getattr(self, info.field))
            if not (info.is_list or value is None) or value != info.default:
                yield f"{info.argument}={info.print(value)}"


def options_type(options_class: type[OptionsT]) -> OptionType[OptionsT]:
    """Return the option type whose values are options in braces.

    With it, an option of a pipeline configures one of its passes:
    `my-pipeline{unroll={factor=4 full}}`.
    """

    def parse(text: str | TextSlice) -> OptionsT:
        return options_class.from_textual(parse_options(text))

    return OptionType(
        "options",
        zero=options_class(),
        parse=parse,
        accepts=lambda value: isinstance(value, options_class),
        print=lambda value: f"{{{value}}}",
        expected="options in braces",
        parse_slice=parse,
        is_mutable=True,
    )
